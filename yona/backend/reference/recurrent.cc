// One time step of recurrent units, row by row, and its gradients.

#include <cmath>

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// Channel j of row i, whose gates are d apart.
template <class T>
struct StepChannel {
  const RecurrentStepArgs& args;
  std::int64_t i, j;

  std::int64_t d() const { return args.h.cols; }
  T& gate(int k) const { return args.input.row<T>(i)[k * d() + j]; }
  double sum(int k) const { return double{gate(k)} + double{args.hidden.row<T>(i)[k * d() + j]}; }
  double c_before() const { return args.c_before ? double{args.c_before.row<T>(i)[j]} : 0.0; }
};

template <class T>
void forward_channel(const RecurrentStepArgs& args, std::int64_t i, std::int64_t j) {
  const StepChannel<T> at{args, i, j};
  T& h = args.h.row<T>(i)[j];
  if (args.cell == Cell::lstm) {
    const double in = logistic(at.sum(0));
    const double forget = logistic(at.sum(1));
    const double g = std::tanh(at.sum(2));
    const double out = logistic(at.sum(3));
    const double cell = forget * at.c_before() + in * g;
    at.gate(0) = static_cast<T>(in);
    at.gate(1) = static_cast<T>(forget);
    at.gate(2) = static_cast<T>(g);
    at.gate(3) = static_cast<T>(out);
    args.kept.row<T>(i)[j] = static_cast<T>(cell);
    h = static_cast<T>(out * std::tanh(cell));
  } else if (args.cell == Cell::gru) {
    const double r = logistic(at.sum(0));
    const double z = logistic(at.sum(1));
    const double u_n = double{args.hidden.row<T>(i)[2 * at.d() + j]};
    const double m = std::tanh(double{at.gate(2)} + r * u_n);
    at.gate(0) = static_cast<T>(r);
    at.gate(1) = static_cast<T>(z);
    at.gate(2) = static_cast<T>(m);
    args.kept.row<T>(i)[j] = static_cast<T>(u_n);
    h = static_cast<T>((1 - z) * m + z * double{args.h_before.row<T>(i)[j]});
  } else {
    h = static_cast<T>(std::tanh(at.sum(0)));
    at.gate(0) = h;
  }
}

// lstm: with t = tanh(c), the gradient of c is dc + dh o (1 - t²); through σ goes y (1 - y),
// through tanh 1 - y².
template <class T>
void backward_channel(const RecurrentStepBackwardArgs& args, std::int64_t i, std::int64_t j) {
  const StepChannel<T> at{args.forward, i, j};
  const double dh = double{args.dh.row<T>(i)[j]};
  const auto put = [&](const View& to, int k, double value) {
    to.row<T>(i)[k * at.d() + j] = static_cast<T>(value);
  };
  if (args.forward.cell == Cell::lstm) {
    const double in = at.gate(0);
    const double forget = at.gate(1);
    const double g = at.gate(2);
    const double out = at.gate(3);
    const double t = std::tanh(double{args.forward.kept.row<T>(i)[j]});
    T& carried = args.dc.row<T>(i)[j];
    const double dc = double{carried} + dh * out * (1 - t * t);
    put(args.dinput, 0, dc * g * in * (1 - in));
    put(args.dinput, 1, dc * at.c_before() * forget * (1 - forget));
    put(args.dinput, 2, dc * in * (1 - g * g));
    put(args.dinput, 3, dh * t * out * (1 - out));
    carried = static_cast<T>(dc * forget);
  } else if (args.forward.cell == Cell::gru) {
    const double r = at.gate(0);
    const double z = at.gate(1);
    const double m = at.gate(2);
    const double u_n = double{args.forward.kept.row<T>(i)[j]};
    const double dn = dh * (1 - z) * (1 - m * m);
    const double dr = dn * u_n * r * (1 - r);
    const double dz = dh * (double{args.forward.h_before.row<T>(i)[j]} - m) * z * (1 - z);
    for (const View& to : {args.dinput, args.dhidden}) {
      put(to, 0, dr);
      put(to, 1, dz);
    }
    put(args.dinput, 2, dn);
    put(args.dhidden, 2, dn * r);
    args.dh_before.row<T>(i)[j] += static_cast<T>(z * dh);
  } else {
    const double h = at.gate(0);
    put(args.dinput, 0, dh * (1 - h * h));
  }
}

void step_forward(const RecurrentStepArgs& args, Exec& /*exec*/) {
  with_type(args.h.dtype, "recurrent_step", [&](auto t) {
    for (std::int64_t i = 0; i < args.h.rows; ++i) {
      for (std::int64_t j = 0; j < args.h.cols; ++j) {
        forward_channel<decltype(t)>(args, i, j);
      }
    }
  });
}

void step_backward(const RecurrentStepBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.dh.dtype, "recurrent_step_backward", [&](auto t) {
    for (std::int64_t i = 0; i < args.dh.rows; ++i) {
      for (std::int64_t j = 0; j < args.dh.cols; ++j) {
        backward_channel<decltype(t)>(args, i, j);
      }
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.recurrent_step = step_forward;
  table.recurrent_step_backward = step_backward;
});

}  // namespace
}  // namespace yona::reference
