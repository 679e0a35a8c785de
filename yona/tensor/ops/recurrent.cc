#include "yona/tensor/ops/recurrent.h"

#include <algorithm>
#include <numeric>

#include "yona/tensor/operand.h"
#include "yona/tensor/ops/gather_rows.h"
#include "yona/tensor/ops/linear.h"
#include "yona/tensor/ops/linear_gradients.h"

namespace yona {

namespace {

// Everything of a pass that backward needs. Rows of `states` are the initial ones, then h of every
// step; those of a, which hold the gates after forward, and of `kept` are places in time.
struct RecurrentPass {
  Cell cell;
  Tensor a;
  RecurrentWeights hidden;
  Tensor initial, states, kept;
  TimeOrder order;

  std::int64_t width() const { return states.cols(); }

  // The arguments of the step whose first place is `begin` and whose rows go on from the rows of
  // `states` from `before` on.
  RecurrentStepArgs step(std::int64_t begin, std::int64_t count, std::int64_t before) const {
    const std::int64_t S = order.sentence_count();
    const bool has_cell = cell == Cell::lstm && before >= S;
    return {.cell = cell,
            .input = a.row_range(begin, count).view(),
            .h_before = states.row_range(before, count).view(),
            .c_before = has_cell ? kept.row_range(before - S, count).view() : View{},
            .h = states.row_range(S + begin, count).view(),
            .kept = kept ? kept.row_range(begin, count).view() : View{}};
  }
};

void begin_states(const RecurrentPass& pass, Context& c) {
  const Tensor first = pass.states.row_range(0, pass.order.sentence_count());
  if (pass.initial) {
    c.kernels().add({.a = pass.initial.view(), .y = first.view()}, c.exec());
  } else {
    c.kernels().fill({.y = first.view(), .value = 0.0F}, c.exec());
  }
}

void run_forward(const RecurrentPass& pass, Context& c) {
  begin_states(pass, c);
  Context products = c;
  products.tape = nullptr;
  std::int64_t begin = 0;
  std::int64_t before = 0;
  for (const std::int64_t count : pass.order.counts) {
    const Tensor u = linear(pass.states.row_range(before, count), pass.hidden.weight,
                            pass.hidden.bias, {}, products);  // [count, gates · d]
    RecurrentStepArgs step = pass.step(begin, count, before);
    step.hidden = u.view();
    c.kernels().recurrent_step(step, c.exec());
    before = pass.order.sentence_count() + begin;
    begin += count;
  }
}

// The gradients of all steps, from the last to the first. dh of a step is what its states' users
// gave, and dhidden U of the step after it:
//   dstates[before] += dhidden U,   dU = Σ dhiddenᵀ h',   db' = Σ dhidden
void run_backward(const RecurrentPass& pass, Context& c) {
  const Tensor dstates = pass.states.gradient();
  if (!dstates) {
    return;
  }
  const std::int64_t S = pass.order.sentence_count();
  const std::int64_t T = pass.order.tokens();
  const GradientTarget da = gradient_target(pass.a, c.region);
  check(da.tensor && !da.accumulate, "recurrent: its input is used elsewhere");
  const bool is_gru = pass.cell == Cell::gru;
  const Tensor dhidden = is_gru ? c.empty(da.tensor.dtype(), da.tensor.shape()) : da.tensor;
  const Tensor dc =
      pass.cell == Cell::lstm ? c.zeros(pass.kept.dtype(), Shape{S, pass.width()}) : Tensor();
  std::int64_t end = T;
  for (auto step = pass.order.counts.rbegin(); step != pass.order.counts.rend(); ++step) {
    const std::int64_t count = *step;
    const std::int64_t begin = end - count;
    const bool is_first = std::next(step) == pass.order.counts.rend();
    const std::int64_t before = is_first ? 0 : S + begin - *std::next(step);
    const Tensor du = dhidden.row_range(begin, count);
    const Tensor dbefore = dstates.row_range(before, count);
    c.kernels().recurrent_step_backward({.forward = pass.step(begin, count, before),
                                         .dh = dstates.row_range(S + begin, count).view(),
                                         .dc = dc ? dc.row_range(0, count).view() : View{},
                                         .dinput = da.tensor.row_range(begin, count).view(),
                                         .dhidden = is_gru ? du.view() : View{},
                                         .dh_before = is_gru ? dbefore.view() : View{}},
                                        c.exec());
    if (!is_first || pass.initial) {
      c.kernels().matmul({.a = operand(du, c),
                          .b = weight_operand(pass.hidden.weight, c),
                          .c = dbefore.view(),
                          .accumulate = true,
                          .precision = c.precision},
                         c.exec());
    }
    end = begin;
  }
  if (const View db = gradient_sum(pass.hidden.bias, c.region); db) {
    c.kernels().bias_activation_backward({.dy = dhidden.view(), .bias_gradient = db}, c.exec());
  }
  const Tensor before = c.empty(pass.states.dtype(), Shape{T, pass.width()});
  c.kernels().gather_rows(
      {.x = pass.states.view(), .y = before.view(), .rows = pass.order.before.data<std::int32_t>()},
      c.exec());
  add_weight_gradient(pass.hidden.weight, dhidden, before, c);
  if (const GradientTarget first = gradient_target(pass.initial, c.region); first.tensor) {
    c.kernels().add({.a = dstates.row_range(0, S).view(),
                     .b = first.accumulate ? first.view() : View{},
                     .y = first.view()},
                    c.exec());
  }
}

}  // namespace

Tensor row_numbers(const std::vector<std::int32_t>& rows, Region& region) {
  Tensor tensor(region, DType::i32, Shape{static_cast<std::int64_t>(rows.size())});
  tensor.upload(rows);
  return tensor;
}

std::vector<std::int64_t> host_offsets(const Layout& layout, Backend& backend) {
  if (!backend.exec().dry_run) {
    return layout.offsets.to_vector<std::int64_t>();
  }
  std::vector<std::int64_t> offsets{0};
  for (std::int64_t s = 1; s <= layout.sentences; ++s) {
    offsets.push_back(layout.tokens * s / layout.sentences);
  }
  return offsets;
}

TimeOrder time_order(const Layout& layout, Direction direction, Region& region) {
  const std::vector<std::int64_t> offsets = host_offsets(layout, region.backend());
  std::vector<std::int64_t> sentences(static_cast<std::size_t>(layout.sentences));
  std::iota(sentences.begin(), sentences.end(), std::int64_t{0});
  const auto length = [&](std::int64_t sentence) {
    const auto s = static_cast<std::size_t>(sentence);
    return offsets[s + 1] - offsets[s];
  };
  std::stable_sort(sentences.begin(), sentences.end(),
                   [&](std::int64_t a, std::int64_t b) { return length(a) > length(b); });
  TimeOrder order;
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> before;
  std::vector<std::int64_t> places(static_cast<std::size_t>(layout.tokens));
  std::int64_t first_before = 0;  // of the step before
  for (std::int64_t t = 0; static_cast<std::int64_t>(rows.size()) < layout.tokens; ++t) {
    const auto begin = static_cast<std::int64_t>(rows.size());
    for (std::size_t i = 0; i < sentences.size() && length(sentences[i]) > t; ++i) {
      const auto s = static_cast<std::size_t>(sentences[i]);
      const std::int64_t row =
          direction == Direction::forward ? offsets[s] + t : offsets[s + 1] - 1 - t;
      places[static_cast<std::size_t>(row)] = static_cast<std::int64_t>(rows.size());
      rows.push_back(row);
      before.push_back(first_before + static_cast<std::int64_t>(i));
    }
    order.counts.push_back(static_cast<std::int64_t>(rows.size()) - begin);
    first_before = layout.sentences + begin;
  }
  const auto uploaded = [&](const std::vector<std::int64_t>& values) {
    return row_numbers({values.begin(), values.end()}, region);
  };
  order.rows = uploaded(rows);
  order.places = uploaded(places);
  order.sentences = uploaded(sentences);
  order.before = uploaded(before);
  return order;
}

Tensor recurrent(Cell cell, const Tensor& a, const RecurrentWeights& hidden, const Tensor& initial,
                 const TimeOrder& order, Context& c) {
  const std::int64_t d = hidden.weight.cols();
  check(a.cols() == gates_of(cell) * d && hidden.weight.rows() == a.cols() &&
            a.rows() == order.tokens() && a.covers_storage(),
        "recurrent: input {} of {} tokens does not fit weight {}", a.shape(), order.tokens(),
        hidden.weight.shape());
  check(!initial || (initial.rows() == order.sentence_count() && initial.cols() == d),
        "recurrent: initial states {} of {} sentences", initial.shape(), order.sentence_count());
  const Tensor states = c.empty(a.dtype(), Shape{order.sentence_count() + a.rows(), d});
  const RecurrentPass pass{
      cell,   a,
      hidden, initial,
      states, cell == Cell::tanh ? Tensor() : c.empty(sum_type(a.dtype()), Shape{a.rows(), d}),
      order};
  run_forward(pass, c);
  if (records(c, a, hidden.weight, hidden.bias, initial)) {
    states.set_requires_gradient();
    c.tape->record([pass, &c] { run_backward(pass, c); });
  }
  return states.row_range(order.sentence_count(), a.rows());
}

RecurrentState recurrent_step(Cell cell, const Tensor& a, const RecurrentWeights& hidden,
                              const RecurrentState& before, Context& c) {
  const Tensor u = linear(before.h, hidden.weight, hidden.bias, {}, c);  // [rows, gates · d]
  const Shape shape{a.rows(), hidden.weight.cols()};
  RecurrentState next{c.empty(a.dtype(), shape), c.empty(sum_type(a.dtype()), shape)};
  c.kernels().recurrent_step({.cell = cell,
                              .input = a.view(),
                              .hidden = u.view(),
                              .h_before = before.h.view(),
                              .c_before = before.c ? before.c.view() : View{},
                              .h = next.h.view(),
                              .kept = next.c.view()},
                             c.exec());
  return next;
}

}  // namespace yona
