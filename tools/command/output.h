// SPDX-License-Identifier: Apache-2.0 OR MIT
// Standard output. A write that fails is remembered with its reason, and ends the command with it.
#pragma once

#include <cstdint>
#include <string>

namespace cli {

[[gnu::format(printf, 1, 2)]] void print(const char* format, ...);
void write_bytes(const char* data, size_t size);
void write_line(const std::string& text);
void flush_output();
bool output_failed();
/// Flushes; throws std::runtime_error if this or any write before it failed.
void finish_output();

/// "1 token", "2 tokens".
std::string counted(int64_t n, const char* thing);

/// Whether lines may be drawn over on this descriptor: a terminal, and not a dumb one.
bool can_draw(int descriptor);
/// The same for colours, which NO_COLOR forbids.
bool can_colour(int descriptor);

}  // namespace cli
