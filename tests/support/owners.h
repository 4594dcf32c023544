// SPDX-License-Identifier: Apache-2.0 OR MIT
// Owners for handles of the public API, and a check that ends the program with the library's own message.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "nxs.h"

namespace nxs::test {

template <auto Close>
struct Closer {
  template <typename T>
  void operator()(T* handle) const {
    Close(handle);
  }
};

using Model = std::unique_ptr<nxs_model, Closer<nxs_model_close>>;
using Session = std::unique_ptr<nxs_session, Closer<nxs_session_close>>;
using Seq = std::unique_ptr<nxs_seq, Closer<nxs_seq_close>>;
using Drafter = std::unique_ptr<nxs_drafter, Closer<nxs_drafter_close>>;
using Result = std::unique_ptr<nxs_result, Closer<nxs_result_close>>;

inline void must(nxs_status status, const nxs_error& error, const char* what) {
  if (status == NXS_OK) return;
  fprintf(stderr, "%s: %s: %s\n", what, nxs_status_name(status), error.message);
  exit(1);
}

}  // namespace nxs::test
