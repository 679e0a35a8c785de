// What this machine's CPU can do, and which of it the kernels use.
//
// Kernels are compiled for several instruction sets and choose at run time, the widest by default.
// The environment variable YONA_CPU_ISA=baseline|avx2|avx512 holds them (and oneDNN) to less.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace yona {

enum class Isa : std::uint8_t { baseline, avx2, avx512 };

std::string_view name_of(Isa isa);

// The sets that were compiled and that this machine has, narrowest first.
std::vector<Isa> available_isas();

// The set in use. use_isa() changes it for the whole process, not while kernels run; it holds only
// yona's own kernels: oneDNN's choice can be made once, at start-up, by the environment variable.
Isa current_isa();
void use_isa(Isa isa);

// The set that `name` asks for. Throws InvalidArgument for unknown names and for sets that this
// machine lacks.
Isa parse_isa(std::string_view name);

// Are bf16 products faster than f32 here (AVX512-BF16 or AMX)? Where not, they are emulated.
bool cpu_has_bf16();

// Are products of bytes faster than those of f32 when decoding (VNNI, or AVX2;
// docs/performance.md)?
bool int8_is_faster();

// Does it have AMX, the tiles of bf16, and does the system let this process use it?
bool cpu_has_amx();

}  // namespace yona
