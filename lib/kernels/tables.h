// SPDX-License-Identifier: Apache-2.0 OR MIT
// The tables that dispatch.cpp chooses from, each defined in its folder's table.cpp by constant initialisation (no
// constructor runs when the library is loaded). Which of them exist is decided by meson.build: the FMA build of ref,
// AVX2 and AVX-512 on x86-64 only.
#pragma once

#include "kernels/kernels.h"

namespace nxs::kernels {

namespace ref_portable {
extern const Kernels kTable;
}
namespace ref_fma {
extern const Kernels kTable;
}
namespace avx2 {
extern const Kernels kTable;
}
namespace avx512 {
extern const Kernels kTable;
}

}  // namespace nxs::kernels
