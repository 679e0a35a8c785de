#include "attention.h"

#include "yona/base/error.h"
#include "yona/inspect/html.h"
#include "yona/inspect/svg.h"

#include "bindings.h"

namespace yona::python {

namespace {

AttentionPart part_named(const std::string& name) {
  for (const AttentionPart part : kAttentionParts) {
    if (name_of(part) == name) {
      return part;
    }
  }
  fail("part: expected encoder, decoder or cross, got '{}'", name);
}

std::int64_t counted_from_end(std::int64_t index, std::int64_t size) {
  return index < 0 ? index + size : index;
}

}  // namespace

py::array_t<float> Attention::weights(AttentionPart part) {
  py::object& array = arrays_.at(static_cast<std::size_t>(part));
  if (!array) {
    const AttentionMap& first = maps_.at(part, 0);
    std::vector<float> all;
    for (std::int64_t layer = 0; layer < maps_.layers(part); ++layer) {
      const std::vector<float>& weights = maps_.at(part, layer).weights;
      all.insert(all.end(), weights.begin(), weights.end());
    }
    array = array_of(std::move(all), {maps_.layers(part), first.heads, first.queries, first.keys});
  }
  return array;
}

std::string Attention::svg(AttentionPart part, std::optional<std::int64_t> layer,
                           std::optional<std::int64_t> head, bool mean, bool lines) const {
  AttentionChoice choice{.part = part};
  if (layer) {
    choice.layer = counted_from_end(*layer, maps_.layers(part));
  }
  if (head || mean) {
    choice.heads = mean ? AttentionChoice::Heads::mean : AttentionChoice::Heads::one;
    choice.head = counted_from_end(head.value_or(0), maps_.heads());
  }
  check_choice(maps_, choice);
  return lines ? svg_lines(maps_, choice) : svg_matrix(heat_maps(maps_, choice));
}

void bind_attention(py::module_& module) {
  py::class_<Attention>(module, "Attention")
      .def_property_readonly("source", [](const Attention& a) { return text_of(a.maps().source); })
      .def_property_readonly("target", [](const Attention& a) { return text_of(a.maps().target); })
      .def_property_readonly("source_tokens",
                             [](const Attention& a) { return texts_of(a.maps().source_tokens); })
      .def_property_readonly("target_tokens",
                             [](const Attention& a) { return texts_of(a.maps().target_tokens); })
      .def_property_readonly("decoder_tokens",
                             [](const Attention& a) { return texts_of(a.maps().decoder_tokens); })
      .def("weights",
           [](Attention& a, const std::string& part) { return a.weights(part_named(part)); })
      .def("html", [](const Attention& a) { return text_of(attention_page(a.maps())); })
      .def(
          "svg",
          [](const Attention& a, const std::string& part, std::optional<std::int64_t> layer,
             std::optional<std::int64_t> head, bool mean,
             bool lines) { return text_of(a.svg(part_named(part), layer, head, mean, lines)); },
          py::arg("part"), py::arg("layer"), py::arg("head"), py::arg("mean"), py::arg("lines"));
}

}  // namespace yona::python
