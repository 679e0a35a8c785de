#include "yona/tasks/question_answering/memory_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"
#include "yona/models/memory_network.h"

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

MemoryNetworkConfig folder_config(std::int64_t vocabulary, MemoryTying tying) {
  MemoryNetworkConfig config;
  config.vocabulary = vocabulary;
  config.d_model = 8;
  config.tying = tying;
  return config;
}

TEST(MemoryFolder, WeightsAreReadAsTheyWereWritten) {
  const TempDir folder;
  MemoryNetwork first(folder_config(5, MemoryTying::layer_wise));
  Parameters written(first, shared_backend("cpu"), Gradients::no);
  written.initialise(4);
  write_memory_weights(folder / "model.safetensors", written);
  MemoryNetwork second(folder_config(5, MemoryTying::layer_wise));
  Parameters read(second, shared_backend("cpu"), Gradients::no);
  read_memory_weights(folder.path(), read);
  EXPECT_EQ(values_of(read.weights()), values_of(written.weights()));
}

TEST(MemoryFolder, WeightsOfAnotherModelAreNamed) {
  const TempDir folder;
  MemoryNetwork first(folder_config(5, MemoryTying::adjacent));
  Parameters written(first, shared_backend("cpu"), Gradients::no);
  written.initialise(4);
  write_memory_weights(folder / "model.safetensors", written);
  MemoryNetwork larger(folder_config(6, MemoryTying::adjacent));
  const Parameters of_larger(larger, shared_backend("cpu"), Gradients::no);
  EXPECT_THAT(message_of<FormatError>([&] { read_memory_weights(folder.path(), of_larger); }),
              HasSubstr("tensor 'embeddings.0.weight' has shape"));
  MemoryNetwork other(folder_config(5, MemoryTying::layer_wise));
  const Parameters of_other(other, shared_backend("cpu"), Gradients::no);
  EXPECT_THAT(message_of<FormatError>([&] { read_memory_weights(folder.path(), of_other); }),
              HasSubstr("the weights have no tensor 'transform.weight'"));
}

TEST(MemoryFolder, TheConfigurationIsReadAsItWasWritten) {
  const TempDir folder;
  MemoryNetworkConfig config = folder_config(2, MemoryTying::layer_wise);
  config.temporal_encoding = false;
  config.memory = 7;
  write_json(folder / "config.json", memory_network_config(config, {"kitchen", "mary"}));
  const MemoryNetworkInfo info = read_memory_info(folder.path());
  EXPECT_EQ(info.words, (std::vector<std::string>{"kitchen", "mary"}));
  EXPECT_EQ(info.config.vocabulary, 2);
  EXPECT_EQ(info.config.tying, MemoryTying::layer_wise);
  EXPECT_EQ(info.config.memory, 7);
  EXPECT_FALSE(info.config.temporal_encoding);
  EXPECT_TRUE(info.config.position_encoding);
  write_json(folder / "config.json", {{"model_type", "gpt2"}});
  EXPECT_THAT(message_of<FormatError>([&] { read_memory_info(folder.path()); }),
              HasSubstr("config.json: is not that of a memory network"));
}

TEST(MemoryFolder, TheConfigurationHasTheWords) {
  const Json config =
      memory_network_config(folder_config(2, MemoryTying::layer_wise), {"kitchen", "mary"});
  EXPECT_EQ(config["yona"]["words"], Json::array({"kitchen", "mary"}));
  EXPECT_EQ(config["yona"]["tying"], "layer-wise");
}

}  // namespace
}  // namespace yona::testing
