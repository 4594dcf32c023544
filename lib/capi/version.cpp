// SPDX-License-Identifier: Apache-2.0 OR MIT
// What this library is: versions, build facts, names of statuses.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <utf8proc.h>
#include <xxhash.h>

#include <xtensor/xtensor_config.hpp>

#include "base/status.h"
#include "nxs.h"

#define NXS_TEXT_(x) #x
#define NXS_TEXT(x) NXS_TEXT_(x)
#define NXS_TRIPLE(a, b, c) NXS_TEXT(a) "." NXS_TEXT(b) "." NXS_TEXT(c)

#if defined(__x86_64__)
#define NXS_ISAS "\"reference\",\"avx2\",\"avx512\""
#else
#define NXS_ISAS "\"reference\""
#endif

const char* nxs_version(void) {
  return NXS_TRIPLE(NXS_VERSION_MAJOR, NXS_VERSION_MINOR, NXS_VERSION_PATCH);
}

const char* nxs_build_info(void) {
  return "{\"version\":\"" NXS_TRIPLE(NXS_VERSION_MAJOR, NXS_VERSION_MINOR, NXS_VERSION_PATCH)
         "\",\"compiler\":\"" __VERSION__ "\",\"isas\":[" NXS_ISAS
         "],\"libraries\":{\"pcre2\":\"" NXS_TEXT(PCRE2_MAJOR) "." NXS_TEXT(PCRE2_MINOR)
         "\",\"utf8proc\":\"" NXS_TRIPLE(UTF8PROC_VERSION_MAJOR, UTF8PROC_VERSION_MINOR, UTF8PROC_VERSION_PATCH)
         "\",\"xxhash\":\"" NXS_TRIPLE(XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE)
         "\",\"xtensor\":\"" NXS_TRIPLE(XTENSOR_VERSION_MAJOR, XTENSOR_VERSION_MINOR, XTENSOR_VERSION_PATCH) "\"}}";
}

const char* nxs_status_name(nxs_status status) {
  static_assert(static_cast<int>(nxs::Status::kSelftest) == NXS_ERR_SELFTEST);
  switch (status) {
    case NXS_OK:
      return "NXS_OK";
    case NXS_ERR_INTERNAL:
      return "NXS_ERR_INTERNAL";
    case NXS_ERR_ARGUMENT:
      return "NXS_ERR_ARGUMENT";
    case NXS_ERR_MEMORY:
      return "NXS_ERR_MEMORY";
    case NXS_ERR_BUFFER:
      return "NXS_ERR_BUFFER";
    case NXS_ERR_BUSY:
      return "NXS_ERR_BUSY";
    case NXS_ERR_FORKED:
      return "NXS_ERR_FORKED";
    case NXS_ERR_CANCELLED:
      return "NXS_ERR_CANCELLED";
    case NXS_ERR_UNSUPPORTED:
      return "NXS_ERR_UNSUPPORTED";
    case NXS_ERR_IO:
      return "NXS_ERR_IO";
    case NXS_ERR_FORMAT:
      return "NXS_ERR_FORMAT";
    case NXS_ERR_UNENCODABLE:
      return "NXS_ERR_UNENCODABLE";
    case NXS_ERR_TEMPLATE:
      return "NXS_ERR_TEMPLATE";
    case NXS_ERR_CONTEXT:
      return "NXS_ERR_CONTEXT";
    case NXS_ERR_KV_FULL:
      return "NXS_ERR_KV_FULL";
    case NXS_ERR_CALLBACK:
      return "NXS_ERR_CALLBACK";
    case NXS_ERR_NUMERIC:
      return "NXS_ERR_NUMERIC";
    case NXS_ERR_NO_ANSWER:
      return "NXS_ERR_NO_ANSWER";
    case NXS_ERR_RANGE:
      return "NXS_ERR_RANGE";
    case NXS_ERR_SELFTEST:
      return "NXS_ERR_SELFTEST";
    default:
      return "unknown status";
  }
}
