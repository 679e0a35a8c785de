#include "yona/io/int8_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/decode/translator.h"
#include "yona/io/int8_weights_file.h"
#include "yona/io/json_file.h"
#include "yona/io/model_memory.h"

#include "tests/harness/file_size_limit.h"
#include "tests/harness/op_case.h"
#include "tests/harness/small_model.h"

namespace yona::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Int8Folder : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = std::make_unique<SmallModel>(); }
  static void TearDownTestSuite() { model_.reset(); }

  static std::vector<std::string> translated(const std::filesystem::path& folder, Packing packing) {
    const auto model = TranslationModel::load(folder, shared_backend("cpu"), packing);
    Translator translator({model.get()}, shared_backend("cpu"), {.beam = 3});
    return translator.translate({model_->lines().begin(), model_->lines().begin() + 40});
  }

  inline static std::unique_ptr<SmallModel> model_;
  TempDir folder_;
};

TEST_F(Int8Folder, TranslatesAsItsOriginDoesInInt8) {
  const std::filesystem::path made = folder_ / "deep" / "int8";
  write_int8_folder(model_->path(), made, shared_backend("cpu"));
  EXPECT_EQ(translated(made, Packing::int8), translated(model_->path(), Packing::int8));
}

TEST_F(Int8Folder, AgreesWithF32OnNearlyAllLines) {
  const auto exact = translated(model_->path(), Packing::yes);
  const auto bytes = translated(model_->path(), Packing::int8);
  int equal = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    equal += exact[i] == bytes[i] ? 1 : 0;
  }
  EXPECT_GE(equal, 25) << "of " << exact.size();
}

TEST_F(Int8Folder, SaysWhatItIs) {
  const std::filesystem::path made = folder_ / "int8";
  write_int8_folder(model_->path(), made, shared_backend("cpu"));
  EXPECT_EQ(read_json(made / "config.json")["yona"]["weights"], "int8");
  EXPECT_EQ(read_model_info(made).config.d_model, 32);
  EXPECT_FALSE(std::filesystem::exists(made / "model.safetensors"));
  for (const Packing packing : {Packing::no, Packing::yes}) {
    EXPECT_EQ(message_of<FormatError>(
                  [&] { TranslationModel::load(made, shared_backend("cpu"), packing); }),
              made.string() +
                  ": its weights are int8 alone, made to decode on CPUs (--compute-type int8); use "
                  "the folder that `yona convert` made it from");
  }
}

TEST_F(Int8Folder, TakesTheMemoryOfItsFile) {
  const std::filesystem::path made = folder_ / "int8";
  write_int8_folder(model_->path(), made, shared_backend("cpu"));
  const TransformerConfig config = read_model_info(made).config;
  EXPECT_EQ(weight_memory(made, config, 1000, Packing::int8),
            static_cast<std::int64_t>(std::filesystem::file_size(made / kInt8File)));
  EXPECT_EQ(weight_memory(model_->path(), config, 1000, Packing::int8), 1000);
}

TEST_F(Int8Folder, IsMadeFromFoldersWithAConfigAlone) {
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                write_int8_folder(folder_.path(), folder_ / "int8", shared_backend("cpu"));
              }),
              HasSubstr("has no config.json; only folders with one convert"));
}

TEST_F(Int8Folder, SaysThatTheDiskIsFullWhileSmallFilesAreCopied) {
  const std::filesystem::path made = folder_ / "int8";
  const FileSizeLimit limit(4096);  // config.json fits, sub-words do not
  EXPECT_THAT(
      message_of<IoError>([&] { write_int8_folder(model_->path(), made, shared_backend("cpu")); }),
      AllOf(HasSubstr("cannot write"), HasSubstr("File too large")));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(Int8Folder, IsNotPutOverAnother) {
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                write_int8_folder(model_->path(), folder_.path(), shared_backend("cpu"));
              }),
              HasSubstr("already exists; name a new folder"));
}

}  // namespace
}  // namespace yona::testing
