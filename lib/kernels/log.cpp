// SPDX-License-Identifier: Apache-2.0 OR MIT
// In double, from IEEE operations and fma, for the baseline only: the same bits everywhere, and rounded once.
#include "kernels/log.h"

#include <bit>
#include <cstdint>

namespace nxs::kernels {

// x = 2^e * m with m in [sqrt(1/2), sqrt(2)); log(m) = 2 atanh(z), z = (m - 1) / (m + 1); what the series leaves out is
// below 2^-50.
float log(float x) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  constexpr double kAtanh[] = {1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3};
  constexpr uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  const uint64_t bits = std::bit_cast<uint64_t>(static_cast<double>(x));
  const uint64_t exponent = (bits - kSqrtHalf) & 0xfff0000000000000;  // of x / sqrt(1/2), as a two's complement number
  const double m = std::bit_cast<double>(bits - exponent);
  const double e = static_cast<double>(static_cast<int64_t>(exponent)) * 0x1p-52;
  const double z = (m - 1.0) / (m + 1.0);
  const double u = z * z;
  double p = 0.0;
  for (const double c : kAtanh) p = __builtin_fma(p, u, c);
  const double half = __builtin_fma(z * u, p, z);
  return static_cast<float>(__builtin_fma(e, kLn2, 2.0 * half));
}

}  // namespace nxs::kernels
