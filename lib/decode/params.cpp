// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/params.h"

namespace nxs::decode {

Params effective(const Params& params, int64_t n_vocab) {
  const Sampling defaults;
  Params result = params;
  Sampling& s = result.sampling;
  if (s.repeat_penalty == 1 || s.repeat_last == 0) {
    s.repeat_penalty = defaults.repeat_penalty;
    s.repeat_last = defaults.repeat_last;
  }
  if (s.top_k >= n_vocab) s.top_k = defaults.top_k;
  // +0 for -0.
  s.top_p += 0.0f;
  s.min_p += 0.0f;
  s.temperature += 0.0f;
  if (s.temperature == 0) {
    s.seed = defaults.seed;
    s.top_k = defaults.top_k;
    s.top_p = defaults.top_p;
    s.min_p = defaults.min_p;
  }
  return result;
}

}  // namespace nxs::decode
