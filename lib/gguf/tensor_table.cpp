// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "gguf/tensor_table.h"

#include <algorithm>
#include <cinttypes>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/status.h"

namespace nxs::gguf {

namespace {

constexpr uint64_t kLongestName = 64;  // the format's own limit
constexpr uint32_t kMostDims = 4;
constexpr uint64_t kMostElements = uint64_t{1} << 62;  // far above any file, and sums of a few stay in range

/// `named` is "tensor 'x'".
void read_shape(Reader& in, TensorInfo& tensor, const std::string& named) {
  const uint64_t start = in.position();
  const auto n_dims = in.number<uint32_t>(named);
  if (n_dims < 1 || n_dims > kMostDims) {
    fail(Status::kFormat, "%s at byte %" PRIu64 " has %" PRIu32 " dimensions, 1 to 4 are possible", named.c_str(),
         start, n_dims);
  }
  uint64_t elements = 1;
  for (uint32_t i = 0; i < n_dims; ++i) {
    const auto dim = in.number<uint64_t>(named);
    if (dim == 0 || __builtin_mul_overflow(elements, dim, &elements) || elements > kMostElements) {
      fail(Status::kFormat, "%s: dimension %" PRIu32 " at byte %" PRIu64 " is %" PRId64 ", which no tensor can have",
           named.c_str(), i, start + 4 + 8 * uint64_t{i}, static_cast<int64_t>(dim));
    }
    tensor.shape.push_back(dim);
  }
}

void read_type(Reader& in, TensorInfo& tensor, const std::string& named) {
  const uint64_t start = in.position();
  const auto type = in.number<uint32_t>(named);
  if (!tensor::from_ggml(type, &tensor.type)) {
    const char* name = tensor::ggml_type_name(type);
    if (name == nullptr) {
      fail(Status::kFormat, "%s: unknown tensor type %" PRIu32 " at byte %" PRIu64, named.c_str(), type, start);
    }
    fail(Status::kUnsupported, "%s: tensor type %s at byte %" PRIu64 " is not supported", named.c_str(), name, start);
  }
  const tensor::DTypeInfo& format = tensor::info(tensor.type);
  if (tensor.shape[0] % format.block_elems != 0) {
    fail(Status::kFormat,
         "%s at byte %" PRIu64 ": rows of %" PRIu64 " elements are no multiple of %s's block of %" PRIu32,
         named.c_str(), start, tensor.shape[0], format.name, format.block_elems);
  }
  const uint64_t blocks = tensor.shape[0] / format.block_elems * tensor.rows();
  if (__builtin_mul_overflow(blocks, uint64_t{format.block_bytes}, &tensor.bytes)) {
    fail(Status::kFormat, "%s at byte %" PRIu64 ": its size in bytes does not fit 64 bits", named.c_str(), start);
  }
}

}  // namespace

std::vector<TensorInfo> read_tensor_table(Reader& in, uint64_t n) {
  std::vector<TensorInfo> tensors;
  std::unordered_set<std::string> names;
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t start = in.position();
    TensorInfo tensor;
    tensor.name = in.string("tensor " + std::to_string(i + 1) + " of " + std::to_string(n), kLongestName);
    if (tensor.name.empty()) fail(Status::kFormat, "tensor %" PRIu64 " at byte %" PRIu64 " has no name", i + 1, start);
    const std::string named = "tensor '" + printable(tensor.name) + "'";
    if (!names.insert(tensor.name).second) {
      fail(Status::kFormat, "%s at byte %" PRIu64 " stands twice", named.c_str(), start);
    }
    read_shape(in, tensor, named);
    read_type(in, tensor, named);
    tensor.offset = in.number<uint64_t>(named);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

void place_tensors(std::vector<TensorInfo>& tensors, uint64_t data_start, uint64_t alignment, uint64_t file_bytes) {
  // data_start <= file_bytes, so this wraps for no file that exists.
  const uint64_t base = (data_start + alignment - 1) / alignment * alignment;
  std::vector<const TensorInfo*> order;
  for (TensorInfo& tensor : tensors) {
    if (tensor.offset % alignment != 0) {
      fail(Status::kFormat, "tensor '%s': offset %" PRIu64 " is no multiple of the alignment %" PRIu64,
           printable(tensor.name).c_str(), tensor.offset, alignment);
    }
    const uint64_t room = base <= file_bytes ? file_bytes - base : 0;
    if (tensor.offset > room || tensor.bytes > room - tensor.offset) {
      fail(Status::kFormat,
           "tensor '%s': %" PRIu64 " bytes at offset %" PRIu64 " of the data (byte %" PRIu64
           ") end after the file's %" PRIu64 " bytes",
           printable(tensor.name).c_str(), tensor.bytes, tensor.offset, base, file_bytes);
    }
    tensor.offset += base;
    order.push_back(&tensor);
  }
  std::sort(order.begin(), order.end(), [](const TensorInfo* a, const TensorInfo* b) { return a->offset < b->offset; });
  for (size_t i = 1; i < order.size(); ++i) {
    const TensorInfo &before = *order[i - 1], &after = *order[i];
    if (after.offset - before.offset >= before.bytes) continue;
    fail(Status::kFormat, "tensor '%s' at byte %" PRIu64 " overlaps tensor '%s' at byte %" PRIu64,
         printable(after.name).c_str(), after.offset, printable(before.name).c_str(), before.offset);
  }
}

}  // namespace nxs::gguf
