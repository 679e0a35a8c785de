// Module: a layer with named parameters and parts. Names are dotted paths from registration, such
// as encoder.layers.0.self_attention.query.weight; registration order is memory order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "yona/tensor/tensor.h"

namespace yona {

// How a parameter begins. xavier: uniform ±√(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).
enum class Init : std::uint8_t { zeros, ones, xavier, normal };

struct Parameter {
  Shape shape{};
  Init init = Init::zeros;
  double deviation = 0.0;      // of Init::normal
  std::int64_t zero_row = -1;  // a row that begins at zero and stays there (the <pad> embedding)
  bool trained = true;         // false: statistics that a norm keeps; no gradient, no update
  Tensor value{};              // bound by Parameters
};

// A table that is computed once and never trained (sinusoids). Not saved with the weights.
struct Constant {
  Shape shape{};
  std::function<std::vector<double>()> values{};
  Tensor value{};  // bound by Parameters
};

class Module {
 public:
  using Visitor = std::function<void(const std::string& name, Parameter& parameter)>;
  using ConstantVisitor = std::function<void(Constant& constant)>;

  Module() = default;
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // Calls visitor for every parameter below this module, in registration order.
  void visit(const Visitor& visitor, const std::string& prefix = "");
  void visit_constants(const ConstantVisitor& visitor);
  // In training, should layers keep their inputs alone, and compute the rest again for the backward
  // pass (nn/recompute.h)? Results are the same, in less memory and more time.
  virtual void set_recompute(bool on);
  // Gives every module its path, and by it its stream of random numbers.
  void name_streams(const std::string& path = "");

 protected:
  void add(std::string name, Parameter& parameter) {
    entries_.push_back({std::move(name), &parameter, nullptr});
  }
  void add(Constant& constant) { constants_.push_back(&constant); }
  void add(std::string name, Module& part) {
    entries_.push_back({std::move(name), nullptr, &part});
  }
  // A part that adds nothing to paths: what it registers is named as if registered here.
  void add(Module& part) { entries_.push_back({"", nullptr, &part}); }
  // "decoder.layers.0.cross_attention"; empty for the model itself.
  const std::string& path() const { return path_; }
  // Which numbers this module's dropout draws; differs from every other module's.
  std::uint32_t stream() const { return stream_; }

 private:
  struct Entry {
    std::string name;
    Parameter* parameter;
    Module* part;
  };
  std::vector<Entry> entries_;
  std::vector<Constant*> constants_;
  std::string path_;
  std::uint32_t stream_ = 0;
};

}  // namespace yona
