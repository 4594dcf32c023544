// SPDX-License-Identifier: Apache-2.0 OR MIT
// Frequencies and angles of rotary embedding, once per model and once per row, in scalar double: a float angle would be
// off by 5e-3 at position 131,072. Compiled for the baseline only and made of IEEE operations and fma, so every machine
// gets the same bits. The constants were fitted for this file with 200-bit arithmetic.
#include <bit>

#include "kernels/dispatch.h"

namespace nxs::kernels {
namespace {

double fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

// Adding and subtracting it rounds to an integer, for |x| < 2^51.
constexpr double kRound = 0x1.8p52;

// sum of c[i] * u^i, from the highest term down.
template <size_t kTerms>
double polynomial(const double (&c)[kTerms], double u) {
  double p = c[kTerms - 1];
  for (size_t i = kTerms - 1; i > 0; --i) p = p * u + c[i - 1];
  return p;
}

struct SinCos {
  double s, c;
};

// For 0 <= x < 2^50. The reduced argument r is within pi/4 and has the error of x itself: pi/2 is taken as a sum of two
// doubles.
SinCos sin_cos(double x) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr double kPi2High = 0x1.921fb54442d18p+0;
  constexpr double kPi2Low = 0x1.1a62633145c07p-54;
  // sin r = r + r^3 S(r^2), cos r = 1 - r^2/2 + r^4 C(r^2); relative errors below 2.1e-17.
  constexpr double kSin[] = {-0x1.5555555555555p-3, 0x1.1111111110bb1p-7,   -0x1.a01a019e8357dp-13,
                             0x1.71de37961e4c6p-19, -0x1.ae600a926c89ap-26, 0x1.5e0af186af739p-33};
  constexpr double kCos[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16966p-10, 0x1.a01a019f4e867p-16,
                             -0x1.27e4fa17a41b4p-22, 0x1.1eeb68b109173p-29,  -0x1.907d7aebd5e3dp-37};
  const double n = (x * kTwoOverPi + kRound) - kRound;
  const double r = fma(-n, kPi2Low, fma(-n, kPi2High, x));
  const double u = r * r;
  const double s = r + r * u * polynomial(kSin, u);
  const double c = 1.0 - 0.5 * u + u * u * polynomial(kCos, u);
  switch (static_cast<int64_t>(n) & 3) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

// A number as the unevaluated sum of two doubles.
struct Pair {
  double high, low;
};

// high = a + b rounded, low what was lost; |a| >= |b|.
Pair exact_sum(double a, double b) {
  const double high = a + b;
  return {high, b - (high - a)};
}

// log2(x) to about 2^-100 of its size, for positive normal x: 2^e * m with m in [sqrt(1/2), sqrt(2)), and
// log2(m) = 2/ln(2) * atanh(z), z = (m - 1) / (m + 1).
Pair log2_pair(double x) {
  constexpr double kScaleHigh = 0x1.71547652b82fep+1;  // 2 / ln 2
  constexpr double kScaleLow = 0x1.777d0ffda0d24p-55;
  constexpr double kAtanh[] = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13,
                               1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25};
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  constexpr uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  const uint64_t exponent = (bits - kSqrtHalf) & 0xfff0000000000000;  // of x / sqrt(1/2), as a two's complement number
  const double m = std::bit_cast<double>(bits - exponent);
  const int64_t power = static_cast<int64_t>(exponent) / (int64_t{1} << 52);
  const auto e = static_cast<double>(power);

  const Pair sum = m < 1.0 ? exact_sum(1.0, m) : exact_sum(m, 1.0);
  const double difference = m - 1.0;  // exact
  const double z = difference / sum.high;
  const double z_low = (fma(-z, sum.high, difference) - z * sum.low) / sum.high;
  const double tail = z_low + z * (z * z) * polynomial(kAtanh, z * z);
  const double high = kScaleHigh * z;
  const double low = fma(kScaleHigh, z, -high) + (kScaleHigh * tail + kScaleLow * z);
  const Pair log = exact_sum(high, low);
  if (e == 0.0) return log;
  const Pair total = exact_sum(e, log.high);
  return exact_sum(total.high, total.low + log.low);
}

// 2^(high + low) for a sum within the range of normal numbers.
double exp2_pair(Pair x) {
  // ln(2)^k / k!, k = 1..13: the first term left out is below 5e-18.
  constexpr double kExp2[] = {
      0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0c0p-5,  0x1.3b2ab6fba4e77p-7,  0x1.5d87fe78a6731p-10,
      0x1.430912f86c787p-13, 0x1.ffcbfc588b0c7p-17, 0x1.62c0223a5c824p-20, 0x1.b5253d395e7c4p-24, 0x1.e4cf5158b8ecap-28,
      0x1.e8cac7351bb25p-32, 0x1.c3bd650fc2986p-36, 0x1.816193166d0f9p-40};
  const double n = (x.high + kRound) - kRound;
  const double f = (x.high - n) + x.low;
  const double p = 1.0 + f * polynomial(kExp2, f);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(p) + (static_cast<uint64_t>(static_cast<int64_t>(n)) << 52));
}

// log * a / b, where a and b are integers.
Pair scaled(Pair log, double a, double b) {
  const double product = log.high * a;
  const double product_low = fma(log.high, a, -product) + log.low * a;
  const double high = product / b;
  return {high, (fma(-high, b, product) + product_low) / b};
}

}  // namespace

void rope_frequencies(double* freq, size_t n_pairs, double base, double scale, const float* factors) {
  const Pair log = log2_pair(base);
  for (size_t i = 0; i < n_pairs; ++i) {
    const double power = exp2_pair(scaled(log, -static_cast<double>(i), static_cast<double>(n_pairs)));
    freq[i] = power * scale / (factors ? static_cast<double>(factors[i]) : 1.0);
  }
}

void rope_angles(float* c, float* s, const double* freq, size_t n_pairs, int64_t position) {
  for (size_t i = 0; i < n_pairs; ++i) {
    const SinCos angle = sin_cos(static_cast<double>(position) * freq[i]);
    c[i] = static_cast<float>(angle.c);
    s[i] = static_cast<float>(angle.s);
  }
}

}  // namespace nxs::kernels
