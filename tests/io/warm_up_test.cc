#include "yona/io/warm_up.h"

#include <gtest/gtest.h>

#include "tests/harness/small_model.h"

namespace yona {
namespace {

// Each way to load reads weights when they are used; afterwards the file may go.
TEST(WarmUp, ReadsWhatTheFileHas) {
  const testing::SmallModel small;
  const std::filesystem::path weights = small.path() / "model.safetensors";
  const std::string content = testing::read_bytes(weights);
  const auto backend = make_backend("cpu");
  for (const Packing packing : {Packing::no, Packing::yes, Packing::int8}) {
    const auto model = TranslationModel::load(small.path(), *backend, packing);
    warm_up(*model, *backend);
    testing::write_bytes(weights, "overwritten");
    EXPECT_NO_THROW(warm_up(*model, *backend));
    testing::write_bytes(weights, content);
  }
}

}  // namespace
}  // namespace yona
