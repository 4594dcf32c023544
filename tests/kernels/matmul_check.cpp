// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "guarded.h"
#include "kernel_check.h"
#include "tensor/half.h"

namespace nxs::kernels::check {
namespace {

using tensor::DType;

// A finite half that keeps products of plain inputs finite in most rounds: any sign, subnormals and zero among them.
uint16_t random_half(Run& run, Values values) {
  auto h = static_cast<uint16_t>(run.bits());
  if (values == Values::kPlain) h = tensor::float_to_half(run.value(Values::kPlain));
  if (values == Values::kZero && !run.chance(8)) h &= 0x8000u;
  if (values == Values::kDenormal) h &= 0x83ffu;
  if ((h & 0x7c00u) == 0x7c00u) h = static_cast<uint16_t>(h & 0xbfffu);
  return h;
}

// The file bytes of one block or float.
void random_element(Run& run, DType type, uint8_t* out, Values values, bool extreme) {
  const uint16_t half = random_half(run, values);
  const float full = run.value(values);
  switch (type) {
    case DType::kF32:
      std::memcpy(out, &full, 4);
      return;
    case DType::kF16:
      std::memcpy(out, &half, 2);
      return;
    case DType::kBF16: {
      const auto high = static_cast<uint16_t>(tensor::float_to_bits(full) >> 16);
      std::memcpy(out, &high, 2);
      return;
    }
    default:
      break;
  }
  const size_t bytes = tensor::info(type).block_bytes;
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<uint8_t>(run.bits());
  if (extreme) std::memset(out, type == DType::kQ8_0 ? 0x80 : 0xff, bytes);
  // The largest scales, of either sign, with all quants 63 or 0.
  if (extreme && type == DType::kQ6_K) {
    if (run.chance(2)) std::memset(out, 0, 192);
    std::memset(out + 192, run.chance(2) ? 0x80 : 0x7f, 16);
  }
  // d stands first but in Q6_K, where it stands last.
  std::memcpy(out + (type == DType::kQ6_K ? bytes - 2 : 0), &half, 2);
  const uint16_t second = random_half(run, values);
  const bool minimum = type == DType::kQ4_1 || type == DType::kQ5_1 || type == DType::kQ4_K || type == DType::kQ5_K;
  if (minimum) std::memcpy(out + 2, &second, 2);
}

// m rows of activations in both forms, each at an odd distance from alignment.
struct Input {
  Input(Run& run, size_t m, size_t k, Values values, bool extreme)
      : x(m * k, run.between(0, 3)),
        q(m * k, run.between(0, 63)),
        d(m * k / 32, run.between(0, 3)),
        sum(m * k / 32, run.between(0, 3)),
        kd(m * (k / 256), run.between(0, 3)),
        ksum(m * (k / 16), run.between(0, 7)),
        view{m, k, x.data(), q.data(), d.data(), sum.data(), q.data(), kd.data(), ksum.data()} {
    run.fill({x.data(), m * k}, values);
    for (size_t i = 0; i < q.size(); ++i) {
      const auto random = static_cast<int>(run.between(0, 254)) - 127;
      q[i] = static_cast<int8_t>(extreme ? (random < 0 && run.chance(40) ? 127 : -127) : random);
    }
    for (size_t b = 0; b < d.size(); ++b) {
      d[b] = std::fabs(run.value(values));
      for (size_t i = 0; i < 32; ++i) sum[b] += q[b * 32 + i];
    }
    for (float& scale : kd) scale = std::fabs(run.value(values));
    for (size_t i = 0; i < ksum.size() * 16; ++i) ksum[i / 16] = static_cast<int16_t>(ksum[i / 16] + q[i]);
  }
  Guarded<float> x;
  Guarded<int8_t> q;
  Guarded<float> d;
  Guarded<int32_t> sum;
  Guarded<float> kd;  // the quants serve as blocks of 32 and of 256
  Guarded<int16_t> ksum;
  Activations view;
};

struct Shape {
  size_t m, k, rows, g0, g1, ldy;
  bool add;
};

Shape random_shape(Run& run, DType type) {
  Shape s{};
  const size_t step = tensor::info(type).quantized ? tensor::info(type).block_elems : 16;
  const size_t least = step == 16 ? 2 : 1;
  s.m = run.chance(2) ? run.between(1, 9) : run.between(1, 40);
  s.k = run.chance(3) ? run.between(least, 3072 / step) * step : run.between(least, 768 / step) * step;
  s.rows = run.between(1, 6 * 16 + 5);
  const size_t groups = (s.rows + 15) / 16;
  s.g0 = run.chance(2) ? 0 : run.between(0, groups - 1);
  s.g1 = run.chance(2) ? groups : run.between(s.g0, groups);
  s.ldy = (groups + run.between(0, 2)) * 16;
  s.add = run.chance(2);
  return s;
}

void one_round(Run& run, DType type) {
  const Shape s = random_shape(run, type);
  const Values values = run.chance(2) ? Values::kPlain : run.any_values();
  const bool extreme = run.chance(4);
  run.round("%s m=%zu k=%zu rows=%zu groups=%zu..%zu ldy=%zu add=%d values=%d extreme=%d", tensor::info(type).name, s.m,
            s.k, s.rows, s.g0, s.g1, s.ldy, s.add, static_cast<int>(values), extreme);
  const tensor::PackedMatrix w = random_matrix(run, type, s.rows, s.k, values, extreme);
  const Input input(run, s.m, s.k, values, extreme);
  Guarded<float> want(s.m * s.ldy);
  Guarded<float> got(s.m * s.ldy);
  run.fill({want.data(), want.size()}, Values::kPlain);
  std::memcpy(got.data(), want.data(), want.size() * sizeof(float));

  const auto t = static_cast<size_t>(type);
  run.want.matmul[t](want.data(), s.ldy, w.view(), input.view, s.g0, s.g1, s.add);
  run.got.matmul[t](got.data(), s.ldy, w.view(), input.view, s.g0, s.g1, s.add);
  run.expect(got.intact(), "wrote outside y");
  // Padding rows may hold anything, as long as plain inputs keep them finite.
  for (size_t r = 0; r < s.m; ++r) {
    for (size_t o = s.rows; o < s.g1 * 16 && o < s.ldy; ++o) {
      run.expect(values != Values::kPlain || std::isfinite(got[r * s.ldy + o]), "padding row %zu is not finite", o);
      got[r * s.ldy + o] = want[r * s.ldy + o];
    }
  }
  run.same("y", {want.data(), want.size()}, {got.data(), got.size()});
}

void bench_one(Bench& bench, DType type, size_t rows, size_t k, size_t m) {
  Run run(bench.kernels, bench.kernels, "bench", 1, false);
  const tensor::PackedMatrix w = random_matrix(run, type, rows, k, Values::kPlain, false);
  const Input input(run, m, k, Values::kPlain, false);
  Guarded<float> y(m * w.view().groups() * 16);
  char what[64];
  std::snprintf(what, sizeof what, "matmul %-5s %zux%zu m=%zu", tensor::info(type).name, rows, k, m);
  const auto macs = static_cast<double>(rows * k * m);
  const double peak = tensor::info(type).quantized ? bench.peaks.dot_int8 : bench.peaks.fma;
  bench.report(what, macs, peak, static_cast<double>(w.bytes()), [&] {
    bench.kernels.matmul[static_cast<size_t>(type)](y.data(), w.view().groups() * 16, w.view(), input.view, 0,
                                                    w.view().groups(), false);
  });
}

}  // namespace

tensor::PackedMatrix random_matrix(Run& run, DType type, size_t rows, size_t cols, Values values, bool extreme) {
  const tensor::DTypeInfo& format = tensor::info(type);
  const size_t per_row = cols / format.block_elems;
  tensor::PackedMatrix w(type, rows, cols, "weights");
  std::vector<uint8_t> file(tensor::kGroupRows * per_row * format.block_bytes);
  for (size_t g = 0; g < w.view().groups(); ++g) {
    const size_t n = std::min(tensor::kGroupRows, rows - g * tensor::kGroupRows);
    for (size_t i = 0; i < n * per_row; ++i)
      random_element(run, type, file.data() + i * format.block_bytes, values, extreme);
    w.pack_group(g, file.data(), n);
  }
  return w;
}

void check_matmul(Run& run) {
  for (size_t t = 0; t < tensor::kDTypes; ++t) {
    for (int i = 0; i < 60; ++i) one_round(run, static_cast<DType>(t));
  }
}

void bench_matmul(Bench& bench) {
  for (size_t t = 0; t < tensor::kDTypes; ++t) {
    for (const size_t m : {1, 2, 4, 7, 8, 32, 256}) {
      if (576 % tensor::info(static_cast<DType>(t)).block_elems == 0)
        bench_one(bench, static_cast<DType>(t), 1536, 576, m);
      bench_one(bench, static_cast<DType>(t), 576, 1536, m);
    }
  }
}

}  // namespace nxs::kernels::check
