// SPDX-License-Identifier: Apache-2.0 OR MIT
// Any bytes: File::parse returns a header whose claims all hold, or throws a Status that a file can cause.
#include <cstdlib>

#include "fuzz/fuzz_target.h"
#include "gguf/gguf.h"
#include "support/error_of.h"

namespace {

using nxs::Status;

void require(bool ok) {
  if (!ok) std::abort();
}

void require_file_error(const nxs::test::Thrown& thrown) {
  require(thrown.status == Status::kOk || thrown.status == Status::kFormat || thrown.status == Status::kUnsupported);
  require(thrown.status == Status::kOk || !thrown.message.empty());
}

void check_header(const nxs::gguf::File& file, size_t size) {
  for (const nxs::gguf::TensorInfo& tensor : file.tensors()) {
    require(tensor.offset <= size && tensor.bytes <= size - tensor.offset);
    require(!tensor.shape.empty() && tensor.shape.size() <= 4);
    require(file.find_tensor(tensor.name) == &tensor);
  }
  for (const auto& [key, value] : file.values()) {
    require(file.find(key) == &value);
    require_file_error(nxs::test::error_of([&, &k = key] { file.uint(k); }));
    require_file_error(nxs::test::error_of([&, &k = key] { file.integers(k); }));
    require_file_error(nxs::test::error_of([&, &k = key] { file.required_strings(k); }));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto source = nxs::borrow_memory(data, size);
  require_file_error(nxs::test::error_of([&] { check_header(nxs::gguf::File::parse(*source), size); }));
  return 0;
}
