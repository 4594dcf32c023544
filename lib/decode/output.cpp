// SPDX-License-Identifier: Apache-2.0 OR MIT
// Chosen, released (safe to hand out), delivered: three counts over one list. Only `chosen` runs ahead in speculative
// decoding.
#include "decode/output.h"

namespace nxs::decode {

Output::Output(const text::Tokenizer& tokenizer, const StopStrings& stops, const Params& params, int64_t context_left)
    : tokenizer_(tokenizer), stop_text_(stops), ignore_stop_(params.ignore_stop) {
  const bool by_context = params.max_new < 0 || params.max_new > context_left;
  limit_ = by_context ? context_left : params.max_new;
  limit_reason_ = by_context ? Stop::kContext : Stop::kMaxNew;
  if (limit_ == 0) stop_ = limit_reason_;
}

/// `released_by` is what plain decoding has chosen when it hands the token out; see over().
void Output::release(size_t n) {
  for (; released_ < n; ++released_) chosen_[released_].released_by = chosen_.size() - 1;
}

void Output::end(Stop reason, size_t n_emitted) {
  stop_ = reason;
  release(n_emitted);
}

bool Output::take(int32_t token, bool drafted) {
  if (!ignore_stop_ && tokenizer_.vocabulary().is_stop(token)) {
    chosen_.push_back({token, drafted, text_.size(), 0});
    end(Stop::kToken, chosen_.size() - 1);
    return false;
  }
  const std::string_view piece = tokenizer_.piece(token);
  text_.append(piece);
  chosen_.push_back({token, drafted, text_.size(), 0});
  if (stop_text_.push(piece)) {
    // Emitted are all before the first token that lies within the stop string.
    const size_t cut = stop_text_.cut();
    size_t n = released_;
    while (n < chosen_.size() && (chosen_[n].text_end <= cut || (n == 0 ? 0 : chosen_[n - 1].text_end) < cut)) ++n;
    text_.resize(cut);
    end(Stop::kText, n);
    return false;
  }
  if (left() == 0) {
    end(limit_reason_, chosen_.size());
    return false;
  }
  size_t n = released_;
  while (n < chosen_.size() && chosen_[n].text_end <= stop_text_.safe()) ++n;
  release(n);
  return true;
}

void Output::add_rows(std::span<const Digest> rows) {
  rows_.insert(rows_.end(), rows.begin(), rows.end());
}

void Output::add_logprobs(std::span<const float> logprobs) {
  logprobs_.insert(logprobs_.end(), logprobs.begin(), logprobs.end());
}

std::vector<float> Output::logprobs() const {
  return {logprobs_.begin(), logprobs_.begin() + static_cast<ptrdiff_t>(delivered_)};
}

void Output::fail_numeric(int64_t position, int32_t layer) {
  failed_position_ = position;
  failed_layer_ = layer;
}

void Output::finish(Stop reason) {
  end(reason, chosen_.size());
}

bool Output::over() const {
  if (stop_ == Stop::kNone || ready()) return false;
  return delivered_ == 0 ? chosen_.empty() : chosen_[delivered_ - 1].released_by == chosen_.size() - 1;
}

Output::Token Output::deliver() {
  const size_t begin = end_of(delivered_);
  const Chosen& c = chosen_[delivered_++];
  return {c.id, c.drafted, std::string_view(text_).substr(begin, end_of(delivered_) - begin)};
}

std::vector<ChosenRow> Output::receipt_rows(bool with_stop) const {
  std::vector<ChosenRow> rows;
  const size_t n = with_stop ? chosen_.size() : delivered_;
  rows.reserve(n);
  for (size_t i = 0; i < n; ++i) rows.push_back({chosen_[i].id, rows_[i]});
  return rows;
}

}  // namespace nxs::decode
