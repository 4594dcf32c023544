// SPDX-License-Identifier: Apache-2.0 OR MIT
// Two indexes: the context, which is rewound and grows, and the added texts, which only grow.
#include "decode/prompt_lookup.h"

#include <algorithm>
#include <cstring>

namespace nxs::decode {

namespace {

/// How many tokens before `place` are those that `context` ends with, the last g known to be.
size_t matched(std::span<const int32_t> text, size_t place, std::span<const int32_t> context, size_t g) {
  size_t n = g;
  while (n < Evidence::kMostMatched && n < place + g && n < context.size() &&
         text[place + g - 1 - n] == context[context.size() - 1 - n])
    ++n;
  return n;
}

/// For `draft`, which followed the context's last g tokens at `place`: beside what followed them at the place before.
void weigh(const NgramIndex& index, size_t place, std::span<const int32_t> context, size_t g,
           std::span<const int32_t> draft, std::vector<Evidence>& evidence) {
  const std::span<const int32_t> text = index.tokens();
  const size_t behind = matched(text, place, context, g), before = index.find(context.last(g), place);
  bool compares = before != NgramIndex::kNone;
  for (size_t j = 0; j < draft.size(); ++j) {
    Evidence::Earlier earlier = Evidence::Earlier::kNone;
    compares = compares && text[before + g + j] != NgramIndex::kBorder;
    if (compares) {
      compares = text[before + g + j] == draft[j];
      earlier = compares ? Evidence::Earlier::kSame : Evidence::Earlier::kOther;
    }
    evidence.push_back({static_cast<uint8_t>(std::min<size_t>(behind + j, Evidence::kMostMatched)), earlier});
  }
}

}  // namespace

PromptLookup::PromptLookup(const LookupLimits& limits)
    : limits_(limits), context_(limits.ngram_min, limits.ngram_max), added_(limits.ngram_min, limits.ngram_max) {}

void PromptLookup::set_context(std::span<const int32_t> context) {
  const std::span<const int32_t> known = context_.tokens();
  size_t common = known.size();
  // Within a run the context only grows: one memcmp says so.
  if (common > context.size() || (common != 0 && std::memcmp(known.data(), context.data(), known.size_bytes()) != 0)) {
    const auto differ = std::mismatch(known.begin(), known.end(), context.begin(), context.end());
    common = static_cast<size_t>(differ.first - known.begin());
  }
  if (common < known.size()) context_.rewind(common);
  context_.append(context.subspan(common));
}

void PromptLookup::add_text(std::span<const int32_t> tokens) {
  const size_t before = added_.tokens().size();
  try {
    added_.append(tokens);
    added_.append(std::span(&NgramIndex::kBorder, 1));
  } catch (...) {
    added_.rewind(before);
    throw;
  }
  for (const int32_t token : tokens) largest_added_ = std::max(largest_added_, token);
}

size_t PromptLookup::draft(std::span<int32_t> out, std::vector<Evidence>* evidence) const {
  if (evidence) evidence->clear();
  const std::span<const int32_t> context = context_.tokens();
  const size_t most = std::min(out.size(), limits_.draft_max);
  if (most == 0) return 0;
  for (const NgramIndex* index : {&context_, &added_}) {
    const std::span<const int32_t> text = index->tokens();
    for (size_t g = std::min(limits_.ngram_max, context.size()); g >= limits_.ngram_min; --g) {
      const size_t place = index->find(context.last(g));
      if (place == NgramIndex::kNone) continue;
      size_t n = 0;
      for (size_t i = place + g; n < most && i < text.size() && text[i] != NgramIndex::kBorder; ++i) out[n++] = text[i];
      if (evidence) weigh(*index, place, context, g, out.first(n), *evidence);
      return n;
    }
  }
  return 0;
}

}  // namespace nxs::decode
