// A time step of recurrent units, what a convolution multiplies, and their gradients on the device:
// in f32 and bf16, at widths around packs and chunks.

#include "yona/base/enum_names.h"

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

constexpr DType kStepTypes[] = {DType::f32, DType::bf16};
constexpr std::int64_t kStepWidths[] = {1, 7, 8, 100, 257};

class CudaRecurrent : public CudaTest {
 protected:
  static constexpr std::int64_t kRows = 37;

  // The matrices of a step and of its gradient; those that stay f32 do so.
  struct Step {
    Step(Cell kind, std::int64_t d, DType dtype)
        : cell(kind),
          input(kRows, gates_of(kind) * d, dtype, 1, -2.0, 2.0),
          hidden(kRows, gates_of(kind) * d, dtype, 2),
          h_before(kRows, d, dtype, 3),
          h(kRows, d, dtype, 4),
          dh(kRows, d, dtype, 5),
          dinput(kRows, gates_of(kind) * d, dtype, 6),
          dhidden(kRows, gates_of(kind) * d, dtype, 7),
          dh_before(kRows, d, dtype, 8),
          c_before(kRows, d, DType::f32, 9),
          kept(kRows, d, DType::f32, 10),
          dc(kRows, d, DType::f32, 11) {}

    RecurrentStepArgs forward(bool on) const {
      return {.cell = cell,
              .input = input.view(on),
              .hidden = hidden.view(on),
              .h_before = h_before.view(on),
              .c_before = c_before.view(on),
              .h = h.view(on),
              .kept = kept.view(on)};
    }
    RecurrentStepBackwardArgs backward(bool on) const {
      return {.forward = forward(on),
              .dh = dh.view(on),
              .dc = dc.view(on),
              .dinput = dinput.view(on),
              .dhidden = dhidden.view(on),
              .dh_before = dh_before.view(on)};
    }

    Cell cell;
    Both input, hidden, h_before, h, dh, dinput, dhidden, dh_before, c_before, kept, dc;
  };
};

TEST_F(CudaRecurrent, StepsAndTheirGradientsAreTheReferences) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::tanh}) {
    for (const DType dtype : kStepTypes) {
      for (const std::int64_t d : kStepWidths) {
        SCOPED_TRACE(::testing::Message() << enum_name(cell) << " " << d << " " << name_of(dtype));
        const Step step(cell, d, dtype);
        run(&Kernels::recurrent_step, [&](bool on) { return step.forward(on); });
        step.h.expect_equal("h");
        step.input.expect_equal("gates");
        const double kept_tolerance = tolerance_of(dtype);
        if (cell != Cell::tanh) {
          step.kept.expect_equal("kept", kept_tolerance);
        }
        // Both go on from what the device has, so that its rounding counts once.
        for (const Both* made : {&step.h, &step.input, &step.kept}) {
          made->set(made->device_values());
        }
        run(&Kernels::recurrent_step_backward, [&](bool on) { return step.backward(on); });
        step.dinput.expect_equal("dinput");
        if (cell == Cell::gru) {
          step.dhidden.expect_equal("dhidden");
          step.dh_before.expect_equal("dh_before");
        }
        if (cell == Cell::lstm) {
          step.dc.expect_equal("dc", kept_tolerance);
        }
      }
    }
  }
}

TEST_F(CudaRecurrent, NeighboursAndTheirGradientsAreTheReferences) {
  std::vector<std::int32_t> positions;
  for (const std::int32_t length : {5, 1, 40, 3, 17}) {
    for (std::int32_t t = 0; t < length; ++t) {
      positions.push_back(t);
    }
  }
  const auto tokens = static_cast<std::int64_t>(positions.size());
  const Numbers<std::int32_t> places(positions);
  struct Reach {
    std::int64_t width, dilation, first;
  };
  for (const Reach reach : {Reach{3, 1, -1}, Reach{3, 4, -8}, Reach{1, 1, 0}, Reach{5, 2, -4}}) {
    for (const DType dtype : kStepTypes) {
      for (const std::int64_t d : kStepWidths) {
        SCOPED_TRACE(::testing::Message()
                     << reach.width << " " << reach.dilation << " " << d << " " << name_of(dtype));
        const Both x(tokens, d, dtype, 1);
        const Both y(tokens, reach.width * d, dtype, 2);
        const auto args = [&](bool on) {
          return NeighboursArgs{.x = x.view(on),
                                .y = y.view(on),
                                .positions = places.data(on),
                                .width = reach.width,
                                .dilation = reach.dilation,
                                .first = reach.first};
        };
        run(&Kernels::neighbours, args);
        y.expect_equal("y", 0.0);
        const Both dy(tokens, reach.width * d, dtype, 3);
        for (const bool accumulate : {false, true}) {
          const Both dx(tokens, d, dtype, 4);
          run(&Kernels::neighbours_backward, [&](bool on) {
            return NeighboursBackwardArgs{.forward = args(on),
                                          .dy = dy.view(on),
                                          .dx = dx.view(on),
                                          .accumulate = accumulate};
          });
          dx.expect_equal("dx");
        }
      }
    }
  }
}

}  // namespace
}  // namespace yona::testing
