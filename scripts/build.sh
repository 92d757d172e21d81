#!/usr/bin/env bash
# Configures where needed and builds everything, the Python module included.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

python="$VENV/bin/python"
configured="$BUILD/.configured-$(cat CMakePresets.json <(echo "$python") | sha256sum | cut -c1-16)"
if [[ ! -e $configured || ! -e $BUILD/build.ninja ]]; then
  step configure "configuring" cmake --preset default -DPython_EXECUTABLE="$python" -DTILEKILN_PYTHON=ON ||
    fail "cmake could not configure the build"
  rm -f "$BUILD"/.configured-*
  touch "$configured"
fi
step build "building (a first build takes some minutes)" ninja -C build || fail "the build failed"
