// SPDX-License-Identifier: Apache-2.0 OR MIT
// What this library is: versions and build facts.
#include "nxs.h"

#define NXS_TEXT_(x) #x
#define NXS_TEXT(x) NXS_TEXT_(x)

const char* nxs_version(void) {
  return NXS_TEXT(NXS_VERSION_MAJOR) "." NXS_TEXT(NXS_VERSION_MINOR) "." NXS_TEXT(NXS_VERSION_PATCH);
}
