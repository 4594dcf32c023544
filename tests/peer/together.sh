#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# libnxs and libllama in one process.
#   tests/peer/together.sh MODEL [BUILD_DIR] [PEER_DIR]
set -euo pipefail
. "$(dirname "$0")/setup.sh"
with_peer together
"$work/together" "$build/lib/libnxs.so.0" "$model"
