// SPDX-License-Identifier: Apache-2.0 OR MIT
#pragma once

namespace nxs::kernels {

/// The natural logarithm of a positive normal number, within 0.51 ulp. For log-probabilities: one a token, so it has a
/// scalar form alone.
float log(float x);

}  // namespace nxs::kernels
