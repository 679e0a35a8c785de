// What the page asks and what it gets: ExplainRequest and Explanation as JSON.

#include <algorithm>
#include <cmath>

#include "yona/base/enum_names.h"
#include "yona/base/error.h"
#include "yona/base/preemption.h"
#include "yona/inspect/explain.h"

namespace yona {

namespace {

// Enough to see and to add up, and a fifth of the bytes of a double.
double five_decimals(double value) { return std::round(value * 1e5) / 1e5; }

template <class Numbers>
Json numbers(const Numbers& values) {
  Json out = Json::array();
  for (const auto value : values) {
    out.push_back(five_decimals(double{value}));
  }
  return out;
}

Json number_rows(const std::vector<Explanation::Row>& rows) {
  Json out = Json::array();
  for (const Explanation::Row& row : rows) {
    preemption_point();
    out.push_back(numbers(row));
  }
  return out;
}

Json model_json(const ExplainedModel& model) {
  const HeadShape& heads = model.heads;
  return {{"encoder_layers", model.encoder_layers},
          {"decoder_layers", model.decoder_layers},
          {"heads", heads.heads},
          {"kv_heads", heads.kv_heads > 0 ? heads.kv_heads : heads.heads},
          {"d_model", model.d_model},
          {"d_k", heads.d_k},
          {"d_v", heads.d_v},
          {"d_ff", model.feed_forward.d_ff},
          {"vocabulary", model.vocabulary},
          {"norm", enum_name(model.norm)},
          {"norm_kind", enum_name(model.norm_kind)},
          {"scaled", model.attention != AttentionKind::unscaled},
          {"scaled_embedding", model.scaled_embedding},
          {"gated", model.feed_forward.gated},
          {"activation", enum_name(model.feed_forward.activation)},
          {"tied", model.tied},
          {"positions", model.positions}};
}

Json turns_json(const std::vector<Explanation::Turn>& turns) {
  Json out = Json::array();
  for (const Explanation::Turn& turn : turns) {
    out.push_back({{"before", numbers(turn.before)},
                   {"after", numbers(turn.after)},
                   {"angle", five_decimals(turn.angle)}});
  }
  return out;
}

Json heads_json(const std::vector<Explanation::Head>& heads) {
  Json out = Json::array();
  for (const Explanation::Head& head : heads) {
    out.push_back({{"norm", five_decimals(head.norm)}, {"weights", numbers(head.weights)}});
  }
  return out;
}

Json next_json(const std::vector<Explanation::Candidate>& candidates) {
  Json out = Json::array();
  for (const Explanation::Candidate& candidate : candidates) {
    out.push_back({{"token", candidate.token},
                   {"id", candidate.id},
                   {"logit", five_decimals(candidate.logit)},
                   {"probability", five_decimals(candidate.probability)}});
  }
  return out;
}

std::int64_t index_field(const Json& body, const char* name) {
  const auto field = body.find(name);
  if (field == body.end()) {
    return 0;
  }
  check(field->is_number_integer(), "explain: \"{}\" must be a whole number", name);
  // Beyond 64 bits a number would wrap around; what is too large is refused later, by its range.
  check(!field->is_number_unsigned() || field->get<std::uint64_t>() <= std::uint64_t{1} << 62U,
        "explain: \"{}\" is too large", name);
  return field->get<std::int64_t>();
}

AttentionPart part_field(const Json& body) {
  const auto field = body.find("stack");
  if (field == body.end()) {
    return AttentionPart::encoder;
  }
  const auto* const part =
      std::find_if(kAttentionParts.begin(), kAttentionParts.end(),
                   [&](AttentionPart candidate) { return *field == name_of(candidate); });
  check(part != kAttentionParts.end(),
        "explain: \"stack\" must be \"encoder\", \"decoder\" or \"cross\"");
  return *part;
}

}  // namespace

ExplainRequest explain_request(const Json& body) {
  check(body.is_object(), "explain: the body must be a JSON object");
  const auto text = body.find("q");
  check(text != body.end() && text->is_string(), "explain: \"q\", the sentence, must be a string");
  ExplainRequest request{.source = *text, .part = part_field(body)};
  if (const auto prefix = body.find("target_prefix"); prefix != body.end()) {
    check(prefix->is_array() && std::all_of(prefix->begin(), prefix->end(),
                                            [](const Json& piece) { return piece.is_string(); }),
          "explain: \"target_prefix\" must be an array of pieces, as /v1/translate gives them");
    request.target_prefix = prefix->get<std::vector<std::string>>();
  }
  request.layer = index_field(body, "layer");
  request.head = index_field(body, "head");
  request.query = index_field(body, "query");
  return request;
}

Json explanation_json(const Explanation& e) {
  return {{"model", model_json(e.model)},
          {"stack", name_of(e.part)},
          {"layer", e.layer},
          {"head", e.head},
          {"query", e.query},
          {"source_tokens", e.source_tokens},
          {"source_ids", e.source_ids},
          {"decoder_tokens", e.decoder_tokens},
          {"decoder_ids", e.decoder_ids},
          {"embeddings", number_rows(e.embeddings)},
          {"positions", number_rows(e.positions)},
          {"sums", number_rows(e.sums)},
          {"inputs", number_rows(e.inputs)},
          {"attention_input", numbers(e.attention_input)},
          {"unturned_q", numbers(e.unturned_q)},
          {"unturned_k", number_rows(e.unturned_k)},
          {"turns", turns_json(e.turns)},
          {"q", numbers(e.q)},
          {"k", number_rows(e.k)},
          {"v", number_rows(e.v)},
          {"scores", numbers(e.scores)},
          {"seen", e.seen},
          {"weights", number_rows(e.weights)},
          {"head_output", numbers(e.head_output)},
          {"heads", heads_json(e.heads)},
          {"attention_output", numbers(e.attention_output)},
          {"after_attention", numbers(e.after_attention)},
          {"feed_forward_input", numbers(e.feed_forward_input)},
          {"inner", numbers(e.inner)},
          {"gate", numbers(e.gate)},
          {"activated", numbers(e.activated)},
          {"zeros", e.zeros},
          {"feed_forward_output", numbers(e.feed_forward_output)},
          {"after_feed_forward", numbers(e.after_feed_forward)},
          {"last_layer", numbers(e.last_layer)},
          {"last_state", numbers(e.last_state)},
          {"log_sum", five_decimals(e.log_sum)},
          {"next", next_json(e.next)}};
}

}  // namespace yona
