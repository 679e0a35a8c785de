#include "yona/tensor/operand.h"

#include "yona/backend/cpu/features.h"

namespace yona {

namespace {

bool wants_rounding(const Tensor& x, const Context& c) {
  return c.precision != Precision::f32 && x.dtype() == DType::f32 && !rounds_operands(c);
}

bool has_copy(const Storage& storage, const Context& c) {
  return storage.rounded && !storage.rounded_stale && storage.rounded_type == c.operand_type();
}

void attach(Storage& storage, const Tensor& copy) {
  storage.rounded = copy.storage();
  storage.rounded_type = copy.dtype();
  storage.rounded_stale = false;
}

}  // namespace

bool rounds_operands(const Backend& backend, bool training) {
  return backend.planned_device() == Device::cpu && (cpu_has_amx() || (training && cpu_has_bf16()));
}

View operand(const Tensor& x, Context& c) {
  const Storage& storage = *x.storage();
  const bool to_round = !storage.rounded || storage.rounded_stale;  // copies of other types stay
  if (wants_rounding(x, c) && x.covers_storage() && to_round) {
    const std::int64_t rows = (x.rows() + kRoundedRows - 1) / kRoundedRows * kRoundedRows;
    const Tensor copy = c.empty(c.operand_type(), Shape{rows, x.cols()});
    c.kernels().round_bf16({.x = x.view(), .y = copy.view()}, c.exec());
    attach(*x.storage(), copy);
  }
  return x.covers_storage() ? operand_part(x, c) : x.view();
}

View operand_part(const Tensor& x, Context& c) {
  View view = x.view();
  const Storage& storage = *x.storage();
  if (wants_rounding(x, c) && has_copy(storage, c)) {
    const std::int64_t offset =
        static_cast<const float*>(view.data) - static_cast<const float*>(storage.data);
    view.data = static_cast<std::uint16_t*>(storage.rounded->data) + offset;
    view.dtype = storage.rounded_type;
  }
  return view;
}

View weight_operand(const Tensor& weight, Context& c) {
  operand(weight, c);
  return operand_part(weight, c);
}

RoundedWeights::RoundedWeights(const Tensor& weight, Context& c) {
  if (!wants_rounding(weight, c)) {
    return;
  }
  Storage& storage = *weight.storage();
  const std::int64_t count = storage.bytes / static_cast<std::int64_t>(sizeof(float));
  const View weights{storage.data, 1, count, count, DType::f32};
  if (!storage.rounded) {
    storage_ = weight.storage();
    const Tensor copy = c.empty(c.operand_type(), Shape{1, count});
    c.kernels().round_bf16({.x = weights, .y = copy.view()}, c.exec());
    attach(storage, copy);
  } else if (storage.rounded_stale && storage.rounded_type == c.operand_type()) {
    c.kernels().round_bf16(
        {.x = weights, .y = {storage.rounded->data, 1, count, count, storage.rounded_type}},
        c.exec());
    storage.rounded_stale = false;
  }
}

RoundedWeights::~RoundedWeights() {
  if (storage_) {
    storage_->rounded = StoragePtr();
  }
}

}  // namespace yona
