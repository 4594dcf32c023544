// SPDX-License-Identifier: Apache-2.0 OR MIT
// Where the parts of a packed block lie (packed.h), for quant_tile.h (blocks of 32) and k_tile.h (blocks of 256) of
// each ISA folder.
#pragma once

#include <stddef.h>

namespace nxs::kernels {
namespace {

enum class QuantForm { kQ8_0, kQ4_0, kQ4_1, kQ5_0, kQ5_1 };

template <QuantForm F>
inline constexpr bool kMinimum = F == QuantForm::kQ4_1 || F == QuantForm::kQ5_1;
template <QuantForm F>
inline constexpr bool kFifthBit = F == QuantForm::kQ5_0 || F == QuantForm::kQ5_1;
/// The quants exceed the values by 2 to this.
template <QuantForm F>
inline constexpr unsigned kOffsetBits = F == QuantForm::kQ8_0   ? 7
                                        : F == QuantForm::kQ5_0 ? 4
                                                                : 3;
template <QuantForm F>
inline constexpr size_t kQuantBytes = F == QuantForm::kQ8_0 ? 512
                                      : kFifthBit<F>        ? 320
                                                            : 256;
template <QuantForm F>
inline constexpr size_t kScaleBytes = kMinimum<F> ? 64 : 32;

enum class KForm { kQ4_K, kQ5_K, kQ6_K };

/// A packed block: kGroups times kQuads quads whose nibbles and high bits lie together, then scales.
template <KForm F>
struct KLayout {
  static constexpr bool kSix = F == KForm::kQ6_K;
  static constexpr size_t kGroups = kSix ? 4 : 8;
  static constexpr size_t kQuads = kSix ? 16 : 8;
  static constexpr size_t kSubQuads = kSix ? 4 : 8;  ///< of a sub-block
  static constexpr size_t kGroupBytes = kSix ? 768 : F == KForm::kQ5_K ? 320 : 256;
  static constexpr size_t kQuantBytes = kGroups * kGroupBytes;
  static constexpr size_t kBlockBytes = kQuantBytes + 256;  ///< scales and, but for Q6_K, d and dmin
  static constexpr size_t kAllBytes = kBlockBytes + (kSix ? 32 : 0);
};

}  // namespace
}  // namespace nxs::kernels
