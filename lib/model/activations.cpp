// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model/activations.h"

namespace nxs::model {
namespace {

using kernels::kPanel;
using tensor::kBlock;
using tensor::kBlockK;

size_t row_of(const Input& in, size_t i) {
  return in.pick != nullptr ? in.pick[i] : i;
}

// Rows [first, last) as int8 blocks.
void quantize_rows(Forward& f, const Input& in, const float* x, size_t first, size_t last) {
  const size_t blocks = in.k / kBlock;
  for (size_t i = first; i < last; ++i) {
    const bool finite = f.kernels.quantize(row_at(f.scratch.quants, in.k, i), row_at(f.scratch.scales, blocks, i),
                                           row_at(f.scratch.sums, blocks, i), x + i * in.k, in.k);
    if (!finite) mark_bad(f, row_of(in, i), in.layer);
  }
}

// Rows [first, last) as int8 blocks of 256.
void quantize_k_rows(Forward& f, const Input& in, const float* x, size_t first, size_t last) {
  const size_t blocks = in.k / kBlockK;
  for (size_t i = first; i < last; ++i) {
    const bool finite = f.kernels.quantize_k(row_at(f.scratch.k_quants, in.k, i), row_at(f.scratch.k_scales, blocks, i),
                                             row_at(f.scratch.k_sums, in.k / 16, i), x + i * in.k, in.k);
    if (!finite) mark_bad(f, row_of(in, i), in.layer);
  }
}

// Rows [first, last) as panels; first is a multiple of kPanel.
void pack_rows(Forward& f, const Input& in, const float* x, size_t first, size_t last) {
  for (size_t i = first; i < last; i += kPanel) {
    const size_t n = last - i < kPanel ? last - i : kPanel;
    const uint32_t bad = f.kernels.pack_panel(row_at(f.scratch.panels, in.k, i), x + i * in.k, in.k, n, in.k);
    for (size_t r = 0; bad != 0 && r < n; ++r) {
      if ((bad >> r & 1u) != 0) mark_bad(f, row_of(in, i + r), in.layer);
    }
  }
}

}  // namespace

Forms::Forms(std::initializer_list<const tensor::PackedMatrix*> matrices) {
  for (const tensor::PackedMatrix* m : matrices) {
    const tensor::DTypeInfo& format = tensor::info(m->view().type);
    (!format.quantized ? floats : format.block_elems == kBlock ? quantized : quantized_k) = true;
  }
}

kernels::Activations prepare(Forward& f, const Input& in, Forms forms) {
  const float* x = in.norm != nullptr ? f.scratch.normed.data() : in.x;
  for_rows(f, in.n, in.k, forms.floats, [&](size_t first, size_t last) {
    for (size_t i = first; in.norm != nullptr && i < last; ++i) {
      f.kernels.rms_norm(row_at(f.scratch.normed, in.k, i), in.x + row_of(in, i) * in.k, in.norm, in.k,
                         f.model.config.norm_eps);
    }
    if (forms.quantized) quantize_rows(f, in, x, first, last);
    if (forms.quantized_k) quantize_k_rows(f, in, x, first, last);
    if (forms.floats) pack_rows(f, in, x, first, last);
  });
  RowScratch& s = f.scratch;
  return {in.n,
          in.k,
          s.panels.data(),
          s.quants.data(),
          s.scales.data(),
          s.sums.data(),
          s.k_quants.data(),
          s.k_scales.data(),
          s.k_sums.data()};
}

}  // namespace nxs::model
