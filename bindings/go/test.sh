#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Usage: test.sh [PREFIX]: formats, vets and tests the Go package against the library installed in PREFIX (see ../prefix.sh), and uses it
# from a module outside this tree. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../prefix.sh"
use_prefix "$@"
cd "$here"
# Go's cache of builds does not see what pkg-config says, but it does see this.
export CGO_LDFLAGS="-L$(pkg-config --variable=libdir nxs)" CGO_CFLAGS="-O2 -g -Wall -Werror -I$(pkg-config --variable=includedir nxs)"
export GOFLAGS=-mod=mod GOTOOLCHAIN=local GOPROXY=off # there are no dependencies

formatted() {
  gofmt -l . | tee "$scratch/unformatted"
  [ ! -s "$scratch/unformatted" ]
}

# A new user's module, in an empty folder: the example of docs/bindings.md, and one of examples/.
consumer() {
  mkdir "$scratch/consumer" "$scratch/consumer/documented"
  cp examples/decode/main.go "$scratch/consumer/"
  {
    printf 'package main\n\nimport (\n"context"\n"fmt"\n"os"\n"nxs"\n)\n\nfunc run(ctx context.Context, path string) error {\n'
    sed -n '/^```go$/,/^```$/{/^```/!p}' "$here/../../docs/bindings.md"
    printf 'return nil\n}\n\nfunc main() {\nif err := run(context.Background(), os.Args[1]); err != nil {\npanic(err)\n}\n}\n'
  } >"$scratch/consumer/documented/main.go"
  (
    cd "$scratch/consumer"
    go mod init example.org/consumer
    go mod edit -require nxs@v0.0.0 -replace "nxs=$here"
    go build -o bin/ ./...
    [ -n "${NXS_TINY_MODEL:-}" ] || return 0
    bin/consumer "$NXS_TINY_MODEL" && bin/documented "$NXS_TINY_MODEL"
  )
}

# tests NAME ARGUMENTS...: runs the tests and counts them one by one.
tests() {
  local name=$1 status=0
  shift
  go test -count=1 -v "$@" >"$scratch/log" 2>&1 || status=$?
  count() { grep -c "^ *--- $1" "$scratch/log" || true; }
  local ok bad skip
  ok=$(count PASS) bad=$(count FAIL) skip=$(count SKIP)
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
  echo "$name: $ok passed, $bad failed, $skip skipped"
  grep -E 'SKIPPED|resident:' "$scratch/log" | sort -u || true
  [ $status = 0 ] && return
  [ "$bad" -gt 0 ] || failed=$((failed + 1)) # it did not build, or crashed
  grep -v '^=== ' "$scratch/log"
}

step gofmt formatted
step "go vet" go vet ./...
step "go build" go build -o "$scratch/examples/" ./examples/...
step "the documented example, a module outside" consumer
tests "go test" .
tests "go test -race" -race .
report go $passed $failed $skipped
