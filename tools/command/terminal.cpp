// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "terminal.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <string>

#include "output.h"
#include "record.h"

namespace cli {

namespace {

constexpr int64_t kLongPrompt = 512;  // tokens; shorter prompts are over before a bar could be read
constexpr int kBarWidth = 40;
constexpr const char* kDraftedColour = "\033[36m";
constexpr const char* kPlainColour = "\033[0m";

double rate(int64_t n, double seconds) {
  return seconds > 0 ? static_cast<double>(n) / seconds : 0;
}

}  // namespace

Terminal::Terminal() : coloured_(can_colour(STDOUT_FILENO)), bar_wanted_(can_draw(STDERR_FILENO)) {}

int32_t Terminal::on_event(void* user, const nxs_event* event) {
  static_cast<Terminal*>(user)->show(*event);
  return output_failed() ? 1 : 0;
}

void Terminal::show(const nxs_event& event) {
  if (event.flags & NXS_EVENT_PREFILL) {
    bar(event.index);
    return;
  }
  clear_bar();
  const bool coloured = coloured_ && (event.flags & NXS_EVENT_DRAFTED) && event.text_len > 0;
  if (coloured) print("%s", kDraftedColour);
  write_bytes(event.text, event.text_len);
  if (coloured) print("%s", kPlainColour);
  if (event.flags & NXS_EVENT_END) print("\n");
  flush_output();
}

void Terminal::bar(int64_t done) {
  if (!bar_wanted_ || n_prompt_ < kLongPrompt) return;
  const auto filled = static_cast<size_t>(kBarWidth * done / n_prompt_);
  const std::string bar = std::string(filled, '#') + std::string(kBarWidth - filled, '.');
  fprintf(stderr, "\rreading the prompt [%s] %" PRId64 "/%" PRId64, bar.c_str(), done, n_prompt_);
  fflush(stderr);
  bar_shown_ = true;
}

void Terminal::clear_bar() {
  if (!bar_shown_) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  bar_shown_ = false;
}

void Terminal::summary(const nxs_stats& stats, const char* receipt) const {
  fprintf(stderr,
          "[prompt %s, %.0f/s | %" PRId64 " new, %.0f/s | %s, %" PRId64 " of %" PRId64
          " drafted accepted | stop: %s | receipt %s]\n",
          counted(stats.n_prompt, "token").c_str(), rate(stats.n_prompt - stats.n_reused, stats.prefill_seconds),
          stats.n_emitted, rate(stats.n_emitted, stats.decode_seconds), counted(stats.n_forwards, "forward").c_str(),
          stats.n_accepted, stats.n_drafted, stop_name(stats.stop), receipt);
}

}  // namespace cli
