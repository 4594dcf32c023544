#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Usage: test.sh [PREFIX]: generates the Go package of nxs.i and tests it against the library installed in PREFIX (see ../prefix.sh). It
# proves that the interface serves a third language; bindings/go is the package for use. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../prefix.sh"
. "$here/../packages.sh"
need go golang-go
need swig swig
use_prefix "$@"
include=$(pkg-config --variable=includedir nxs)
package=$scratch/swig
mkdir "$package"
cp "$here"/go/* "$package/"
swig -go -cgo -intgosize 64 -Wall -I"$here" -I"$include" -o "$package/nxs_wrap.c" "$here/nxs.i"
export CGO_CFLAGS="-g -O2 -I$include" CGO_LDFLAGS="-L$(pkg-config --variable=libdir nxs) -lnxs"
export GOFLAGS=-mod=mod GOTOOLCHAIN=local GOPROXY=off # there are no dependencies
status=0
(cd "$package" && go test -count=1 -v .) >"$scratch/log" 2>&1 || status=$?
count() { grep -c "^ *--- $1" "$scratch/log" || true; }
passed=$(count PASS) failed=$(count FAIL) skipped=$(count SKIP)
[ $status = 0 ] || { grep -v '^=== ' "$scratch/log"; [ "$failed" -gt 0 ] || failed=1; } # it did not build, or crashed
grep SKIPPED "$scratch/log" || true

# A new user's module: the example of docs/bindings.md.
mkdir "$scratch/example"
sed -n '/^```Go$/,/^```$/{/^```/!p}' "$root/docs/bindings.md" >"$scratch/example/main.go"
if (
  cd "$scratch/example"
  go mod init example.org/ask
  go mod edit -require nxs@v0.0.0 -replace "nxs=$package"
  go run . "$NXS_TINY_MODEL"
) >"$scratch/log" 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); cat "$scratch/log"; fi
report swig-go "$passed" "$failed" "$skipped"
