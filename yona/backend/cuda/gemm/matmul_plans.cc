#include "yona/backend/cuda/gemm/matmul_plans.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <vector>

namespace yona::cuda {

namespace {

// Numbers of tokens differ from batch to batch. They are rounded up to one of kSteps steps between
// powers of two; the best algorithm rarely changes within a step.
constexpr std::int64_t kSteps = 64;
constexpr std::int64_t kMeasuredSteps = 4;

std::int64_t bucket_of(std::int64_t tokens, std::int64_t steps) {
  constexpr std::int64_t kSmallest = 64;
  if (tokens <= kSmallest) {
    return kSmallest;
  }
  const auto floor = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(tokens)));
  const std::int64_t step = std::max(floor / steps, std::int64_t{16});
  return (tokens + step - 1) / step * step;
}

Product bucketed(Product product, std::int64_t steps) {
  if (product.tokens == Tokens::cols) {
    product.cols = bucket_of(product.cols, steps);
  } else if (product.tokens == Tokens::depth) {
    product.depth = bucket_of(product.depth, steps);
  }
  return product;
}

// The name of a shape's bucket among the choices.
std::string name_of(const Product& shape) {
  const Product p = bucketed(shape, kMeasuredSteps);
  return fmt::format("{}x{}x{} ld {},{},{} {}{}{}{}{} tokens {} types {},{} aligned {},{},{}",
                     p.rows, p.cols, p.depth, p.lda, p.ldb, p.ldd, p.transpose_a ? 't' : 'n',
                     p.transpose_b ? 't' : 'n', p.accumulate ? '+' : '=', p.bias ? 'b' : '-',
                     p.relu ? 'r' : '-', static_cast<int>(p.tokens), p.operands, p.result,
                     p.alignment_a, p.alignment_b, p.alignment_d);
}

constexpr std::string_view kWithoutWorkspace = " without workspace";

// cuBLASLt's algorithms are eight opaque numbers, valid for its version.
std::string text_of(const Algorithm& algorithm) {
  std::string text;
  for (const std::uint64_t word : algorithm.numbers.data) {
    text += fmt::format("{:016x}", word);
  }
  return text.append(algorithm.workspace == Workspace::none ? kWithoutWorkspace : "");
}

bool read_algorithm(std::string_view text, Algorithm& from) {
  constexpr std::size_t kDigits = 16;
  cublasLtMatmulAlgo_t& algorithm = from.numbers;
  from.workspace = Workspace::whole;
  if (text.ends_with(kWithoutWorkspace)) {
    from.workspace = Workspace::none;
    text.remove_suffix(kWithoutWorkspace.size());
  }
  if (text.size() != std::size(algorithm.data) * kDigits) {
    return false;
  }
  for (std::uint64_t& word : algorithm.data) {
    if (std::from_chars(text.data(), text.data() + kDigits, word, 16).ptr !=
        text.data() + kDigits) {
      return false;
    }
    text.remove_prefix(kDigits);
  }
  return true;
}

// What choices hold for.
std::string machine() {
  int device = 0;
  cudaDeviceProp properties{};
  check_cuda(cudaGetDevice(&device), "asking for the device");
  check_cuda(cudaGetDeviceProperties(&properties, device), "asking for the device");
  return fmt::format("cuBLASLt {} on {}", cublasLtGetVersion(), properties.name);
}

std::filesystem::path file_of(std::string machine) {
  const std::filesystem::path folder = cache_folder();
  std::replace_if(
      machine.begin(), machine.end(), [](char c) { return c == ' ' || c == '/'; }, '-');
  return folder.empty() ? folder : folder / (machine + ".txt");
}

}  // namespace

struct MatmulPlans::Problem {
  const Product& product;
  const ProductAddresses& at;
  cudaStream_t stream;
};

MatmulPlans::MatmulPlans(bool measure) : measure_(measure), choices_(machine()) {
  if (const std::filesystem::path file = file_of(machine()); measure_ && !file.empty()) {
    choices_.keep_in(file);
  }
  check_blas(cublasLtCreate(&handle_), "starting cuBLASLt");
  check_cuda(cudaMalloc(&workspace_, kWorkspaceBytes), "taking the workspace of products");
}

MatmulPlans::~MatmulPlans() {
  for (const auto& [product, plan] : plans_) {
    cublasLtMatmulDescDestroy(plan.operation);
  }
  cudaFree(workspace_);
  cublasLtDestroy(handle_);
}

namespace {

// Memory for results that are thrown away.
class Trial {
 public:
  explicit Trial(const Product& product) {
    const std::int64_t elements = product.ldd * product.cols;
    const auto bytes = static_cast<std::size_t>(elements) * size_of(product.result);
    if (cudaMalloc(&memory_, bytes) != cudaSuccess) {
      cudaGetLastError();  // forgotten: nothing is measured then
      memory_ = nullptr;
      return;
    }
    check_cuda(cudaMemset(memory_, 0, bytes), "clearing memory");
    for (cudaEvent_t& event : events_) {
      check_cuda(cudaEventCreate(&event), "making an event");
    }
  }
  ~Trial() {
    for (cudaEvent_t event : events_) {
      if (event != nullptr) {
        cudaEventDestroy(event);
      }
    }
    cudaFree(memory_);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  void* memory() const { return memory_; }

  // The mean of a few in a row, in milliseconds; infinite when `launch` returns false.
  template <class Launch>
  float time(const Launch& launch, cudaStream_t stream) const {
    constexpr int kTimes = 4;
    if (!launch()) {  // the device has this to do while the others are launched
      return std::numeric_limits<float>::infinity();
    }
    check_cuda(cudaEventRecord(events_[0], stream), "recording an event");
    for (int i = 0; i < kTimes; ++i) {
      launch();
    }
    check_cuda(cudaEventRecord(events_[1], stream), "recording an event");
    check_cuda(cudaEventSynchronize(events_[1]), "the computation");
    float took = 0.0F;
    check_cuda(cudaEventElapsedTime(&took, events_[0], events_[1]), "reading an event");
    return took / kTimes;
  }

 private:
  void* memory_ = nullptr;
  std::array<cudaEvent_t, 2> events_{};
};

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda(cudaStreamIsCapturing(stream, &status), "asking for the stream");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace

void MatmulPlans::choose(const Product& shape, Plan& plan) const {
  const std::vector<Algorithm> first =
      candidates(handle_, shape, plan.operation, Workspace::whole, 1);
  plan.found = !first.empty();
  if (plan.found) {
    plan.algorithm = first.front();
  }
}

// Another than the first choice must be worth it. Small models are bound by launches: short
// products do without a workspace if they are as fast. (Longer ones do not: a step of base gains
// nothing by it, and one of big, whose products use up the GPU's power, loses 1 %.)
std::optional<Algorithm> MatmulPlans::fastest(const Product& shape, const Problem& problem,
                                              const Plan& plan) const {
  constexpr int kMost = 8;
  constexpr float kWorth = 0.98F;
  constexpr float kShort = 0.015F;  // milliseconds
  const Trial trial(problem.product);
  if (trial.memory() == nullptr) {
    return std::nullopt;
  }
  Plan best = plan;
  float least = std::numeric_limits<float>::infinity();
  ProductAddresses at = problem.at;
  at.d = trial.memory();
  const auto try_all = [&](Workspace workspace, float worth) {
    for (const Algorithm& algorithm :
         candidates(handle_, shape, plan.operation, workspace, kMost)) {
      Plan tried = plan;
      tried.algorithm = algorithm;
      const float took = trial.time(
          [&] {
            return suits(handle_, problem.product, plan.operation, algorithm) &&
                   launch(tried, problem.product, at, problem.stream);
          },
          problem.stream);
      if (took < least * worth) {
        least = took;
        best = tried;
      }
    }
  };
  try_all(Workspace::whole, kWorth);
  if (least < kShort) {
    try_all(Workspace::none, 1.0F);
  }
  return best.algorithm;
}

void MatmulPlans::improve(const Product& shape, const Problem& problem, Plan& plan) {
  const std::string name = name_of(shape);
  std::optional<std::string> choice = choices_.find(name);
  if (!choice && measure_ && !is_captured(problem.stream)) {
    if (const auto found = fastest(shape, problem, plan)) {
      choice = text_of(*found);
      choices_.add(name, *choice);
    }
  }
  Algorithm algorithm;
  if (choice && read_algorithm(*choice, algorithm) &&
      suits(handle_, shape, plan.operation, algorithm)) {
    plan.algorithm = algorithm;
  }
}

const MatmulPlans::Plan& MatmulPlans::plan_for(const Product& shape, const Problem& problem) {
  auto known = plans_.find(shape);
  if (known == plans_.end()) {
    Plan plan;
    plan.operation = describe(shape);
    choose(shape, plan);
    if (plan.found && shape.tokens != Tokens::none) {
      improve(shape, problem, plan);
    }
    known = plans_.emplace(shape, plan).first;
  }
  return known->second;
}

bool MatmulPlans::launch(const Plan& plan, const Product& product, const ProductAddresses& at,
                         cudaStream_t stream) const {
  if (!plan.found) {
    return false;
  }
  if (product.bias) {
    set_bias(plan.operation, at.bias);
  }
  Layouts layouts = layouts_of(product);
  const float alpha = 1.0F;
  const float beta = product.accumulate ? 1.0F : 0.0F;
  const bool whole = plan.algorithm.workspace == Workspace::whole;
  const cublasStatus_t status =
      cublasLtMatmul(handle_, plan.operation, &alpha, at.a, &layouts.a, at.b, &layouts.b, &beta,
                     at.d, &layouts.d, at.d, &layouts.d, &plan.algorithm.numbers,
                     whole ? workspace_ : nullptr, whole ? kWorkspaceBytes : 0, stream);
  // What does without a workspace at one number of rows may want one at another.
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || (!whole && status == CUBLAS_STATUS_INVALID_VALUE)) {
    return false;
  }
  check_blas(status, "matmul");
  return true;
}

bool MatmulPlans::multiply(const Product& product, const ProductAddresses& at,
                           cudaStream_t stream) {
  const Problem problem{product, at, stream};
  if (launch(plan_for(bucketed(product, kSteps), problem), product, at, stream)) {
    return true;
  }
  Product exact = product;  // what suits its bucket may not suit a shape itself
  exact.tokens = Tokens::none;
  return launch(plan_for(exact, problem), product, at, stream);
}

}  // namespace yona::cuda
