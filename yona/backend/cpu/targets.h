// The instruction sets that kernels are compiled for, included before Highway in every kernel file:
// SSE4.2 (the baseline: every x86-64 CPU since 2009), AVX2 and AVX-512. Others would double the
// compile time for few machines. Sanitizer trees leave out AVX2 too.
#pragma once

#define HWY_BASELINE_TARGETS HWY_SSE4
#ifdef YONA_SANITIZED
#define HWY_DISABLED_TARGETS (HWY_AVX2 | HWY_AVX3_DL | YONA_LATER_TARGETS)
#else
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | YONA_LATER_TARGETS)
#endif
#define HWY_DISABLE_PCLMUL_AES
#include <hwy/detect_targets.h>

#ifdef HWY_AVX3_ZEN4  // Highway 1.0.4 and later know more sets
#define YONA_LATER_TARGETS (HWY_AVX3_ZEN4 | HWY_AVX3_SPR)
#else
#define YONA_LATER_TARGETS 0
#endif
