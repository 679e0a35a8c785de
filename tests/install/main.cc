// A program outside yona's tree: includes installed headers, links yona::yona, prints what the test
// expects. It lays out the paper's base model on the device that computes nothing, to count it.

#include <memory>

#include <fmt/format.h>

#include "yona/backend/backend.h"
#include "yona/base/error.h"
#include "yona/models/transformer.h"
#include "yona/nn/parameters.h"

int main() {
  yona::TransformerConfig config = yona::preset("base");
  config.source_vocabulary = config.target_vocabulary = 37000;
  const std::unique_ptr<yona::Backend> backend = yona::make_backend("meta");
  yona::Transformer model(config);
  const yona::Parameters parameters(model, *backend, yona::Gradients::no);
  fmt::print("base has {:.1f} M parameters\n", static_cast<double>(parameters.count()) * 1e-6);

  try {
    yona::preset("huge");
  } catch (const yona::InvalidArgument& error) {
    fmt::print("refused: {}\n", error.what());
  }
}
