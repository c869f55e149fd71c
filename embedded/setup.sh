# Sourced by ./test: everything between a bare Debian or Ubuntu and a filled .venv. Bash, because there is no Python yet.

setup_say() { printf '%s\n' "$*" >&2; }

# The first interpreter that is new enough.
setup_python() {
  local candidate
  for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return 0
    fi
  done
  setup_say "Python 3.11 or newer is needed and was not found; set PYTHON to one."
  return 1
}

# Names the Debian packages that are missing, and only those.
setup_missing_packages() {
  local python=$1 name
  name=$(basename "$python")
  case "$name" in python3.*) ;; *) name=python3 ;; esac  # Debian names the headers and venv after the interpreter
  pkg-config --version >/dev/null 2>&1 || echo pkg-config
  pkg-config --exists cairo 2>/dev/null || echo libcairo2-dev
  pkg-config --exists pangocairo 2>/dev/null || echo libpango1.0-dev
  command -v gcc >/dev/null || echo gcc
  "$python" -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' || echo "$name-dev"
  "$python" -c 'import ensurepip, venv' 2>/dev/null || echo "$name-venv"
  "$python" -c 'import ctypes; ctypes.CDLL("libseccomp.so.2")' 2>/dev/null || echo libseccomp2
}

setup_apt() {
  local missing sudo=""
  missing=$(setup_missing_packages "$1" | tr '\n' ' ')
  [ -z "$missing" ] && return 0
  if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then
      setup_say "Some system packages are missing. Please run this, then start again:"
      setup_say "  sudo apt-get install -y --no-install-recommends $missing"
      return 1
    fi
    sudo="sudo -n"
  fi
  setup_say "Installing system packages: $missing"
  # shellcheck disable=SC2086  # a list of words on purpose
  $sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# setup_venv PYTHON REQUIREMENTS...: makes .venv and installs the locks, unless these very locks are installed already.
setup_venv() {
  local python=$1 lock stamp
  shift
  stamp=".venv/.installed-$(cat "$@" | sha256sum | cut -c1-16)"
  [ -e "$stamp" ] && return 0
  [ -x .venv/bin/python ] || "$python" -m venv .venv || return 1
  setup_say "Installing Python packages into .venv (about a minute and a half)"
  for lock in "$@"; do set -- "$@" -r "$lock"; shift; done
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes "$@" || return 1
  touch "$stamp"
}

# setup REQUIREMENTS...: all of it, in the current folder.
setup() {
  local python
  python=$(setup_python) && setup_apt "$python" && setup_venv "$python" "$@"
}
