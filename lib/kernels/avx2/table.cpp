// SPDX-License-Identifier: Apache-2.0 OR MIT
// Filled reference-first: what this folder lacks runs as the FMA build of its definition.
#include "kernels/avx2/functions.h"
#include "kernels/avx2/matmul.h"
#include "kernels/ref/ref.h"
#include "kernels/tables.h"

namespace nxs::kernels::avx2 {
namespace {

// The matrix products of this folder.
consteval void set_matmuls(Kernels& t) {
  using tensor::DType;
  t.matmul[static_cast<size_t>(DType::kF32)] = matmul_f32;
  t.matmul[static_cast<size_t>(DType::kF16)] = matmul_f16;
  t.matmul[static_cast<size_t>(DType::kBF16)] = matmul_bf16;
  t.matmul[static_cast<size_t>(DType::kQ8_0)] = matmul_q8_0;
  t.matmul[static_cast<size_t>(DType::kQ4_0)] = matmul_q4_0;
  t.matmul[static_cast<size_t>(DType::kQ4_1)] = matmul_q4_1;
  t.matmul[static_cast<size_t>(DType::kQ5_0)] = matmul_q5_0;
  t.matmul[static_cast<size_t>(DType::kQ5_1)] = matmul_q5_1;
  t.matmul[static_cast<size_t>(DType::kQ4_K)] = matmul_q4_k;
  t.matmul[static_cast<size_t>(DType::kQ5_K)] = matmul_q5_k;
  t.matmul[static_cast<size_t>(DType::kQ6_K)] = matmul_q6_k;
}

// Everything else (functions.h).
consteval void set_others(Kernels& t) {
  t.rms_norm = rms_norm;
  t.quantize = quantize;
  t.quantize_k = quantize_k;
  t.pack_panel = pack_panel;
  t.rotate = rotate;
  t.store_kv = store_kv;
  t.attend = attend;
  t.attend_merge = attend_merge;
  t.attend_finish = attend_finish;
  t.gate = gate;
  t.add = add;
  t.argmax = argmax;
  t.exp = exp;
}

consteval Kernels make_table() {
  Kernels t = ref_fma::table();
  t.isa = Isa::kAvx2;
  t.name = "avx2";
  set_matmuls(t);
  set_others(t);
  return t;
}

}  // namespace

constinit const Kernels kTable = make_table();

}  // namespace nxs::kernels::avx2
