#include "yona/nn/parameters.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "yona/base/random.h"

namespace yona {

namespace {

std::int64_t count_parameters(Module& model) {
  std::int64_t count = 0;
  model.visit([&](const std::string& /*name*/, Parameter& parameter) {
    count += parameter.shape.elements();
  });
  return count;
}

// Room for the weights, their gradients and the constants, each with alignment and gap.
std::int64_t region_bytes(Module& model, std::int64_t count, DType dtype, Gradients gradients) {
  const auto buffer = [&](std::int64_t elements) {
    return elements * static_cast<std::int64_t>(size_of(dtype)) + 256;
  };
  std::int64_t bytes = buffer(count) * (gradients == Gradients::yes ? 2 : 1);
  model.visit_constants(
      [&](const Constant& constant) { bytes += buffer(constant.shape.elements()); });
  return bytes;
}

// Fills a tensor of f32 or f64.
void upload(const Tensor& tensor, const std::vector<double>& values) {
  if (tensor.dtype() == DType::f64) {
    tensor.upload(values);
  } else {
    tensor.upload(std::vector<float>(values.begin(), values.end()));
  }
}

double draw(const Parameter& parameter, RandomSequence& random) {
  if (parameter.init == Init::normal) {  // Box and Muller; the cosine alone keeps it stateless
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
    return parameter.deviation * radius * std::cos(2.0 * std::numbers::pi * random.uniform());
  }
  const double fans = static_cast<double>(parameter.shape[0] + parameter.shape.back());
  return (2.0 * random.uniform() - 1.0) * std::sqrt(6.0 / fans);
}

std::vector<double> initial_values(const Parameter& parameter, std::uint64_t key) {
  const std::int64_t n = parameter.shape.elements();
  std::vector<double> values(static_cast<std::size_t>(n), parameter.init == Init::ones ? 1.0 : 0.0);
  if (parameter.init == Init::xavier || parameter.init == Init::normal) {
    RandomSequence random(key);
    std::generate(values.begin(), values.end(), [&] { return draw(parameter, random); });
  }
  if (parameter.zero_row >= 0) {
    const std::int64_t width = parameter.shape.back();
    std::fill_n(values.begin() + parameter.zero_row * width, width, 0.0);
  }
  return values;
}

}  // namespace

Parameters::Parameters(Module& model, Backend& backend, Gradients gradients, DType dtype)
    : model_(model),
      count_(count_parameters(model)),
      region_(backend, region_bytes(model, count_, dtype, gradients)),
      weights_(region_, dtype, Shape{1, count_}) {
  // Without gradients matrices are often read late (LazyWeights): vectors, which are read at once,
  // lie together before them and touch little memory.
  std::int64_t vectors = 0;
  if (gradients == Gradients::no) {
    model_.visit([&](const std::string& /*name*/, Parameter& parameter) {
      vectors += parameter.shape.rank() == 1 ? parameter.shape.elements() : 0;
    });
  }
  std::int64_t vector_offset = 0;
  std::int64_t offset = vectors;
  model_.visit([&](const std::string& name, Parameter& parameter) {
    std::int64_t& next = vectors > 0 && parameter.shape.rank() == 1 ? vector_offset : offset;
    parameter.value = weights_.slice(next, parameter.shape);
    entries_.push_back({name, parameter.value, next});
    next += parameter.shape.elements();
  });
  model_.name_streams();
  model_.visit_constants([&](Constant& constant) {
    constant.value = Tensor(region_, dtype, constant.shape);
    upload(constant.value, constant.values());
  });
  if (gradients == Gradients::yes) {
    const Tensor buffer(region_, dtype, Shape{1, count_});
    weights_.storage()->gradient = buffer.storage();
    weights_.set_requires_gradient();
  }
}

Parameters::~Parameters() {
  model_.visit([](const std::string& /*name*/, Parameter& parameter) { parameter.value = {}; });
  model_.visit_constants([](Constant& constant) { constant.value = {}; });
}

const Parameters::Entry* Parameters::find(std::string_view name) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& candidate) { return candidate.name == name; });
  return entry == entries_.end() ? nullptr : &*entry;
}

void Parameters::zero_gradients() {
  Backend& backend = region_.backend();
  backend.kernels().fill({.y = gradients().view(), .value = 0.0F}, backend.exec());
}

void Parameters::initialise(std::uint64_t seed) {
  model_.visit([&](const std::string& name, Parameter& parameter) {
    upload(parameter.value, initial_values(parameter, mix(seed, hash_name(name))));
  });
}

}  // namespace yona
