#!/usr/bin/env bash
# Every check and every test; goes on after a failure, and ends with the closing lines of
# the runners. The exit status is that of the worst.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export PATH="$VENV/bin:$PATH"
mkdir -p "$LOGS"

failed=()
summary=()

# run NAME PATTERN COMMAND...: shows the output, keeps the closing lines that match.
run() {
  local name=$1 pattern=$2
  shift 2
  say "$name"
  "$@" 2>&1 </dev/null | tee "$LOGS/test-$name.log"
  local status=${PIPESTATUS[0]}
  ((status == 0)) || failed+=("$name")
  local closing
  closing=$(grep -E "$pattern" "$LOGS/test-$name.log" | tail -n 4)
  summary+=("$name: exit $status" "$closing")
}

run layers '.' python scripts/check_layers.py
run style '.' python scripts/check_style.py
run lit '^ *(Passed|Failed|Unsupported|Expectedly Failed|Unresolved|Total Discovered Tests) *:' lit -s -v test
run ctest 'tests passed|No tests were found' ctest --test-dir build --output-on-failure --no-tests=error
run pytest '(passed|failed|error|skipped).* in [0-9.]+s' timeout --kill-after=10 1500 python -m pytest -n 2 -q python/tests

printf '\n'
say "closing lines"
printf '%s\n' "${summary[@]}"
if ((${#failed[@]})); then
  fail "failed: ${failed[*]}"
fi
say "all checks and tests passed"
