// SPDX-License-Identifier: Apache-2.0 OR MIT
// Line by line what docs/receipt.md says. Change both, and the number in front.
#include "decode/receipt.h"

#include <bit>

namespace nxs::decode {

namespace {

constexpr uint32_t kFlagIgnoreStop = 1;

void add_token(Hasher& h, int32_t token) {
  h.u32(static_cast<uint32_t>(token));
}

uint64_t bits_of(float x) {
  return std::bit_cast<uint32_t>(x);
}

/// The fields that have an effect and are not at their default, as (tag, value), and the list's end.
void add_fields(Hasher& h, const Sampling& s) {
  const Sampling defaults;
  const auto add = [&](uint32_t tag, uint64_t value, uint64_t usual) {
    if (value == usual) return;
    h.u32(tag);
    h.u64(value);
  };
  add(1, static_cast<uint64_t>(s.seed), static_cast<uint64_t>(defaults.seed));
  add(2, bits_of(s.top_p), bits_of(defaults.top_p));
  add(3, bits_of(s.min_p), bits_of(defaults.min_p));
  add(4, static_cast<uint64_t>(s.top_k), static_cast<uint64_t>(defaults.top_k));
  add(5, bits_of(s.repeat_penalty), bits_of(defaults.repeat_penalty));
  add(6, static_cast<uint64_t>(s.repeat_last), static_cast<uint64_t>(defaults.repeat_last));
  h.u32(0);
}

}  // namespace

ReceiptText receipt_text(const Digest& digest) noexcept {
  constexpr char kDigits[] = "0123456789abcdef";
  ReceiptText text{'1', ':'};
  size_t n = 2;
  for (const uint8_t byte : digest.bytes) {
    text[n++] = kDigits[byte >> 4];
    text[n++] = kDigits[byte & 15];
  }
  return text;
}

Hasher begin_receipt(const Digest& model, bool kv_f32, std::span<const int32_t> before) {
  Hasher h;
  h.digest(model);
  h.u32(kv_f32 ? 1 : 0);
  h.u64(before.size());
  for (const int32_t token : before) add_token(h, token);
  return h;
}

void add_params(Hasher& h, const Params& params, const StopStrings& stops) noexcept {
  h.u32(params.ignore_stop ? kFlagIgnoreStop : 0);
  h.u64(static_cast<uint64_t>(params.max_new));
  h.f32(params.sampling.temperature);
  add_fields(h, params.sampling);
  h.u64(stops->size());
  for (const std::string& stop : *stops) h.text(stop.data(), stop.size());
}

ReceiptText finish_receipt(Hasher& h, std::span<const ChosenRow> chosen, size_t n_emitted) noexcept {
  for (const ChosenRow& c : chosen) {
    add_token(h, c.token);
    h.digest(c.row);
  }
  h.u64(chosen.size());
  h.u64(n_emitted);
  return receipt_text(h.finish());
}

}  // namespace nxs::decode
