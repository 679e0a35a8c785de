#include "yona/tensor/operand.h"

#include "yona/backend/cpu/features.h"

namespace yona {

namespace {

bool wants_rounding(const Tensor& x, const Context& c) {
  return c.precision != Precision::f32 && x.dtype() == DType::f32 && !rounds_operands(c);
}

}  // namespace

bool rounds_operands(const Context& c) {
  return c.backend().planned_device() == Device::cpu && cpu_has_amx();
}

View operand(const Tensor& x, Context& c) {
  if (wants_rounding(x, c) && x.covers_storage() && !x.storage()->rounded) {
    const std::int64_t rows = (x.rows() + kRoundedRows - 1) / kRoundedRows * kRoundedRows;
    const Tensor copy = c.empty(c.operand_type(), Shape{rows, x.cols()});
    c.kernels().round_bf16({.x = x.view(), .y = copy.view()}, c.exec());
    x.storage()->rounded = copy.storage();
    x.storage()->rounded_type = copy.dtype();
  }
  return x.covers_storage() ? operand_part(x, c) : x.view();
}

View operand_part(const Tensor& x, Context& c) {
  View view = x.view();
  const Storage& storage = *x.storage();
  if (wants_rounding(x, c) && storage.rounded && storage.rounded_type == c.operand_type()) {
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
  if (!wants_rounding(weight, c) || weight.storage()->rounded) {
    return;
  }
  storage_ = weight.storage();
  const std::int64_t count = storage_->bytes / static_cast<std::int64_t>(sizeof(float));
  Tensor copy = c.empty(c.operand_type(), Shape{1, count});
  c.kernels().round_bf16({.x = {storage_->data, 1, count, count, DType::f32}, .y = copy.view()},
                         c.exec());
  storage_->rounded = copy.storage();
  storage_->rounded_type = copy.dtype();
}

RoundedWeights::~RoundedWeights() {
  if (storage_) {
    storage_->rounded = StoragePtr();
  }
}

}  // namespace yona
