// SPDX-License-Identifier: Apache-2.0 OR MIT
// The engine's one way to fail: an Error by value, whose text needs no allocation. capi turns it into nxs_status and
// nxs_error.
#pragma once

#include <cstdint>

namespace nxs {

/// Equal to NXS_ERR_* of the public header, number by number (capi asserts it).
enum class Status : int32_t {
  kOk = 0,
  kInternal = -1,
  kArgument = -2,
  kMemory = -3,
  kBuffer = -4,
  kBusy = -5,
  kForked = -6,
  kCancelled = -7,
  kUnsupported = -8,
  kIo = -9,
  kFormat = -10,
  kUnencodable = -11,
  kTemplate = -12,
  kContext = -13,
  kKvFull = -14,
  kCallback = -15,
  kNumeric = -16,
  kNoAnswer = -17,
  kRange = -18,
  kSelftest = -19,
};

/// What is thrown. The message is NUL-terminated UTF-8 of at most 251 bytes; a longer one is cut in its middle.
struct Error {
  Status status;
  char message[252];
};

/// Throws an Error with a printf-like message that names the thing and the place ("tensor 'blk.0.attn_q.weight': ...").
[[noreturn]] __attribute__((format(printf, 2, 3))) void fail(Status status, const char* format, ...);

}  // namespace nxs
