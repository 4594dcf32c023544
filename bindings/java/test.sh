#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Usage: test.sh: builds the library and its JNI part (build-java), the jar with both inside by Maven, and tests it. It needs a JDK of 17 or
# newer, Maven and SWIG; plugins and JUnit come from Maven Central. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../prefix.sh"
. "$here/../packages.sh"
need javac openjdk-17-jdk-headless
need mvn maven
need swig swig
find_models
build=$root/build-java
[ -f "$build/build.ninja" ] || quietly meson setup "$build" "$root" -Djava=enabled -Dtests=false -Dtools=false
quietly ninja -C "$build"
rm -rf "$build/native" "$build/maven/surefire-reports"
mkdir -p "$build/native"
cp -L "$build"/lib/libnxs.so.[0-9] "$build/bindings/java/libnxs_jni.so" "$build/native/"
status=0
mvn -q -B -Dstyle.color=never -f "$here/pom.xml" -Dnxs.build="$build" -Dnxs.version="$(sh "$root/tools/version.sh" version)" package || status=$?

# The jar as a new user has it: nothing but the class path, and the example of docs/bindings.md.
sed -n '/^```java$/,/^```$/{/^```/!p}' "$root/docs/bindings.md" >"$scratch/Example.java"
example=0
java -cp "$(ls "$build"/maven/libnxs-*.jar)" "$scratch/Example.java" "$NXS_TINY_MODEL" >"$scratch/example.log" 2>&1 || example=1
[ $example = 0 ] || cat "$scratch/example.log"

count() { cat "$build"/maven/surefire-reports/*.xml 2>/dev/null | grep -oP "<testsuite [^>]*\b$1=\"\K\d+" | awk '{n += $1} END {print n + 0}'; }
failed=$(($(count failures) + $(count errors))) skipped=$(count skipped)
passed=$(($(count tests) - failed - skipped + 1 - example)) failed=$((failed + example))
[ $status = 0 ] || [ $failed -gt 0 ] || failed=1 # it did not build, or crashed
grep -ho 'SKIPPED: .*' "$build"/maven/surefire-reports/*.xml | sort -u || true
report java $passed $failed $skipped
