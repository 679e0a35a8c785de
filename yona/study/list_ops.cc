#include "yona/study/list_ops.h"

#include <algorithm>
#include <numeric>

#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/data/labelled_texts.h"

namespace yona {

namespace {

// Ids: digits 0 … 9, then the operators, which open a list, then the rest.
constexpr std::int32_t kFirstOperator = 10;
constexpr std::int32_t kOperators = 4;  // MIN, MAX, MED, SM
constexpr std::int32_t kListEnd = 14;
constexpr std::int32_t kStart = 15;  // [CLS]
constexpr std::int32_t kFirstKey = 16;
constexpr std::int32_t kKeys = 40;
constexpr std::size_t kMostArguments = 5;

std::int32_t value_of(std::int32_t opening, std::vector<std::int32_t> arguments) {
  std::sort(arguments.begin(), arguments.end());
  switch (opening - kFirstOperator) {
    case 0:
      return arguments.front();
    case 1:
      return arguments.back();
    case 2:
      return arguments[arguments.size() / 2];
    default:
      return std::accumulate(arguments.begin(), arguments.end(), 0) % 10;
  }
}

// Appends an expression of at most `budget` tokens and gives its value.
std::int32_t append_expression(std::int64_t budget, RandomSequence& random,
                               std::vector<std::int32_t>& tokens) {
  constexpr std::int64_t kSmallestList = 4;  // two digits and what encloses them
  if (budget < kSmallestList) {
    tokens.push_back(static_cast<std::int32_t>(random.below(10)));
    return tokens.back();
  }
  const auto opening = kFirstOperator + static_cast<std::int32_t>(random.below(kOperators));
  tokens.push_back(opening);
  const std::size_t count = 2 + random.below(kMostArguments - 1);
  std::int64_t left = budget - 2;
  std::vector<std::int32_t> arguments;
  for (std::size_t i = 0; i < count && left > 0; ++i) {
    const auto share = left / static_cast<std::int64_t>(count - i);
    const auto before = static_cast<std::int64_t>(tokens.size());
    arguments.push_back(append_expression(share, random, tokens));
    left -= static_cast<std::int64_t>(tokens.size()) - before;
  }
  tokens.push_back(kListEnd);
  return value_of(opening, std::move(arguments));
}

LongExample recall_example(std::int64_t length, RandomSequence& random) {
  LongExample example;
  std::vector<std::int32_t> value_of_key(kKeys, -1);
  std::vector<std::int32_t> used;
  example.tokens.push_back(kStart);
  while (static_cast<std::int64_t>(example.tokens.size()) + 3 <= length) {
    const auto key = static_cast<std::size_t>(random.below(kKeys));
    if (value_of_key[key] < 0) {
      value_of_key[key] = static_cast<std::int32_t>(random.below(10));
      used.push_back(static_cast<std::int32_t>(key));
    }
    example.tokens.push_back(kFirstKey + static_cast<std::int32_t>(key));
    example.tokens.push_back(value_of_key[key]);
  }
  const std::int32_t asked = used[random.below(used.size())];
  example.tokens.push_back(kFirstKey + asked);
  example.label = value_of_key[static_cast<std::size_t>(asked)];
  return example;
}

}  // namespace

std::string_view name_of(LongTask task) {
  return task == LongTask::list_ops ? "list-ops" : "recall";
}

LongExample long_example(LongTask task, std::int64_t length, std::uint64_t key) {
  check(length >= 8, "study: a text of {} tokens is too short for {}", length, name_of(task));
  RandomSequence random(key);
  if (task == LongTask::recall) {
    return recall_example(length, random);
  }
  LongExample example;
  do {
    example.tokens.assign(1, kStart);
    example.label = append_expression(length - 1, random, example.tokens);
  } while (static_cast<std::int64_t>(example.tokens.size()) < length / 2);
  return example;
}

void append_example(Batch& batch, const LongExample& example, std::uint64_t id) {
  Side& text = batch.sides[kText];
  Side& label = batch.sides[kLabel];
  text.ids.insert(text.ids.end(), example.tokens.begin(), example.tokens.end());
  text.end_example();
  label.ids.push_back(example.label);
  label.end_example();
  batch.example_ids.push_back(id);
  batch.weights.push_back(1.0F);
}

Batch long_batch(LongTask task, std::int64_t count, std::int64_t length, std::uint64_t key) {
  Batch batch;
  batch.clear();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t id = mix(key, static_cast<std::uint64_t>(i));
    append_example(batch, long_example(task, length, id), id);
  }
  return batch;
}

std::int32_t list_ops_value(const std::vector<std::int32_t>& tokens) {
  std::vector<std::vector<std::int32_t>> open{{}};
  for (const std::int32_t token : tokens) {
    if (token == kStart) {
      continue;
    }
    if (token < kListEnd && token >= kFirstOperator) {
      open.push_back({token});
    } else if (token == kListEnd) {
      const std::vector<std::int32_t> list = open.back();
      open.pop_back();
      open.back().push_back(value_of(list.front(), {list.begin() + 1, list.end()}));
    } else {
      open.back().push_back(token);
    }
  }
  return open.front().front();
}

}  // namespace yona
