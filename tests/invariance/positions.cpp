// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "invariance/positions.h"

#include <algorithm>

namespace nxs::test {

CountingLookup::CountingLookup(uint32_t draft_max, uint32_t ngram_max, uint32_t ngram_min)
    : ngram_max_(ngram_max), ngram_min_(ngram_min) {
  nxs_drafter* drafter = nullptr;
  nxs_error error;
  must(nxs_drafter_custom(&drafter, draft, this, draft_max, &error), error, "nxs_drafter_custom");
  drafter_.reset(drafter);
}

void CountingLookup::observe(const int32_t* context, size_t n) {
  // The context grew by the accepted drafts and the model's own token.
  for (size_t p = 0; p < last_draft_.size() && last_n_ + p < n; ++p) {
    if (context[last_n_ + p] != last_draft_[p]) {
      ++rejected[p];
      break;
    }
    ++accepted[p];
  }
  last_draft_.clear();
}

int32_t CountingLookup::draft(void* user, const int32_t* context, size_t n, int32_t* draft, size_t capacity) {
  auto& self = *static_cast<CountingLookup*>(user);
  self.observe(context, n);
  self.last_n_ = n;
  for (size_t g = self.ngram_max_; g >= self.ngram_min_ && g > 0; --g) {
    if (n <= g) continue;
    for (size_t p = n - g; p-- > 0;) {
      if (!std::equal(context + p, context + p + g, context + n - g)) continue;
      const size_t length = std::min(capacity, n - (p + g));
      std::copy_n(context + p + g, length, draft);
      self.last_draft_.assign(draft, draft + length);
      return static_cast<int32_t>(length);
    }
  }
  return 0;
}

}  // namespace nxs::test
