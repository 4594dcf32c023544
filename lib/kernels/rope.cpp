// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/dispatch.h"

namespace nxs::kernels {

}  // namespace nxs::kernels
