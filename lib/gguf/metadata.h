// SPDX-License-Identifier: Apache-2.0 OR MIT
// The first two parts of a file: its fixed header and the key-value pairs. For File::parse.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "gguf/gguf.h"
#include "gguf/reader.h"

namespace nxs::gguf {

struct Header {
  uint32_t version;
  uint64_t n_tensors, n_values;
};

/// Magic, version and the two counts, which are checked against the bytes that are left.
Header read_header(Reader& in);

/// Bytes of one scalar in a file; 0 for strings, arrays and unknown types.
uint32_t scalar_bytes(Type type);

/// `n` pairs. Nested arrays are kUnsupported, everything else that is wrong kFormat.
std::unordered_map<std::string, Value> read_values(Reader& in, uint64_t n);

}  // namespace nxs::gguf
