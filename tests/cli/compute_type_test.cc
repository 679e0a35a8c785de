#include <gtest/gtest.h>

#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

std::vector<std::string> small_bench(const std::string& type) {
  return {"bench",     "translate", "--preset",  "tiny", "--vocab-size",   "50",
          "--src-len", "4",         "--new",     "3",    "--reps",         "1",
          "--batch",   "2",         "--threads", "1",    "--compute-type", type};
}

TEST(ComputeType, IsF32OnACpu) {
  for (const char* type : {"auto", "f32"}) {
    const ProgramResult result = run_yona(small_bench(type));
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(Json::parse(result.out).at("compute"), "float32");
  }
}

TEST(ComputeType, SaysWhatItCannotBe) {
  for (const std::string type : {"bf16", "f16"}) {
    const ProgramResult on_cpu = run_yona(small_bench(type));
    EXPECT_EQ(on_cpu.code, 2);
    EXPECT_EQ(on_cpu.err, "yona: --compute-type: " + type +
                              " decodes on GPUs alone; use f32, or --device cuda\n");
  }
  const ProgramResult unknown = run_yona(small_bench("int4"));
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err,
            "yona: --compute-type: 'int4' is given; expected auto, f32, bf16 or f16\n");
}

}  // namespace
}  // namespace yona::testing
