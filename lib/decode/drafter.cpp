// SPDX-License-Identifier: Apache-2.0 OR MIT
// Drafters run between forwards; their time is part of decoding and reported by itself.
#include "decode/drafter.h"

#include "base/float_env.h"
#include "base/status.h"

namespace nxs::decode {

void LookupDrafter::check(int32_t n_vocab) const {
  if (lookup_.largest_added() >= n_vocab) {
    fail(Status::kArgument, "drafter: its text has token %d, the model's vocabulary %d tokens", lookup_.largest_added(),
         n_vocab);
  }
}

size_t LookupDrafter::draft(std::span<const int32_t> context, std::span<int32_t> out, uint64_t) {
  lookup_.set_context(context);
  return lookup_.draft(out, adaptive() ? &evidence_ : nullptr);
}

size_t CustomDrafter::draft(std::span<const int32_t> context, std::span<int32_t> out, uint64_t caller_word) {
  struct Call {
    CustomDrafter* self;
    std::span<const int32_t> context;
    std::span<int32_t> out;
    int32_t n;
  } call{this, context, out, 0};
  run_with_word(
      caller_word,
      [](void* arg) {
        Call& c = *static_cast<Call*>(arg);
        c.n = c.self->function_(c.self->user_, c.context.data(), c.context.size(), c.out.data(), c.out.size());
      },
      &call);
  if (call.n < 0) fail(Status::kCallback, "drafter: the callback returned %d", call.n);
  const auto n = static_cast<size_t>(call.n);
  if (n > out.size())
    fail(Status::kCallback, "drafter: the callback returned %zu tokens, the capacity is %zu", n, out.size());
  return n;
}

}  // namespace nxs::decode
