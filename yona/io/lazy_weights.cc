#include "yona/io/lazy_weights.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "yona/backend/backend.h"
#include "yona/io/weight_copy.h"

namespace yona {

namespace {

// What linear(), matmul() and embed() are given: they ask PackedWeights before they read.
bool is_asked_for(std::string_view name) {
  constexpr std::array<std::string_view, 10> kEndings = {
      "query.weight", "key.weight",   "value.weight",  "output.weight",    "inner.weight",
      "gate.weight",  "outer.weight", "shared.weight", "embedding.weight", "projection.weight"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

LazyWeights::LazyWeights(const std::filesystem::path& folder, const Parameters& parameters)
    : file_(folder) {
  for (const Parameters::Entry& entry : parameters.entries()) {
    const NamedArray array = file_.get(entry.name, entry.value.shape());
    weights_.push_back({entry.value, static_cast<const char*>(array.data), array.dtype, false});
    if (!is_asked_for(entry.name)) {
      copy(weights_.back());
    }
  }
  std::sort(weights_.begin(), weights_.end(),
            [](const Weight& a, const Weight& b) { return a.to.raw() < b.to.raw(); });
}

void LazyWeights::read(const Tensor& part) {
  const auto* begin = static_cast<const char*>(part.raw());
  const auto* end = begin + part.elements() * static_cast<std::int64_t>(sizeof(float));
  auto weight = std::partition_point(weights_.begin(), weights_.end(), [&](const Weight& each) {
    const auto* last = static_cast<const char*>(each.to.raw()) +
                       each.to.elements() * static_cast<std::int64_t>(sizeof(float));
    return last <= begin;
  });
  for (; weight != weights_.end() && static_cast<const char*>(weight->to.raw()) < end; ++weight) {
    copy(*weight);
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
    const auto size = static_cast<std::int64_t>(size_of(weight.type));
    const char* from = weight.from + begin * size;
    copy_weights(weight.to.slice(begin, Shape{count}), from, weight.type, "weight");
    file_.forget({from, static_cast<std::size_t>(count * size)});
  });
  weight.is_read = true;
}

}  // namespace yona
