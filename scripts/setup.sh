#!/usr/bin/env bash
# Installs what is missing: Debian packages, a virtual environment, PyPI packages.
# Each part is skipped where it is there already.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The Python for .venv: 3.10 or later, with venv and its headers. $TILEKILN_PYTHON chooses.
usable_python() {
  "$1" - 2>/dev/null <<'PY'
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(not (sys.version_info >= (3, 10) and os.path.exists(header)))
PY
}

find_python() {
  local candidate
  for candidate in "${TILEKILN_PYTHON:-}" python3 /usr/bin/python3 python3.12 python3.11 python3.10; do
    if [[ -n $candidate ]] && command -v "$candidate" >/dev/null && usable_python "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

missing_packages() {
  local package
  for package in $(grep -v '^#' scripts/apt-packages.txt) "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

install_packages() {
  command -v dpkg-query >/dev/null || fail "this is not a Debian system; needed are: $*"
  if ((EUID != 0)); then
    fail "these Debian packages are missing, and installing them needs root: $*
    sudo apt-get install $*"
  fi
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q)
  step apt-update "updating Debian's package lists" "${apt[@]}" update ||
    fail "Debian's package lists cannot be read; still missing: $*"
  step apt-install "installing Debian packages: $*" "${apt[@]}" install -y --no-install-recommends "$@" ||
    fail "could not be installed: $*"
}

python=$(find_python) || python=
mapfile -t missing < <(missing_packages $([[ -n $python ]] || echo python3 python3-venv python3-dev))
if ((${#missing[@]})); then
  install_packages "${missing[@]}"
fi
[[ -n $python ]] || python=$(find_python) ||
  fail "no Python 3.10 or later with venv and headers was found (python3, python3-venv, python3-dev)"

[[ -x $VENV/bin/python ]] || "$python" -m venv "$VENV" || fail "the virtual environment .venv cannot be made"
stamp="$VENV/.installed-$(cat requirements.txt <("$VENV/bin/python" -V) | sha256sum | cut -c1-16)"
if [[ ! -e $stamp ]]; then
  step pip "installing Python packages into .venv (about 6 GB, mostly torch)" \
    "$VENV/bin/python" -m pip install --disable-pip-version-check --progress-bar off -r requirements.txt ||
    fail "not all Python packages could be installed: $(grep -v '^#' requirements.txt | tr '\n' ' ')"
  rm -f "$VENV"/.installed-*
  touch "$stamp"
fi

# The checkout itself, installed by reference: the build writes the extension module into python/.
site=$("$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$ROOT/python" >"$site/tilekiln-checkout.pth"
cat >"$VENV/bin/tilekiln" <<'COMMAND'
#!/bin/sh
exec "$(dirname "$(readlink -f "$0")")/python" -m tilekiln "$@"
COMMAND
chmod +x "$VENV/bin/tilekiln"
