#include <gtest/gtest.h>

#include "yona/backend/cpu/features.h"
#include "yona/base/json.h"

#include "tests/cli/program.h"

namespace yona::testing {
namespace {

std::vector<std::string> small_bench(const std::string& type) {
  return {"bench",     "translate", "--preset",  "tiny", "--vocab-size",   "50",
          "--src-len", "4",         "--new",     "3",    "--reps",         "1",
          "--batch",   "2",         "--threads", "1",    "--compute-type", type};
}

Json compute_of(const std::string& type) {
  const ProgramResult result = run_yona(small_bench(type));
  EXPECT_EQ(result.code, 0) << result.err;
  return Json::parse(result.out).at("compute");
}

TEST(ComputeType, IsWhatIsAskedForOnACpu) {
  EXPECT_EQ(compute_of("f32"), "float32");
  EXPECT_EQ(compute_of("int8"), "int8");
  EXPECT_EQ(compute_of("auto"), int8_is_faster() ? "int8" : "float32");
}

TEST(ComputeType, IsF32WhereNobodyAsks) {
  std::vector<std::string> arguments = small_bench("");
  arguments.resize(arguments.size() - 2);
  const ProgramResult result = run_yona(arguments);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out).at("compute"), "float32");
}

TEST(ComputeType, OfBf16FallsBackWhereTheCpuHasNone) {
  const ProgramResult result = run_yona(small_bench("bf16"));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out).at("compute"), cpu_has_bf16() ? "bfloat16" : "float32");
  EXPECT_EQ(result.err.find("this CPU has no bf16 instructions; f32 is used") == std::string::npos,
            cpu_has_bf16());
}

TEST(ComputeType, SaysWhatItCannotBe) {
  const ProgramResult on_cpu = run_yona(small_bench("f16"));
  EXPECT_EQ(on_cpu.code, 2);
  EXPECT_EQ(on_cpu.err,
            "yona: --compute-type: f16 decodes on GPUs alone; use f32, or the device cuda\n");
  std::vector<std::string> arguments = small_bench("int8");
  arguments.insert(arguments.end(), {"--device", "cuda"});
  const ProgramResult on_gpu = run_yona(arguments);
  EXPECT_EQ(on_gpu.code, 2);
  EXPECT_EQ(on_gpu.err,
            "yona: --compute-type: int8 decodes on CPUs alone; use bf16, or the device cpu\n");
  const ProgramResult unknown = run_yona(small_bench("int4"));
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err,
            "yona: --compute-type: expected auto, f32, bf16, f16 or int8 (did you mean int8?), got "
            "'int4'\n");
}

}  // namespace
}  // namespace yona::testing
