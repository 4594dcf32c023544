// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "selftest/kernel_trial.h"

#include <algorithm>

#include "tensor/pack.h"

namespace nxs::selftest {

namespace {

using kernels::Activations;
using tensor::DType;

constexpr size_t kBlock = tensor::kBlock;
constexpr size_t kBlockK = tensor::kBlockK;

tensor::PackedMatrix random_weights(Trial& t, DType type, size_t rows, size_t cols) {
  const std::vector<uint8_t> file = encode(random_matrix(t.draws, rows, cols, 0), type, &t.draws);
  tensor::PackedMatrix weights(type, rows, cols, "self-test weights");
  const size_t row_bytes = file.size() / rows;
  for (size_t g = 0; g < weights.view().groups(); ++g) {
    const size_t first = g * tensor::kGroupRows;
    weights.pack_group(g, file.data() + first * row_bytes, std::min(tensor::kGroupRows, rows - first));
  }
  return weights;
}

/// Rows of activations in both forms, made by the table's own kernels.
struct Inputs {
  Inputs(Trial& t, size_t m, size_t k)
      : x(t.floats(m * k, 1)),
        panels(m * k, "panels"),
        q(m * k, "q"),
        d(m * k / kBlock, "d"),
        sum(m * k / kBlock, "sum"),
        kq(m * k, "q of 256"),
        kd(m * (k / kBlockK), "d of 256"),
        ksum(m * (k / 16), "sums of 16") {
    for (size_t r = 0; r < m; r += kernels::kPanel) {
      t.kernels.pack_panel(panels.data() + r * k, x.data() + r * k, k, std::min(kernels::kPanel, m - r), k);
    }
    for (size_t r = 0; r < m; ++r) {
      t.kernels.quantize(q.data() + r * k, d.data() + r * k / kBlock, sum.data() + r * k / kBlock, x.data() + r * k, k);
    }
    for (size_t r = 0; k % kBlockK == 0 && r < m; ++r) {
      t.kernels.quantize_k(kq.data() + r * k, kd.data() + r * (k / kBlockK), ksum.data() + r * (k / 16),
                           x.data() + r * k, k);
    }
    view = {m, k, panels.data(), q.data(), d.data(), sum.data(), kq.data(), kd.data(), ksum.data()};
  }
  Buffer<float> x, panels;
  Buffer<int8_t> q;
  Buffer<float> d;
  Buffer<int32_t> sum;
  Buffer<int8_t> kq;
  Buffer<float> kd;
  Buffer<int16_t> ksum;
  Activations view{};
};

template <DType type>
void matmul(Trial& t) {
  const bool blocks_of_256 = tensor::info(type).block_elems == kBlockK;
  const size_t m = t.between(1, 10), k = blocks_of_256 ? t.between(1, 3) * kBlockK : t.between(1, 12) * kBlock;
  const size_t rows = t.between(1, 50);
  const bool add = t.between(0, 1) != 0;
  t.describe("%zu rows, matrix %zu x %zu, add %d", m, rows, k, add ? 1 : 0);
  const tensor::PackedMatrix weights = random_weights(t, type, rows, k);
  const Inputs inputs(t, m, k);
  const size_t ldy = weights.view().groups() * tensor::kGroupRows;
  Buffer<float> y = t.floats(m * ldy, 0);
  t.kernels.matmul[static_cast<size_t>(type)](y.data(), ldy, weights.view(), inputs.view, 0, weights.view().groups(),
                                              add);
  for (size_t r = 0; r < m; ++r) t.keep(y.data() + r * ldy, rows);
}

void quantize(Trial& t) {
  const size_t k = t.between(1, 40) * kBlock;
  t.describe("%zu values", k);
  const Inputs inputs(t, 1, k);
  t.keep(inputs.q.data(), k);
  t.keep(inputs.d.data(), k / kBlock);
  t.keep(inputs.sum.data(), k / kBlock);
}

void quantize_k(Trial& t) {
  const size_t k = t.between(1, 6) * kBlockK;
  t.describe("%zu values", k);
  const Inputs inputs(t, 1, k);
  t.keep(inputs.kq.data(), k);
  t.keep(inputs.kd.data(), k / kBlockK);
  t.keep(inputs.ksum.data(), k / 16);
}

void pack_panel(Trial& t) {
  const size_t m = t.between(1, 8), k = t.between(1, 20) * kBlock;
  t.describe("%zu rows of %zu", m, k);
  const Inputs inputs(t, m, k);
  t.keep(inputs.panels.data(), m * k);
}

void rms_norm(Trial& t) {
  const size_t n = t.between(1, 64) * 16;
  t.describe("%zu values", n);
  const Buffer<float> x = t.floats(n, 3), w = t.floats(n, 0);
  Buffer<float> y(n, "y");
  t.kernels.rms_norm(y.data(), x.data(), w.data(), n, 0x1p-17f);
  t.keep(y.data(), n);
}

void rotate(Trial& t) {
  const size_t heads = t.between(1, 5), dim = t.between(1, 64) * 2;
  t.describe("%zu heads of %zu", heads, dim);
  Buffer<float> x = t.floats(heads * dim, 2);
  const Buffer<float> c = t.floats(dim / 2, 0), s = t.floats(dim / 2, 0);
  t.kernels.rotate(x.data(), c.data(), s.data(), heads, dim, 0.125f);
  t.keep(x.data(), heads * dim);
}

void store_kv(Trial& t) {
  const size_t dim = t.between(1, 64) * 2, lanes = size_t{1} << t.between(0, 4), lane = t.between(0, lanes - 1);
  const bool f32 = t.between(0, 1) != 0;
  t.describe("dimension %zu, lane %zu of %zu, %s", dim, lane, lanes, f32 ? "F32" : "F16");
  const Buffer<float> k = t.floats(dim, 4), v = t.floats(dim, 4);
  Buffer<float> tile(dim * lanes, "tile"), row(dim, "row");
  t.kernels.store_kv(tile.data(), lane, lanes, row.data(), k.data(), v.data(), dim, f32, false);
  t.keep(tile.data(), dim * lanes);
  t.keep(row.data(), dim);
}

/// Tiles of keys and values written by the table's own store_kv.
struct Keys {
  Keys(Trial& t, size_t n_tiles, size_t dim, bool f32)
      : padded(round_up(dim, 16)), k(n_tiles * dim * kernels::kTile, "k"), v(n_tiles * padded * kernels::kTile, "v") {
    const size_t elem = f32 ? 4 : 2;
    for (size_t i = 0; i < n_tiles; ++i) {
      uint8_t* const k_tile = reinterpret_cast<uint8_t*>(k.data()) + i * dim * kernels::kTile * elem;
      uint8_t* const v_tile = reinterpret_cast<uint8_t*>(v.data()) + i * padded * kernels::kTile * elem;
      for (size_t lane = 0; lane < kernels::kTile; ++lane) {
        const Buffer<float> key = t.floats(dim, 1), value = t.floats(dim, 1);
        t.kernels.store_kv(k_tile, lane, kernels::kTile, v_tile + lane * padded * elem, key.data(), value.data(), dim,
                           f32, false);
      }
      tiles.push_back({k_tile, v_tile});
    }
  }
  size_t padded;
  Buffer<float> k, v;
  std::vector<kernels::KvTile> tiles;
};

void attend(Trial& t) {
  const size_t n_tiles = t.between(1, 16), dim = t.between(1, 48) * 2, n_queries = t.between(1, 5);
  const bool f32 = t.between(0, 1) != 0;
  t.describe("%zu queries of dimension %zu, %zu tiles of %s", n_queries, dim, n_tiles, f32 ? "F32" : "F16");
  const Keys keys(t, n_tiles, dim, f32);
  const Buffer<float> q = t.floats(n_queries * dim, 0);
  Buffer<float> m(n_queries, "m"), l(n_queries, "l"), o(n_queries * keys.padded, "o");
  Buffer<float> scratch(kernels::attention_scratch_floats(n_queries), "scratch");
  std::vector<kernels::AttentionQuery> queries;
  for (size_t i = 0; i < n_queries; ++i) {
    const auto n_keys = static_cast<uint32_t>(t.between(1, n_tiles * kernels::kTile));
    queries.push_back({q.data() + i * dim, n_keys, &m[i], &l[i], o.data() + i * keys.padded});
  }
  t.kernels.attend({keys.tiles.data(), n_tiles, dim, f32, scratch.data()}, queries.data(), n_queries);
  t.keep(m.data(), n_queries);
  t.keep(l.data(), n_queries);
  for (size_t i = 0; i < n_queries; ++i) t.keep(o.data() + i * keys.padded, dim);
}

void attend_merge(Trial& t) {
  const size_t n = t.between(1, 16) * 16;
  t.describe("%zu channels", n);
  Buffer<float> state = t.floats(4, 2), o = t.floats(n, 1), out(n, "out");
  const Buffer<float> o2 = t.floats(n, 1);
  float l = 2.0f + state[1] * state[1];
  t.kernels.attend_merge(&state[0], &l, o.data(), state[2], 2.0f + state[3] * state[3], o2.data(), n);
  t.kernels.attend_finish(out.data(), o.data(), l, n);
  t.keep(state.data(), 1);
  t.keep(&l, 1);
  t.keep(out.data(), n);
}

void gate(Trial& t) {
  const size_t n = t.between(1, 64) * 16;
  t.describe("%zu values", n);
  Buffer<float> g = t.floats(n, 5);
  const Buffer<float> u = t.floats(n, 1);
  t.kernels.gate(g.data(), u.data(), n);
  t.keep(g.data(), n);
}

void add(Trial& t) {
  const size_t n = t.between(1, 64) * 16;
  t.describe("%zu values", n);
  Buffer<float> x = t.floats(n, 2);
  const Buffer<float> y = t.floats(n, 0);
  t.kernels.add(x.data(), y.data(), n);
  t.keep(x.data(), n);
}

/// Few different values, so that equals are common.
void argmax(Trial& t) {
  const size_t n = t.between(1, 700);
  t.describe("%zu values", n);
  Buffer<float> x(n, "x");
  for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>(t.draws.within(20));
  size_t index = 0;
  float value = 0;
  t.kernels.argmax(&index, &value, x.data(), n);
  const uint64_t wide = index;
  t.keep(&wide, 1);
  t.keep(&value, 1);
}

void exp(Trial& t) {
  const size_t n = t.between(1, 300);
  t.describe("%zu values", n);
  const Buffer<float> x = t.floats(n, 6);
  Buffer<float> y(n, "y");
  t.kernels.exp(y.data(), x.data(), n);
  t.keep(y.data(), n);
}

constexpr NamedTrial kTrials[] = {
    {"matmul F32", matmul<DType::kF32>},
    {"matmul F16", matmul<DType::kF16>},
    {"matmul BF16", matmul<DType::kBF16>},
    {"matmul Q8_0", matmul<DType::kQ8_0>},
    {"matmul Q4_0", matmul<DType::kQ4_0>},
    {"matmul Q4_1", matmul<DType::kQ4_1>},
    {"matmul Q5_0", matmul<DType::kQ5_0>},
    {"matmul Q5_1", matmul<DType::kQ5_1>},
    {"matmul Q4_K", matmul<DType::kQ4_K>},
    {"matmul Q5_K", matmul<DType::kQ5_K>},
    {"matmul Q6_K", matmul<DType::kQ6_K>},
    {"quantize", quantize},
    {"quantize_k", quantize_k},
    {"pack_panel", pack_panel},
    {"rms_norm", rms_norm},
    {"rotate", rotate},
    {"store_kv", store_kv},
    {"attend", attend},
    {"attend_merge", attend_merge},
    {"gate", gate},
    {"add", add},
    {"argmax", argmax},
    {"exp", exp},
};

}  // namespace

Buffer<float> Trial::floats(size_t n, int exponent) {
  Buffer<float> values(n, "self-test input");
  const float unit =
      exponent < 0 ? 0x1p-23f / static_cast<float>(1 << -exponent) : 0x1p-23f * static_cast<float>(1 << exponent);
  for (size_t i = 0; i < n; ++i)
    values[i] = static_cast<float>(static_cast<int32_t>(draws.below(1u << 24)) - (1 << 23)) * unit;
  return values;
}

std::span<const NamedTrial> kernel_trials() {
  return kTrials;
}

}  // namespace nxs::selftest
