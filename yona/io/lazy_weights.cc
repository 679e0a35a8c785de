#include "yona/io/lazy_weights.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "yona/backend/backend.h"
#include "yona/io/weight_copy.h"

namespace yona {

namespace {

const float* begin_of(const Tensor& tensor) { return static_cast<const float*>(tensor.raw()); }

}  // namespace

bool is_read_late(std::string_view name) {
  constexpr std::array<std::string_view, 10> kEndings = {
      "query.weight", "key.weight",   "value.weight",  "output.weight",    "inner.weight",
      "gate.weight",  "outer.weight", "shared.weight", "embedding.weight", "projection.weight"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

LazyWeights::LazyWeights(const std::filesystem::path& folder, const Parameters& parameters)
    : file_(folder) {
  file_.verify(parameters.weights().storage()->region->backend().exec().pool);
  for (const Parameters::Entry& entry : parameters.entries()) {
    weights_.push_back({entry.value, file_.get(entry.name, entry.value.shape()), false});
    if (!is_read_late(entry.name)) {
      copy(weights_.back());
    }
  }
  std::sort(weights_.begin(), weights_.end(),
            [](const Weight& a, const Weight& b) { return a.to.raw() < b.to.raw(); });
}

std::vector<LazyWeights::Weight>::const_iterator LazyWeights::first_after(
    const float* address) const {
  return std::partition_point(weights_.begin(), weights_.end(), [&](const Weight& each) {
    return begin_of(each.to) + each.to.elements() <= address;
  });
}

void LazyWeights::read(const Tensor& part) {
  const float* end = begin_of(part) + part.elements();
  auto weight = weights_.begin() + (first_after(begin_of(part)) - weights_.cbegin());
  for (; weight != weights_.end() && begin_of(weight->to) < end; ++weight) {
    copy(*weight);
  }
}

void LazyWeights::copy_to(const Tensor& part, float* to) const {
  const float* begin = begin_of(part);
  const float* end = begin + part.elements();
  for (auto weight = first_after(begin); begin < end; ++weight) {
    const float* first = begin_of(weight->to);
    const float* last = std::min(end, first + weight->to.elements());
    copy_floats(to, static_cast<std::size_t>(last - begin), weight->from, begin - first);
    to += last - begin;
    begin = last;
  }
}

// In pieces, so that threads share the work.
void LazyWeights::copy(Weight& weight) const {
  if (weight.is_read) {
    return;
  }
  constexpr std::int64_t kPiece = 1 << 18;
  const std::int64_t elements = weight.to.elements();
  Exec& exec = weight.to.storage()->region->backend().exec();
  exec.pool->run((elements + kPiece - 1) / kPiece, [&](std::int64_t piece) {
    const std::int64_t begin = piece * kPiece;
    const std::int64_t count = std::min(kPiece, elements - begin);
    copy_weights(weight.to.slice(begin, Shape{count}), weight.from, begin);
  });
  weight.is_read = true;
}

}  // namespace yona
