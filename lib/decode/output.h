// SPDX-License-Identifier: Apache-2.0 OR MIT
// What a run has chosen, and how far it may be handed out. Rounds put tokens in (several at once when drafts are
// accepted), the run hands them out one by one; nothing that is seen outside may depend on how many come at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/params.h"
#include "decode/receipt.h"
#include "decode/stopping.h"
#include "text/tokenizer.h"

namespace nxs::decode {

class Output {
 public:
  /// `context_left`: tokens that the context still holds.
  Output(const text::Tokenizer& tokenizer, const StopStrings& stops, const Params& params, int64_t context_left);

  // Filling. Text is held back while it may begin a stop string.
  /// Takes the token that a row chose. False when the run ends with it; a token that a stop consumed is not emitted.
  bool take(int32_t token, bool drafted);
  /// Digests of the rows that chose the tokens since the last call.
  void add_rows(std::span<const Digest> rows);
  /// Log-probabilities of them, where they are kept.
  void add_logprobs(std::span<const float> logprobs);
  /// The row after the last token is bad: the run fails once all before it is handed out.
  void fail_numeric(int64_t position, int32_t layer);
  /// No further token can be computed (kKvFull): what was held may go out.
  void finish(Stop reason);

  /// Tokens that may still be chosen.
  int64_t left() const { return limit_ - static_cast<int64_t>(chosen_.size()); }
  Stop stop() const { return stop_; }
  bool failed() const { return failed_layer_ >= 0; }
  int64_t failed_position() const { return failed_position_; }
  int32_t failed_layer() const { return failed_layer_; }

  // Handing out.
  bool ready() const { return delivered_ < released_; }
  /// True when plain decoding, having handed out the same tokens, would know that the run is over. (It has chosen no
  /// token beyond the one that made the last one safe to hand out.) From then on it cannot be cancelled any more.
  bool over() const;
  struct Token {
    int32_t id;
    bool drafted;
    std::string_view piece;  ///< its bytes, without what a stop string took
  };
  Token deliver();

  // What has been handed out.
  size_t delivered() const { return delivered_; }
  int32_t token(size_t i) const { return chosen_[i].id; }
  bool drafted(size_t i) const { return chosen_[i].drafted; }
  std::vector<float> logprobs() const;
  std::string_view text() const { return std::string_view(text_).substr(0, end_of(delivered_)); }
  /// Tokens and rows of the receipt: those handed out, and with `with_stop` those that the stop consumed too.
  std::vector<ChosenRow> receipt_rows(bool with_stop) const;

 private:
  struct Chosen {
    int32_t id;
    bool drafted;
    size_t text_end;     ///< in text_
    size_t released_by;  ///< index of the token that made this one safe to hand out
  };

  size_t end_of(size_t n) const { return n == 0 ? 0 : std::min(chosen_[n - 1].text_end, text_.size()); }
  void release(size_t n);
  void end(Stop reason, size_t n_emitted);

  const text::Tokenizer& tokenizer_;
  StopText stop_text_;
  bool ignore_stop_;
  int64_t limit_;
  Stop limit_reason_;
  std::vector<Chosen> chosen_;
  std::vector<Digest> rows_;
  std::vector<float> logprobs_;
  std::string text_;
  size_t released_ = 0, delivered_ = 0;
  Stop stop_ = Stop::kNone;
  int64_t failed_position_ = 0;
  int32_t failed_layer_ = -1;
};

}  // namespace nxs::decode
