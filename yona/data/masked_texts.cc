#include "yona/data/masked_texts.h"

#include <algorithm>
#include <cmath>

#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/data/line_reader.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

// A line without its special tokens.
std::vector<std::int32_t> line_tokens(const EncoderTokenizer& tokenizer, std::string_view line) {
  const EncodedText text = tokenizer.encode(line, std::nullopt, std::int64_t{1} << 40U);
  return {text.ids.begin() + 1, text.ids.end() - 1};
}

}  // namespace

MaskedTexts::MaskedTexts(const std::vector<std::filesystem::path>& files,
                         const EncoderTokenizer& tokenizer, const MaskedOptions& options)
    : tokenizer_(tokenizer), options_(options) {
  check(tokenizer.special().mask >= 0, "masked-lm: the vocabulary has no mask token");
  const auto room = static_cast<std::size_t>(options.max_length - 2);
  for (const std::filesystem::path& path : files) {
    const std::size_t before = offsets_.size();
    std::vector<std::int32_t> pending;
    std::uint64_t digest = hash_name("masked texts");
    const auto end_sequence = [&](std::size_t count) {
      ids_.push_back(tokenizer.special().begin);
      ids_.insert(ids_.end(), pending.begin(),
                  pending.begin() + static_cast<std::ptrdiff_t>(count));
      ids_.push_back(tokenizer.special().end);
      offsets_.push_back(static_cast<std::int64_t>(ids_.size()));
      pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(count));
    };
    LineReader reader(path);
    for (LineReader::Line line; reader.next(line);) {
      check<FormatError>(!line.cut, "{}:{}: a line of more than {} bytes; break it into several",
                         reader.name(), reader.lines(), LineReader::kLongestLine);
      digest = mix(digest, hash_name(line.text));
      if (is_all_space(line.text)) {
        if (!pending.empty()) {
          end_sequence(pending.size());
        }
        continue;
      }
      const std::vector<std::int32_t> ids = line_tokens(tokenizer, repaired_utf8(line.text));
      pending.insert(pending.end(), ids.begin(), ids.end());
      while (pending.size() >= room) {
        end_sequence(room);
      }
    }
    if (!pending.empty()) {
      end_sequence(pending.size());
    }
    check<FormatError>(offsets_.size() > before, "{}: has no text", path.string());
    add_part(path.filename().string(), 1.0, offsets_.size() - before,
             fmt::format("{:016x}", digest));
  }
}

Examples::Lengths MaskedTexts::lengths(std::uint64_t example) const {
  return {offsets_[example + 1] - offsets_[example], 0, 0, 0};
}

// Words (or tokens) in random order until the share is reached: at least one token, never a special
// one.
std::vector<std::int64_t> MaskedTexts::chosen_places(std::uint64_t example,
                                                     std::uint64_t key) const {
  const std::int64_t begin = offsets_[example];
  const std::int64_t length = offsets_[example + 1] - begin;
  std::vector<std::vector<std::int64_t>> words;
  for (std::int64_t place = 1; place + 1 < length; ++place) {
    const std::int32_t id = ids_[static_cast<std::size_t>(begin + place)];
    if (options_.whole_words && !words.empty() && tokenizer_.continues_word(id)) {
      words.back().push_back(place);
    } else {
      words.push_back({place});
    }
  }
  RandomSequence random(mix(key, hash_name("masked places")));
  const auto wanted =
      std::max<std::int64_t>(1, std::llround(options_.share * static_cast<double>(length - 2)));
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::swap(words[i], words[i + random.below(words.size() - i)]);
    const std::int64_t after = static_cast<std::int64_t>(places.size() + words[i].size());
    if (after > wanted && !places.empty()) {
      continue;  // a shorter word may still fit
    }
    places.insert(places.end(), words[i].begin(), words[i].end());
    if (after >= wanted) {
      break;
    }
  }
  std::sort(places.begin(), places.end());
  return places;
}

void MaskedTexts::append(std::uint64_t example, const Draw& draw, Batch& batch) const {
  const std::uint64_t key =
      mix(mix(mix(draw.seed, hash_name("masked text")), static_cast<std::uint64_t>(draw.epoch)),
          example);
  Side& text = batch.sides[kMaskedText];
  const auto begin = static_cast<std::ptrdiff_t>(text.ids.size());
  text.ids.insert(text.ids.end(), ids_.begin() + offsets_[example],
                  ids_.begin() + offsets_[example + 1]);
  RandomSequence random(mix(key, hash_name("masked tokens")));
  for (const std::int64_t place : chosen_places(example, key)) {
    std::int32_t& id = text.ids[static_cast<std::size_t>(begin + place)];
    batch.sides[kMaskedPlaces].ids.push_back(static_cast<std::int32_t>(place));
    batch.sides[kMaskedTokens].ids.push_back(id);
    const double kind = random.uniform();
    const auto other =
        static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(tokenizer_.size())));
    if (kind < 0.8) {
      id = tokenizer_.special().mask;
    } else if (kind < 0.9) {
      id = other;
    }
  }
}

void MaskedTexts::fill(std::span<const std::uint32_t> examples, std::int64_t /*batch_tokens*/,
                       const Draw& draw, Batch& batch) const {
  batch.clear();
  for (const std::uint32_t example : examples) {
    append(example, draw, batch);
    for (const std::size_t side : {kMaskedText, kMaskedPlaces, kMaskedTokens}) {
      batch.sides[side].end_example();
    }
    batch.example_ids.push_back(example_id(options_.corpus, example));
    batch.weights.push_back(1.0F);
  }
}

}  // namespace yona
