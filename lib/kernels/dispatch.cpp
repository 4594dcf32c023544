// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/dispatch.h"

#include "kernels/cpu.h"
#include "kernels/tables.h"

namespace nxs::kernels {
namespace {

#if defined(__x86_64__)
const Kernels* fma_table() {
  return cpu_features().avx2 ? &ref_fma::kTable : nullptr;
}
const Kernels* avx2_table() {
  return cpu_features().avx2 ? &avx2::kTable : nullptr;
}
const Kernels* avx512_table() {
  return cpu_features().avx512 ? &avx512::kTable : nullptr;
}
#else
const Kernels* fma_table() {
  return nullptr;
}
const Kernels* avx2_table() {
  return nullptr;
}
const Kernels* avx512_table() {
  return nullptr;
}
#endif

}  // namespace

const Kernels* portable_table() {
  return &ref_portable::kTable;
}

const Kernels* table(Isa isa) {
  switch (isa) {
    case Isa::kBest:
      if (const Kernels* t = avx512_table()) return t;
      if (const Kernels* t = avx2_table()) return t;
      return table(Isa::kReference);
    case Isa::kReference: {
      const Kernels* t = fma_table();
      return t ? t : portable_table();
    }
    case Isa::kAvx2:
      return avx2_table();
    case Isa::kAvx512:
      return avx512_table();
    case Isa::kNeon:
      return nullptr;
  }
  return nullptr;
}

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::kBest:
      return "best";
    case Isa::kReference:
      return "reference";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
    case Isa::kNeon:
      return "neon";
  }
  return "unknown";
}

}  // namespace nxs::kernels
