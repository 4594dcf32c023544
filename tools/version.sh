#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Prints what the public header says: `version` (MAJOR.MINOR.PATCH) or `soversion`.
set -eu
header="$(dirname "$0")/../include_c/nxs.h"
get() { sed -n "s/^#define NXS_$1 \([0-9][0-9]*\).*/\1/p" "$header"; }
case "$1" in
  version) echo "$(get VERSION_MAJOR).$(get VERSION_MINOR).$(get VERSION_PATCH)" ;;
  soversion) get SOVERSION ;;
  *) echo "usage: version.sh version|soversion" >&2; exit 2 ;;
esac
