#include "yona/inspect/attention.h"

#include <algorithm>

#include "yona/base/enum_names.h"
#include "yona/base/error.h"
#include "yona/decode/stepper.h"
#include "yona/decode/translator.h"
#include "yona/inspect/map_recorder.h"
#include "yona/text/display.h"

namespace yona {

namespace {

using Ids = std::vector<std::int32_t>;

std::string translate(const TranslationModel& model, Backend& backend, const std::string& source) {
  return Translator({&model}, backend).translate({source}).front();
}

void check_length(std::string_view side, const Ids& ids, const SequenceShape& shape) {
  const auto length = static_cast<std::int64_t>(ids.size());
  check(length <= shape.max_positions,
        "attention: the {} has {} tokens, the model takes at most {}; shorten it", side, length,
        shape.max_positions);
}

}  // namespace

std::string_view name_of(AttentionPart part) {
  constexpr std::array<std::string_view, 3> kNames = {"encoder", "decoder", "cross"};
  return kNames.at(static_cast<std::size_t>(part));
}

std::string_view title_of(AttentionPart part) {
  constexpr std::array<std::string_view, 3> kTitles = {"encoder self-attention",
                                                       "decoder self-attention", "cross attention"};
  return kTitles.at(static_cast<std::size_t>(part));
}

std::span<const float> AttentionMap::head(std::int64_t index) const {
  return std::span(weights).subspan(static_cast<std::size_t>(index * queries * keys),
                                    static_cast<std::size_t>(queries * keys));
}

std::span<const float> AttentionMap::row(std::int64_t head_index, std::int64_t query) const {
  return head(head_index)
      .subspan(static_cast<std::size_t>(query * keys), static_cast<std::size_t>(keys));
}

std::vector<float> AttentionMap::mean() const {
  std::vector<float> sums(static_cast<std::size_t>(queries * keys), 0.0F);
  for (std::int64_t h = 0; h < heads; ++h) {
    const std::span<const float> values = head(h);
    std::transform(sums.begin(), sums.end(), values.begin(), sums.begin(), std::plus<>());
  }
  for (float& sum : sums) {
    sum /= static_cast<float>(heads);
  }
  return sums;
}

std::int64_t AttentionMaps::layers(AttentionPart part) const {
  return std::count_if(maps.begin(), maps.end(),
                       [part](const AttentionMap& map) { return map.part == part; });
}

const AttentionMap& AttentionMaps::at(AttentionPart part, std::int64_t layer) const {
  const auto found = std::find_if(maps.begin(), maps.end(), [&](const AttentionMap& map) {
    return map.part == part && map.layer == layer;
  });
  check(found != maps.end(), "attention: there is no layer {} in the {}; it has {}", layer + 1,
        title_of(part), layers(part));
  return *found;
}

const std::vector<std::string>& AttentionMaps::query_tokens(AttentionPart part) const {
  switch (part) {
    case AttentionPart::encoder:
      return source_tokens;
    case AttentionPart::decoder:
      return decoder_tokens;
    case AttentionPart::cross:
      break;
  }
  return target_tokens;
}

const std::vector<std::string>& AttentionMaps::key_tokens(AttentionPart part) const {
  return part == AttentionPart::decoder ? decoder_tokens : source_tokens;
}

std::vector<std::string> labels(const std::vector<std::string>& tokens) {
  std::vector<std::string> out;
  out.reserve(tokens.size());
  for (const std::string& token : tokens) {
    out.push_back(token == Vocabulary::kPad ? "<start>" : piece_label(token));
  }
  return out;
}

AttentionMaps inspect_attention(const TranslationModel& model, Backend& backend,
                                const std::string& source,
                                const std::optional<std::string>& target) {
  Ids source_ids;
  model.subwords().source.encode(source, source_ids);
  check(!source_ids.empty(), "attention: the source is empty; give at least one word");
  Ids target_ids;
  const std::string target_text = target ? *target : translate(model, backend, source);
  model.subwords().target.encode(target_text, target_ids);
  AttentionMaps maps =
      inspect_attention(model, backend, std::move(source_ids), std::move(target_ids));
  maps.source = source;
  maps.target = target_text;
  maps.translated = !target.has_value();
  return maps;
}

FramedPair framed_pair(const TranslationModel& model, Ids source, Ids target) {
  const SequenceModel& translator = model.model();
  const TextFrame& frame = model.frame();
  source.insert(source.begin(), frame.before_source.begin(), frame.before_source.end());
  source.insert(source.end(), frame.after_source.begin(), frame.after_source.end());
  if (frame.first >= 0) {
    target.insert(target.begin(), frame.first);
  }
  Ids read = target;
  read.insert(read.begin(), frame.start >= 0 ? frame.start : translator.start_id());
  target.push_back(model.subwords().target.vocabulary().end());
  check_length("source", source, translator.shape());
  check_length("target", read, translator.shape());
  return {std::move(source), std::move(read), std::move(target)};
}

std::vector<std::string> pieces_of(const Ids& ids, const Vocabulary& vocabulary) {
  std::vector<std::string> out;
  out.reserve(ids.size());
  for (const std::int32_t id : ids) {
    out.push_back(vocabulary.piece(id));
  }
  return out;
}

AttentionMaps inspect_attention(const TranslationModel& model, Backend& backend, Ids source,
                                Ids target) {
  const Seq2SeqConfig& config = model.info().config;
  const bool attends = (config.arch != Arch::rnn || config.alignment != Alignment::none) &&
                       config.arch != Arch::bytenet && config.arch != Arch::feed_forward;
  check(attends, "attention: {}: a model of the architecture {} has none{}",
        model.folder().string(), enum_name(config.arch),
        config.arch == Arch::rnn ? " where model.alignment is none" : "");
  const FramedPair pair = framed_pair(model, std::move(source), std::move(target));
  Region region(backend);
  MapRecorder recorder;
  Context c{.region = region, .attention = &recorder};
  const Ragged memory = model.model().encode(tokens_of(std::span(&pair.source, 1), region), c);
  model.model().decode(tokens_of(std::span(&pair.read, 1), region), memory, c);

  AttentionMaps maps;
  maps.source_language = model.info().source_language;
  maps.target_language = model.info().target_language;
  maps.source_tokens = pieces_of(pair.source, model.subwords().source.vocabulary());
  maps.target_tokens = pieces_of(pair.written, model.subwords().target.vocabulary());
  maps.decoder_tokens = pieces_of(pair.read, model.subwords().target.vocabulary());
  maps.maps = recorder.take();
  return maps;
}

}  // namespace yona
