#include "yona/tasks/seq2seq/sorted_decoding.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace yona {

std::vector<std::vector<Hypothesis>> decode_sorted(BatchDecoder& decoder,
                                                   std::span<const DecodeRequest> requests,
                                                   std::size_t batch) {
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return requests[a].source.size() < requests[b].source.size();
  });
  std::vector<std::vector<Hypothesis>> outputs(requests.size());
  for (std::size_t begin = 0; begin < order.size(); begin += batch) {
    const std::size_t end = std::min(begin + batch, order.size());
    std::vector<DecodeRequest> together;
    for (std::size_t i = begin; i < end; ++i) {
      together.push_back(requests[order[i]]);
    }
    std::vector<std::vector<Hypothesis>> answers = decoder.decode(together);
    for (std::size_t i = begin; i < end; ++i) {
      outputs[order[i]] = std::move(answers[i - begin]);
    }
  }
  return outputs;
}

}  // namespace yona
