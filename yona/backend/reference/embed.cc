// Embedding, position and dropout; and the gradients of both tables.

#include <algorithm>
#include <vector>

#include "yona/backend/panels.h"
#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

template <class T>
T masked(const EmbedArgs& args, std::int64_t row, std::int64_t channel, T value) {
  if (!args.dropout) {
    return value;
  }
  return keeps(args.dropout, args.row_keys[row], channel)
             ? value * static_cast<T>(args.dropout.scale)
             : T{0};
}

template <class T>
void forward(const EmbedArgs& args) {
  std::vector<T> word(static_cast<std::size_t>(args.y.cols));
  for (std::int64_t i = 0; i < args.y.rows; ++i) {
    if (args.ids[i] == args.padding_id) {
      std::fill(word.begin(), word.end(), T{0});
    } else if (args.int8.values) {
      std::vector<float> bytes(word.size());
      copy_int8_row(args.int8, args.ids[i], args.y.cols, bytes.data());
      std::copy(bytes.begin(), bytes.end(), word.begin());
    } else if (args.packed) {
      copy_packed_row(args.table, args.ids[i], word.data());
    } else {
      std::copy_n(args.table.row<T>(args.ids[i]), args.y.cols, word.begin());
    }
    for (std::int64_t j = 0; j < args.y.cols; ++j) {
      T value = static_cast<T>(args.scale) * word[static_cast<std::size_t>(j)];
      if (args.positions) {
        value += args.positions.row<T>(args.position_ids[i])[j];
      }
      args.y.row<T>(i)[j] = masked(args, i, j, value);
    }
  }
}

template <class T>
void backward(const EmbedBackwardArgs& args) {
  const EmbedArgs& forward = args.forward;
  for (std::int64_t i = 0; i < forward.y.rows; ++i) {
    for (std::int64_t j = 0; j < forward.y.cols; ++j) {
      const T dy = masked(forward, i, j, forward.y.row<T>(i)[j]);
      if (args.table_gradient && forward.ids[i] != forward.padding_id) {
        args.table_gradient.row<T>(forward.ids[i])[j] += static_cast<T>(forward.scale) * dy;
      }
      if (args.position_gradient) {
        args.position_gradient.row<T>(forward.position_ids[i])[j] += dy;
      }
    }
  }
}

void embed(const EmbedArgs& args, Exec& /*exec*/) {
  with_type(args.y.dtype, "embed", [&](auto t) { forward<decltype(t)>(args); });
}

void embed_backward(const EmbedBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.forward.y.dtype, "embed_backward", [&](auto t) { backward<decltype(t)>(args); });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.embed = embed;
  table.embed_backward = embed_backward;
});

}  // namespace
}  // namespace yona::reference
