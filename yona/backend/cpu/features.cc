// The choice of instruction set goes through Highway's own switch, which every dispatch reads.

#include "yona/backend/cpu/features.h"

#include <atomic>
#include <cpuid.h>
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

#include <oneapi/dnnl/dnnl.hpp>

#include "yona/backend/cpu/targets.h"
// after targets.h, which sets what it detects
#include <hwy/targets.h>

#include "yona/backend/registration.h"
#include "yona/base/error.h"

namespace yona {

namespace {

constexpr std::int64_t kAvx512 = HWY_AVX3;
constexpr std::int64_t kAvx2 = HWY_AVX2;

Isa isa_in(std::int64_t supported) {
  if ((supported & kAvx512) != 0) {
    return Isa::avx512;
  }
  return (supported & kAvx2) != 0 ? Isa::avx2 : Isa::baseline;
}

// What the machine has, before any choice of ours.
Isa widest_isa() {
  static const Isa widest = isa_in(hwy::SupportedTargets());
  return widest;
}

// Asking Highway means asking the CPU, which takes microseconds on virtual machines.
std::atomic<Isa>& isa_in_use() {
  static std::atomic<Isa> isa{widest_isa()};
  return isa;
}

// Products with AMX are our own (tile_matmul.h); those of oneDNN 2.6 use tiles before they are
// configured where a sum is added to what is there.
void hold_onednn_to(Isa isa) {
  if (isa == Isa::avx512) {
    dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx512_core_bf16);
  } else if (isa == Isa::avx2) {
    dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx2);
  } else if (isa == Isa::baseline) {
    dnnl::set_max_cpu_isa(dnnl::cpu_isa::sse41);
  }
}

void choose_isa() {
  check<DeviceError>(__builtin_cpu_supports("sse4.2") != 0,
                     "cpu: yona needs a CPU with SSE4.2; this one has none");
  if (const char* name = std::getenv("YONA_CPU_ISA"); name != nullptr && *name != '\0') {
    use_isa(parse_isa(name));
  }
  hold_onednn_to(current_isa());
}

// Linux grants the state of tiles, 8 KiB for each thread, to processes that ask for it.
bool ask_for_amx() {
  constexpr unsigned kBf16 = 1U << 22U;
  constexpr unsigned kTiles = 1U << 24U;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0 || (edx & kBf16) == 0 ||
      (edx & kTiles) == 0) {
    return false;
  }
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

const Registration registration(BackendKind::cpu, [](Kernels& /*table*/) { choose_isa(); });

}  // namespace

std::string_view name_of(Isa isa) {
  switch (isa) {
    case Isa::baseline:
      return "baseline";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
  }
  return "?";
}

std::vector<Isa> available_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (isa <= widest_isa()) {
      isas.push_back(isa);
    }
  }
  return isas;
}

Isa current_isa() { return isa_in_use().load(std::memory_order_relaxed); }

void use_isa(Isa isa) {
  check(isa <= widest_isa(), "cpu: this machine has no {}", name_of(isa));
  const std::int64_t keep = isa == Isa::avx512 ? kAvx512 | kAvx2 : isa == Isa::avx2 ? kAvx2 : 0;
  hwy::DisableTargets((kAvx512 | kAvx2) & ~keep);
  isa_in_use().store(isa, std::memory_order_relaxed);
}

Isa parse_isa(std::string_view name) {
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (name == name_of(isa)) {
      check(isa <= widest_isa(),
            "YONA_CPU_ISA: this machine has no {}; the widest set here is {}: unset the variable",
            name, name_of(widest_isa()));
      return isa;
    }
  }
  fail("YONA_CPU_ISA: '{}' is unknown; use baseline, avx2 or avx512", name);
}

bool cpu_has_bf16() {
  return current_isa() == Isa::avx512 && __builtin_cpu_supports("avx512bf16") != 0;
}

bool int8_is_faster() { return current_isa() != Isa::baseline; }

bool cpu_has_amx() {
  static const bool granted = ask_for_amx();
  return granted && cpu_has_bf16();
}

}  // namespace yona
