// SPDX-License-Identifier: Apache-2.0 OR MIT
// Line by line what docs/receipt.md says. Change both, and the number in front.
#include "decode/receipt.h"

namespace nxs::decode {

namespace {

constexpr uint32_t kFlagIgnoreStop = 1;

void add_token(Hasher& h, int32_t token) {
  h.u32(static_cast<uint32_t>(token));
}

}  // namespace

Hasher begin_receipt(const Digest& model, bool kv_f32, std::span<const int32_t> before, const Params& params,
                     const StopStrings& stops) {
  Hasher h;
  h.digest(model);
  h.u32(kv_f32 ? 1 : 0);
  h.u64(before.size());
  for (const int32_t token : before) add_token(h, token);
  h.u32(params.ignore_stop ? kFlagIgnoreStop : 0);
  h.u64(static_cast<uint64_t>(params.max_new));
  h.f32(0.0f);  // temperature: greedy
  h.u32(0);     // end of the (tag, value) list of fields that are not at their default
  h.u64(stops->size());
  for (const std::string& stop : *stops) h.text(stop.data(), stop.size());
  return h;
}

std::string finish_receipt(const Hasher& begun, std::span<const ChosenRow> chosen, size_t n_emitted) {
  Hasher h(begun);
  for (const ChosenRow& c : chosen) {
    add_token(h, c.token);
    h.digest(c.row);
  }
  h.u64(chosen.size());
  h.u64(n_emitted);
  return "1:" + h.finish().hex();
}

}  // namespace nxs::decode
