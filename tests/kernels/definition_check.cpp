// SPDX-License-Identifier: Apache-2.0 OR MIT
// The definitions themselves against plain arithmetic in double, within bounds that follow from the number of
// roundings: equality of all tables would not notice a definition that computes something else. (Tables are compared
// with == in the other files.)
#include <algorithm>
#include <cmath>
#include <vector>

#include "guarded.h"
#include "kernel_check.h"

namespace nxs::kernels::check {
namespace {

using tensor::DType;

constexpr double kUlp = 0x1p-24;

// sum |w x| bounds the error: each of the k products and sums rounds once, twice where scales are multiplied.
void check_dots(Run& run, DType type) {
  const bool blocks_of_256 = tensor::info(type).block_elems == tensor::kBlockK;
  const size_t k = blocks_of_256 ? 256 * run.between(1, 4) : 32 * run.between(1, 30);
  const size_t m = run.between(1, 17);
  const size_t rows = 19;
  run.round("%s k=%zu m=%zu", tensor::info(type).name, k, m);
  const tensor::PackedMatrix w = random_matrix(run, type, rows, k, Values::kPlain, false);
  std::vector<float> x(m * k);
  run.fill(x, Values::kPlain);
  std::vector<float> panels(m * k);
  for (size_t r = 0; r < m; r += kPanel)
    run.got.pack_panel(panels.data() + r * k, x.data() + r * k, k, std::min(kPanel, m - r), k);
  std::vector<int8_t> q(m * k);
  std::vector<float> d(m * k / 32);
  std::vector<int32_t> sum(m * k / 32);
  for (size_t r = 0; r < m; ++r) run.got.quantize(&q[r * k], &d[r * k / 32], &sum[r * k / 32], &x[r * k], k);
  std::vector<int8_t> kq(m * k);
  std::vector<float> kd(m * k / 256 + 1);
  std::vector<int16_t> ksum(m * k / 16);
  for (size_t r = 0; r < m && blocks_of_256; ++r) {
    run.got.quantize_k(&kq[r * k], &kd[r * k / 256], &ksum[r * k / 16], &x[r * k], k);
  }
  Guarded<float> y(m * 32);  // aligned
  run.got.matmul[static_cast<size_t>(type)](
      y.data(), 32, w.view(), {m, k, panels.data(), q.data(), d.data(), sum.data(), kq.data(), kd.data(), ksum.data()},
      0, 2, false);
  std::vector<float> row(k);
  for (size_t o = 0; o < rows; ++o) {
    tensor::unpack_row(row.data(), w.view(), o);
    for (size_t r = 0; r < m; ++r) {
      double exact = 0;
      double size = 0;
      for (size_t i = 0; i < k; ++i) {
        const size_t at = r * k + i;
        double input = tensor::info(type).quantized ? double{d[at / 32]} * q[at] : double{x[at]};
        if (blocks_of_256) input = double{kd[at / 256]} * kq[at];
        exact += double{row[i]} * input;
        // Formats with a minimum round it apart from d * quant, so their terms may be larger than the weight.
        const bool apart = type == DType::kQ4_1 || type == DType::kQ5_1;
        const double most = apart ? 32.0 : std::fabs(double{row[i]});
        size += std::fabs(input) * (blocks_of_256 ? 4096.0 : most);  // sums of d * scale * quant, of up to 63 * 63
      }
      const double bound = (static_cast<double>(k) + 4) * kUlp * size + 1e-30;
      run.expect(std::fabs(exact - double{y[r * 32 + o]}) <= bound, "y[%zu][%zu] is %g, not %g", r, o,
                 double{y[r * 32 + o]}, exact);
    }
  }
}

void check_quantized_row(Run& run) {
  std::vector<float> x(64);
  run.fill(x, Values::kPlain);
  run.round("quantize");
  int8_t q[64];
  float d[2];
  int32_t sum[2];
  run.expect(run.got.quantize(q, d, sum, x.data(), 64), "finite values are reported as bad");
  for (size_t i = 0; i < 64; ++i)
    run.expect(std::fabs(double{d[i / 32]} * q[i] - double{x[i]}) <= 0.5001 * double{d[i / 32]}, "value %zu is off", i);
}

void check_norm(Run& run) {
  const size_t n = 576;
  run.round("rms_norm");
  std::vector<float> x(n), w(n), y(n);
  run.fill(x, Values::kPlain);
  run.fill(w, Values::kPlain);
  run.got.rms_norm(y.data(), x.data(), w.data(), n, 1e-5f);
  double squares = 0;
  for (const float v : x) squares += double{v} * double{v};
  const double r = 1 / std::sqrt(squares / n + double{1e-5f});
  for (size_t i = 0; i < n; ++i) {
    const double exact = double{x[i]} * r * double{w[i]};
    run.expect(std::fabs(exact - double{y[i]}) <= 40 * kUlp * std::fabs(exact) + 1e-40, "y[%zu] is %g, not %g", i,
               double{y[i]}, exact);
  }
}

// Softmax attention over 300 keys in two chunks, merged and finished.
void check_softmax(Run& run) {
  const size_t keys = 300, dim = 48;
  run.round("attention over %zu keys", keys);
  std::vector<float> q(dim), k(keys * dim), v(keys * dim);
  run.fill(q, Values::kPlain);
  run.fill(k, Values::kPlain);
  run.fill(v, Values::kPlain);
  const size_t tiles = (keys + kTile - 1) / kTile;
  std::vector<float> k_tiles(tiles * dim * kTile), v_tiles(tiles * kTile * dim);
  std::vector<KvTile> view(tiles);
  for (size_t t = 0; t < tiles; ++t) view[t] = {&k_tiles[t * dim * kTile], &v_tiles[t * kTile * dim]};
  for (size_t j = 0; j < keys; ++j) {
    run.got.store_kv(&k_tiles[j / kTile * dim * kTile], j % kTile, kTile, &v_tiles[j * dim], &k[j * dim], &v[j * dim],
                     dim, true, false);
  }
  Guarded<float> scratch(attention_scratch_floats(1)), o0(dim), o1(dim);  // aligned
  float m[2], l[2];
  float* o[2] = {o0.data(), o1.data()};
  for (size_t c = 0; c < 2; ++c) {
    const AttentionChunk chunk{&view[c * 16], c == 0 ? 16 : tiles - 16, dim, true, scratch.data()};
    const AttentionQuery query{q.data(), static_cast<uint32_t>(c == 0 ? kChunk : keys - kChunk), &m[c], &l[c], o[c]};
    run.got.attend(chunk, &query, 1);
  }
  run.got.attend_merge(&m[0], &l[0], o[0], m[1], l[1], o[1], dim);
  run.got.attend_finish(o[0], o[0], l[0], dim);

  std::vector<double> exact(dim);
  double total = 0;
  for (size_t j = 0; j < keys; ++j) {
    double score = 0;
    for (size_t d = 0; d < dim; ++d) score += double{q[d]} * double{k[j * dim + d]};
    total += std::exp(score);
    for (size_t d = 0; d < dim; ++d) exact[d] += std::exp(score) * double{v[j * dim + d]};
  }
  for (size_t d = 0; d < dim; ++d)
    run.expect(std::fabs(exact[d] / total - double{o[0][d]}) < 2e-6, "o[%zu] is %g, not %g", d, double{o[0][d]},
               exact[d] / total);
}

void check_elementwise(Run& run) {
  for (int i = 0; i < 2000; ++i) {
    float g = run.value(Values::kPlain) * 40;
    const float u = run.value(Values::kPlain);
    float g16[16] = {g};
    const float u16[16] = {u};
    run.round("exp and gate of %g", double{g});
    float e = 0;
    run.got.exp(&e, &g, 1);
    const double exact = std::exp(double{g});
    run.expect(std::fabs(double{e} - exact) <= 0.9 * 2 * kUlp * exact, "exp is %a, not %a", double{e}, exact);
    run.got.gate(g16, u16, 16);
    const double gated = double{g} / (1 + std::exp(-double{g})) * double{u};
    run.expect(std::fabs(double{g16[0]} - gated) <= 6 * kUlp * std::fabs(gated) + 1e-40, "gate is %g, not %g",
               double{g16[0]}, gated);
  }
}

}  // namespace

void check_definition(Run& run) {
  for (size_t t = 0; t < tensor::kDTypes; ++t) {
    for (int i = 0; i < 5; ++i) check_dots(run, static_cast<DType>(t));
  }
  check_quantized_row(run);
  check_norm(run);
  check_softmax(run);
  check_elementwise(run);
}

}  // namespace nxs::kernels::check
