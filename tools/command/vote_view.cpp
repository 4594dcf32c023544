// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "vote_view.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>

#include "output.h"
#include "vote_record.h"

namespace cli {

namespace {

constexpr auto kBetweenDrawings = std::chrono::milliseconds(50);
constexpr uint32_t kMostLines = 4096;  // no screen has more

struct Size {
  size_t columns = 80, rows = 24;
};

Size terminal_size() {
  struct winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

/// The last `width` characters on one line: control characters as blanks, no part of a character.
std::string end_of(const std::string& text, size_t width) {
  size_t first = text.size(), n = 0;
  while (first > 0 && n < width) {
    --first;
    if ((static_cast<unsigned char>(text[first]) & 0xC0) != 0x80) ++n;
  }
  while (first < text.size() && (static_cast<unsigned char>(text[first]) & 0xC0) == 0x80) ++first;
  std::string end = text.substr(first);
  std::replace_if(
      end.begin(), end.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return end;
}

/// Called within a callback, so it throws nothing of its own.
std::string extract(uint32_t extractor, const std::string& text) {
  size_t n = 0;
  if (nxs_extract(nullptr, 0, &n, extractor, text.data(), text.size(), nullptr) != NXS_OK) return {};
  std::string answer(n, '\0');
  if (nxs_extract(answer.data(), n, &n, extractor, text.data(), text.size(), nullptr) != NXS_OK) return {};
  return answer;
}

/// "4 samples, 2 of 4 cut at --max-new", "2 of 4 samples, 2 not needed".
std::string samples_line(const nxs_vote* vote) {
  const int32_t n = nxs_vote_n_samples(vote), skipped = nxs_vote_n_skipped(vote);
  int32_t cut = 0;
  for (int32_t s = 0; s < n; ++s) {
    cut += nxs_result_stats(nxs_vote_sample(vote, s))->stop == NXS_STOP_MAX_NEW ? 1 : 0;
  }
  std::string line = (skipped > 0 ? std::to_string(n) + " of " : "") + counted(n + skipped, "sample");
  if (skipped > 0) line += ", " + std::to_string(skipped) + " not needed";
  if (cut > 0) line += ", " + std::to_string(cut) + " of " + std::to_string(n) + " cut at --max-new";
  return line;
}

}  // namespace

VoteView::VoteView(uint32_t n_samples, uint32_t extractor)
    : extractor_(extractor), drawn_(can_draw(STDERR_FILENO)), lines_(std::min(n_samples, kMostLines)) {}

int32_t VoteView::on_event(void* user, const nxs_event* event) {
  auto& view = *static_cast<VoteView*>(user);
  if (view.drawn_) view.take(*event);
  return 0;
}

void VoteView::take(const nxs_event& event) {
  const auto sample = static_cast<size_t>(event.sample);
  if (sample >= lines_.size()) lines_.resize(sample + 1);
  Line& line = lines_[sample];
  const bool ended = (event.flags & NXS_EVENT_END) != 0;
  line.state = ended ? "done" : (event.flags & NXS_EVENT_PREFILL) ? "prompt" : "running";
  if ((event.flags & NXS_EVENT_PREFILL) == 0) line.n_tokens = ended ? event.index : event.index + 1;
  line.text.append(event.text, event.text_len);
  if (ended) line.answer = extract(extractor_, line.text);
  const auto now = std::chrono::steady_clock::now();
  if (!ended && now - drawn_at_ < kBetweenDrawings) return;
  drawn_at_ = now;
  draw();
}

/// Samples that do not fit on the screen are left out; the tally counts them.
void VoteView::draw() {
  const Size size = terminal_size();
  const size_t shown = std::min(lines_.size(), size.rows > 4 ? size.rows - 4 : 1);
  std::string out = n_drawn_ > 0 ? "\033[" + std::to_string(n_drawn_) + "A\r\033[J" : "";
  std::map<std::string, int> votes;
  for (const Line& line : lines_) {
    if (!line.answer.empty()) ++votes[line.answer];
  }
  char head[96];
  for (size_t s = 0; s < shown; ++s) {
    const Line& line = lines_[s];
    const int width = snprintf(head, sizeof head, "%4zu %-8s %5" PRId64 "  %-10.10s ", s, line.state, line.n_tokens,
                               line.answer.c_str());
    const size_t room = size.columns - std::min(size.columns, static_cast<size_t>(width) + 1);
    out += head + end_of(line.text, room) + "\n";
  }
  std::vector<std::pair<int, std::string>> tally;
  tally.reserve(votes.size());
  for (const auto& [answer, n] : votes) tally.emplace_back(-n, answer);
  std::sort(tally.begin(), tally.end());
  std::string below = "votes:";
  for (const auto& [n, answer] : tally) below += "  " + answer + " x" + std::to_string(-n);
  out += below.substr(0, size.columns - 1) + "\n";
  n_drawn_ = shown + 1;
  fwrite(out.data(), 1, out.size(), stderr);
  fflush(stderr);
}

void VoteView::summary(const nxs_vote* vote, int64_t kv_tokens_peak) {
  if (drawn_) draw();
  for (int32_t rank = 0; rank < nxs_vote_n_answers(vote); ++rank) {
    fprintf(stderr, "%6d  %s\n", nxs_vote_answer_count(vote, rank), nxs_vote_answer(vote, rank));
  }
  if (const int32_t n = no_answer(vote); n > 0) fprintf(stderr, "%6d  (no answer)\n", n);
  if (nxs_vote_is_tie(vote)) fputs("a tie: the answer of the lowest sample wins\n", stderr);
  const nxs_stats& s = *nxs_vote_stats(vote);
  fprintf(stderr,
          "[%s | prompt %s, %.2f s | %" PRId64 " new, %.2f s | %s of %.1f rows | KV %s at the peak | receipt %s]\n",
          samples_line(vote).c_str(), counted(s.n_prompt, "token").c_str(), s.prefill_seconds, s.n_emitted,
          s.decode_seconds, counted(s.n_forwards, "forward").c_str(),
          s.n_forwards > 0 ? static_cast<double>(s.n_rows) / static_cast<double>(s.n_forwards) : 0.0,
          counted(kv_tokens_peak, "token").c_str(), nxs_vote_receipt(vote));
}

}  // namespace cli
