// SPDX-License-Identifier: Apache-2.0 OR MIT
// What this CPU and its operating system can run. Asked anew on each call: nothing is cached, so there is no state to
// initialise.
#pragma once

namespace nxs::kernels {

struct CpuFeatures {
  bool avx2;    ///< AVX2, FMA and F16C, and the system saves the upper halves of the registers
  bool avx512;  ///< the above and AVX-512 F, BW, DQ, VL and VNNI, with mask and 512-bit registers saved
};

/// Always all false on other architectures than x86-64.
CpuFeatures cpu_features();

}  // namespace nxs::kernels
