#include "yona/data/images/rand_augment.h"

#include <set>

#include <gtest/gtest.h>

#include "yona/io/json_file.h"

namespace yona::testing {
namespace {

std::vector<std::uint8_t> bytes_of(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

Picture picture_of(const Json& json) {
  Picture picture(ImageShape{json["height"], json["width"], json["channels"]});
  picture.pixels = bytes_of(json["pixels"]);
  return picture;
}

PictureOperation operation_of(const std::string& name) {
  const auto names = enum_names(PictureOperation{});
  return static_cast<PictureOperation>(std::find(names.begin(), names.end(), name) - names.begin());
}

Json fixture() { return read_json(std::filesystem::path(YONA_FIXTURES) / "rand_augment.json"); }

TEST(RandAugment, OperationsAreThoseOfPillow) {
  const Json json = fixture();
  std::set<std::string> seen;
  for (const Json& each : json["cases"]) {
    const Picture picture = picture_of(json["pictures"][each["picture"].get<std::string>()]);
    const Picture got =
        changed(picture, operation_of(each["operation"]), each["strength"].get<double>());
    EXPECT_EQ(got.pixels, bytes_of(each["pixels"]))
        << each["picture"] << " " << each["operation"] << " " << each["strength"];
    EXPECT_EQ(got.shape, picture.shape);
    seen.insert(each["operation"].get<std::string>());
  }
  EXPECT_EQ(seen.size(), enum_names(PictureOperation{}).size());
}

TEST(RandAugment, DrawsOperationsFromItsSequenceAlone) {
  const Picture picture = picture_of(fixture()["pictures"]["color"]);
  std::set<std::vector<std::uint8_t>> different;
  for (std::uint64_t key = 0; key < 20; ++key) {
    RandomSequence one(key);
    RandomSequence again(key);
    const RandAugment options{.operations = 2, .magnitude = 9};
    const Picture got = rand_augmented(picture, options, one);
    EXPECT_EQ(got.pixels, rand_augmented(picture, options, again).pixels);
    different.insert(got.pixels);
  }
  EXPECT_GT(different.size(), 10U);
  RandomSequence random(1);
  EXPECT_EQ(rand_augmented(picture, {}, random).pixels, picture.pixels);
}

}  // namespace
}  // namespace yona::testing
