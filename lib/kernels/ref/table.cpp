// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/ref.h"
#include "kernels/tables.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

constinit const Kernels kTable = table();

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
