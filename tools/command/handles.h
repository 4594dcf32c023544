// SPDX-License-Identifier: Apache-2.0 OR MIT
// Owners for the library's handles, and its errors as exceptions. The command sees the library through nxs.h alone.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "nxs.h"

namespace cli {

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
using Vote = std::unique_ptr<nxs_vote, Closer<nxs_vote_close>>;

/// Wrong use of the command: exit status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A call of the library that failed: exit status 1.
struct Failure : std::runtime_error {
  Failure(nxs_status status, const nxs_error& error)
      : std::runtime_error(std::string(error.message) + " [" + nxs_status_name(status) + "]") {}
};

/// Throws when `status` says that the call which filled `error` failed.
inline void check(nxs_status status, const nxs_error& error) {
  if (status != NXS_OK) throw Failure(status, error);
}

}  // namespace cli
