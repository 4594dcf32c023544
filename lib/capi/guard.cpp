// SPDX-License-Identifier: Apache-2.0 OR MIT
// The only place where exceptions become statuses. Nothing here allocates: it must work when memory has ended.
#include "capi/guard.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

namespace nxs::capi {

namespace {

Error internal(const char* what) noexcept {
  Error error{Status::kInternal, ""};
  std::snprintf(error.message, sizeof error.message, "%s", what);
  return error;
}

}  // namespace

Error current_error() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {Status::kMemory, "out of memory"};
  } catch (const std::exception& e) {
    return internal(e.what());
  } catch (...) {
    return internal("an exception of unknown type");
  }
}

nxs_status report(nxs_error* err, const Error& error) noexcept {
  static_assert(sizeof(nxs_error) == 256 && sizeof err->message == sizeof error.message);
  const auto status = static_cast<nxs_status>(error.status);
  if (err != nullptr) {
    err->status = status;
    std::memcpy(err->message, error.message, sizeof err->message);
  }
  return status;
}

}  // namespace nxs::capi
