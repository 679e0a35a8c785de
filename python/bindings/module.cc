// The compiled half of the Python module: thin, and typed by python/yona/_yona.pyi.

#include "yona/base/log.h"
#include "yona/data/builtin/generator.h"

#include "bindings.h"

namespace yona::python {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs builtin_pairs(const builtin::Options& options, bool test, std::int64_t count) {
  builtin::Generator generator(options, test ? builtin::Split::test : builtin::Split::train);
  Pairs pairs;
  for (std::int64_t i = 0; i < count; ++i) {
    pairs.push_back(generator.next_pair());
  }
  return pairs;
}

}  // namespace

PYBIND11_MODULE(_yona, module) {
  module.attr("version") = YONA_VERSION;
  set_verbosity(Verbosity::quiet);  // progress is Python's to show
  bind_errors(module);
  bind_attention(module);
  bind_model(module);
  bind_train(module);
  bind_metrics(module);
  module.def(
      "builtin_pairs",
      [](const std::string& source, const std::string& target, std::int64_t count, bool test,
         std::uint64_t seed) {
        return builtin_pairs({.source = source, .target = target, .seed = seed}, test, count);
      },
      py::arg("source"), py::arg("target"), py::arg("count"), py::arg("test"), py::arg("seed"));
  module.def("set_verbosity", [](int level) {
    set_verbosity(level <= 0   ? Verbosity::quiet
                  : level == 1 ? Verbosity::normal
                               : Verbosity::verbose);
  });
}

}  // namespace yona::python
