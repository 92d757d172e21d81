# Shared by the scripts: where things are, and long steps that show progress.
# Sourced, not run.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
VENV="$ROOT/.venv"
BUILD="$ROOT/build"
LOGS="$BUILD/logs"
cd "$ROOT" || exit 1

say() { printf 'tilekiln: %s\n' "$*"; }
fail() { printf 'tilekiln: error: %s\n' "$*" >&2; exit 1; }

# step NAME TEXT COMMAND...: runs a long command with its output in a log, tells every 15 s
# how far it is, and shows the end of the log where it fails. Returns the command's status.
step() {
  local name=$1 text=$2 began=$SECONDS status=0
  shift 2
  mkdir -p "$LOGS"
  local log="$LOGS/$name.log"
  say "$text ..."
  "$@" >"$log" 2>&1 </dev/null &
  local job=$! told=$SECONDS
  while kill -0 "$job" 2>/dev/null; do
    sleep 0.2
    if ((SECONDS - told >= 15)); then
      told=$SECONDS
      say "  $((SECONDS - began)) s: $(tr '\r' '\n' <"$log" | tail -n 1 | cut -c1-120)"
    fi
  done
  wait "$job" || status=$?
  if ((status)); then
    tail -n 25 "$log" >&2
    say "$text: failed after $((SECONDS - began)) s; the whole output is in ${log#"$ROOT"/}" >&2
  else
    say "$text: done in $((SECONDS - began)) s"
  fi
  return "$status"
}
