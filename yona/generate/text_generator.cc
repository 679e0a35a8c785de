#include "yona/generate/text_generator.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "yona/base/error.h"
#include "yona/base/stop.h"
#include "yona/generate/constraint_filter.h"
#include "yona/generate/json_schema.h"
#include "yona/generate/regex.h"
#include "yona/generate/text_stream.h"
#include "yona/io/json_file.h"

namespace yona {

namespace {

constexpr std::int64_t kDefaultNewTokens = 256;

// The vocabulary of a model may have more tokens than its tokeniser: they add nothing.
std::shared_ptr<const TokenBytes> bytes_of(const TextTokenizer& tokenizer, std::int64_t outputs) {
  auto bytes = std::make_shared<TokenBytes>(tokenizer.all_bytes());
  bytes->resize(static_cast<std::size_t>(outputs));
  return bytes;
}

// The cache grows as prompts need it.
GeneratorOptions growing(GeneratorOptions options, std::shared_ptr<const TokenBytes> bytes) {
  options.rules.bytes = std::move(bytes);
  options.cache_tokens = 1;
  return options;
}

// A beam has nothing to draw, and takes the model's own probabilities.
void check_beam_options(const GenerateOptions& options) {
  check(
      options.temperature == 0.0,
      "generate: give a beam or a temperature, not both; got a beam of {} and a temperature of {}",
      options.beam, options.temperature);
  check(options.repetition_penalty == 1.0 && options.presence_penalty == 0.0 &&
            options.frequency_penalty == 0.0,
        "generate: beam search takes no repetition, presence or frequency penalty");
  check(options.json_schema.empty() && options.regex.empty(),
        "generate: beam search takes no JSON schema or regular expression");
  check(options.stop.empty(), "generate: beam search takes no stop strings");
  check(options.logprobs <= 0, "generate: beam search gives no log-probabilities of other tokens");
}

// Which of several prompts an error is about; `number` is from 0.
template <class Function>
void naming_prompt(std::size_t prompts, std::uint64_t number, const Function& function) {
  try {
    function();
  } catch (const InvalidArgument& error) {
    if (prompts == 1) {
      throw;
    }
    fail("prompt {}: {}", number + 1, error.what());
  }
}

void add_ids(const Json& value, const std::string& file, std::int64_t outputs,
             std::vector<std::int32_t>& ids) {
  const Json list = value.is_array() ? value : Json::array({value});
  for (const Json& id : list) {
    check<FormatError>(id.is_number_integer(),
                       "{}: eos_token_id: expected a number or a list of numbers", file);
    const auto number = id.get<std::int64_t>();
    check<FormatError>(number >= 0 && number < outputs,
                       "{}: eos_token_id: {} is outside the vocabulary of {} tokens", file, number,
                       outputs);
    ids.push_back(static_cast<std::int32_t>(number));
  }
}

}  // namespace

std::vector<std::int32_t> end_ids_of(const std::filesystem::path& folder,
                                     const TextTokenizer& tokenizer, std::int64_t outputs) {
  std::vector<std::int32_t> ids;
  for (const char* name : {"generation_config.json", "config.json"}) {
    const std::filesystem::path path = folder / name;
    if (!std::filesystem::exists(path)) {
      continue;
    }
    const Json json = read_json(path);
    if (ids.empty() && json.is_object() && json.contains("eos_token_id") &&
        !json.at("eos_token_id").is_null()) {
      add_ids(json.at("eos_token_id"), path.string(), outputs, ids);
    }
  }
  if (ids.empty() && tokenizer.end() >= 0 && tokenizer.end() < outputs) {
    ids.push_back(tokenizer.end());
  }
  return ids;
}

TextGenerator::TextGenerator(const SequenceModel& model, const TextTokenizer& tokenizer,
                             Backend& backend, GeneratorOptions options)
    : model_(model),
      tokenizer_(tokenizer),
      backend_(backend),
      precision_(options.precision),
      end_ids_(options.rules.end_ids),
      bytes_(bytes_of(tokenizer, model.outputs())),
      max_batch_(options.max_batch),
      most_cache_tokens_(cache_tokens_of(options, model.shape().max_positions)),
      generator_(model, backend, growing(std::move(options), bytes_)) {}

std::vector<std::int32_t> TextGenerator::prompt_ids(const std::string& prompt) const {
  std::vector<std::int32_t> ids = tokenizer_.encode_prompt(prompt);
  if (ids.empty()) {
    const std::int32_t first = tokenizer_.begin() >= 0 ? tokenizer_.begin() : tokenizer_.end();
    if (first >= 0) {
      ids.push_back(first);
    }
  }
  return ids;
}

std::shared_ptr<TextConstraint> TextGenerator::constraint_of(const GenerateOptions& options) {
  if (options.json_schema.empty() && options.regex.empty()) {
    return nullptr;
  }
  check(options.json_schema.empty() || options.regex.empty(),
        "generate: give a JSON schema or a regular expression, not both");
  Grammar grammar = options.regex.empty()
                        ? json_schema_grammar(parse_json(options.json_schema, "JSON schema"))
                        : regex_grammar(options.regex);
  if (!trie_) {
    trie_ = std::make_shared<const TokenTrie>(*bytes_);
  }
  return std::make_shared<TextConstraint>(std::move(grammar), trie_, end_ids_);
}

GenerateRequest TextGenerator::request_of(const GenerateOptions& options) {
  GenerateRequest request{.max_new = options.max_new,
                          .choice = {.temperature = options.temperature,
                                     .top_k = options.top_k,
                                     .top_p = options.top_p,
                                     .min_p = options.min_p,
                                     .repetition_penalty = options.repetition_penalty,
                                     .presence_penalty = options.presence_penalty,
                                     .frequency_penalty = options.frequency_penalty},
                          .seed = options.seed,
                          .answers = options.answers,
                          .stop = options.stop,
                          .top_logprobs = options.logprobs};
  if (const std::shared_ptr<TextConstraint> constraint = constraint_of(options)) {
    request.filter = [constraint] { return std::make_unique<ConstraintFilter>(constraint); };
  }
  return request;
}

std::vector<GenerateRequest> TextGenerator::requests_of(const std::vector<std::string>& prompts,
                                                        const GenerateOptions& options) {
  const GenerateRequest common = request_of(options);
  std::vector<GenerateRequest> requests;
  requests.reserve(prompts.size());
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    GenerateRequest& request = requests.emplace_back(common);
    request.prompt = prompt_ids(prompts[i]);
    request.sequence = options.first_prompt + i;
    if (!request.max_new) {
      const auto length = static_cast<std::int64_t>(request.prompt.size());
      request.max_new = std::max<std::int64_t>(
          1, std::min(kDefaultNewTokens, generator_.max_positions() - length));
    }
  }
  return requests;
}

// Room for the longest answers that are under way at once, and for finished ones that are kept.
void TextGenerator::reserve(const std::vector<GenerateRequest>& requests) {
  constexpr std::int64_t kKept = 3;  // times what is needed
  std::vector<std::int64_t> lengths;
  for (const GenerateRequest& request : requests) {
    const std::int64_t answers = std::clamp<std::int64_t>(request.answers, 0, max_batch_);
    lengths.insert(lengths.end(), static_cast<std::size_t>(answers),
                   std::min(static_cast<std::int64_t>(request.prompt.size()) + *request.max_new,
                            generator_.max_positions()));
  }
  std::sort(lengths.rbegin(), lengths.rend());
  lengths.resize(std::min(lengths.size(), static_cast<std::size_t>(max_batch_)));
  const std::int64_t needed = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  generator_.reserve(std::min((1 + kKept) * needed, most_cache_tokens_));
}

std::vector<std::vector<GeneratedText>> TextGenerator::generate(
    const std::vector<std::string>& prompts, const GenerateOptions& options,
    const OnPiece& on_piece) {
  std::vector<GenerateRequest> requests = requests_of(prompts, options);
  std::vector<std::vector<GeneratedText>> answers(prompts.size());
  if (options.beam > 1) {
    check_beam_options(options);
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      naming_prompt(prompts.size(), options.first_prompt + i,
                    [&] { answers[i] = search(requests[i], options); });
      for (std::size_t n = 0; on_piece && n < answers[i].size(); ++n) {
        on_piece(i, static_cast<std::int64_t>(n), answers[i][n].text);
      }
    }
    return answers;
  }
  reserve(requests);
  std::vector<RequestId> ids;
  try {
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      answers[i].resize(static_cast<std::size_t>(std::max<std::int64_t>(0, options.answers)),
                        {.prompt_tokens = static_cast<std::int64_t>(requests[i].prompt.size())});
      naming_prompt(prompts.size(), options.first_prompt + i,
                    [&] { ids.push_back(generator_.add(std::move(requests[i]))); });
    }
    if (!ids.empty()) {
      run(answers, ids.front(), options, on_piece);
    }
  } catch (...) {
    for (const RequestId id : ids) {
      generator_.remove(id);
    }
    throw;
  }
  return answers;
}

std::vector<GeneratedText> TextGenerator::search(const GenerateRequest& request,
                                                 const GenerateOptions& options) {
  generator_.check_request(request);
  if (!beam_search_) {
    beam_search_ = std::make_unique<BeamSearch>(model_, backend_, precision_);
  }
  const std::vector<Hypothesis> found = beam_search_->run({.prompt = request.prompt,
                                                           .max_new = *request.max_new,
                                                           .beam = options.beam,
                                                           .n_best = options.answers,
                                                           .length_penalty = options.length_penalty,
                                                           .end_ids = end_ids_,
                                                           .interrupt = options.interrupt});
  std::vector<GeneratedText> answers;
  for (const Hypothesis& hypothesis : found) {
    GeneratedText& answer = answers.emplace_back();
    answer.prompt_tokens = static_cast<std::int64_t>(request.prompt.size());
    answer.tokens = hypothesis.ids;
    const bool ended =
        std::find(end_ids_.begin(), end_ids_.end(), answer.tokens.back()) != end_ids_.end();
    answer.tokens.resize(answer.tokens.size() - (ended ? 1 : 0));
    answer.finish = name_of(ended ? FinishReason::stop : FinishReason::length);
    TextStream stream({});
    for (std::size_t i = 0; i < answer.tokens.size(); ++i) {
      answer.text += stream.push(bytes_->at(static_cast<std::size_t>(answer.tokens[i])));
      if (options.logprobs >= 0) {
        answer.logprobs.push_back(hypothesis.token_scores[i]);
        answer.alternatives.emplace_back();
      }
    }
    answer.text += stream.finish();
  }
  return answers;
}

void TextGenerator::run(std::vector<std::vector<GeneratedText>>& answers, RequestId first_id,
                        const GenerateOptions& options, const OnPiece& on_piece) {
  while (!generator_.is_idle()) {
    check_stop(options.interrupt, "generate");
    std::set<RequestId> ended;  // by on_piece; a step may have more tokens of theirs
    for (GeneratedToken& token : generator_.step()) {
      if (ended.contains(token.request)) {
        continue;
      }
      const auto prompt = static_cast<std::size_t>(token.request - first_id);
      GeneratedText& answer = answers.at(prompt).at(static_cast<std::size_t>(token.answer));
      check(token.error.empty(), "{}", token.error);
      answer.text += token.text;
      if (!token.is_end) {
        answer.tokens.push_back(token.token);
        if (options.logprobs >= 0) {
          answer.logprobs.push_back(token.logprob);
          std::vector<TokenAlternative>& best = answer.alternatives.emplace_back();
          for (const TokenLogprob& other : token.top) {
            best.push_back({other.token, other.logprob});
          }
        }
      }
      if (token.finish) {
        answer.finish = name_of(*token.finish);
      }
      if (on_piece && !token.text.empty() && !on_piece(prompt, token.answer, token.text)) {
        generator_.remove(token.request);
        ended.insert(token.request);
      }
    }
  }
}

}  // namespace yona
