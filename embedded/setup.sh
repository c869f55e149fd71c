# Sourced by ./run and ./test: everything between a bare Debian or Ubuntu and a filled .venv. Bash, because there may be
# no Python yet. The package names are the same in Debian 12 and 13 and in Ubuntu 24.04.

SETUP_NEEDS_MB=1500

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
  return 1
}

# Names the Debian packages that are missing, and only those. Without an argument there is no Python at all.
setup_missing_packages() {
  local python=${1:-} name
  name=$(basename "${python:-python3}")
  case "$name" in python3.*) ;; *) name=python3 ;; esac  # Debian names the headers and venv after the interpreter
  pkg-config --version >/dev/null 2>&1 || echo pkg-config
  pkg-config --exists cairo 2>/dev/null || echo libcairo2-dev
  pkg-config --exists pangocairo 2>/dev/null || echo libpango1.0-dev
  command -v gcc >/dev/null || echo gcc
  if [ -z "$python" ]; then
    printf '%s\n' python3 python3-dev python3-venv libseccomp2
    return 0
  fi
  "$python" -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' || echo "$name-dev"
  "$python" -c 'import ensurepip, venv' 2>/dev/null || echo "$name-venv"
  "$python" -c 'import ctypes; ctypes.CDLL("libseccomp.so.2")' 2>/dev/null || echo libseccomp2
}

# setup_system [PYTHON]: installs the system packages that are missing.
setup_system() {
  local missing
  missing=$(setup_missing_packages "$@" | tr '\n' ' ')
  [ -z "$missing" ] || setup_apt "$missing"
}

# setup_apt PACKAGES: installs them as root or through sudo, else says what to type.
setup_apt() {
  local missing=$1 line sudo=""
  line="apt-get install -y --no-install-recommends $missing"
  if [ "$(id -u)" != 0 ]; then
    line="sudo $line"
    if ! sudo -n true 2>/dev/null; then
      setup_say "Some system packages are missing. Please run this, then start again:"
      setup_say "  $line"
      return 1
    fi
    sudo="sudo -n"
  fi
  if ! command -v apt-get >/dev/null; then
    setup_say "Some system packages are missing, and there is no apt-get to install them with. Debian calls them: $missing"
    return 1
  fi
  setup_say "Installing system packages: $missing"
  # shellcheck disable=SC2086  # lists of words on purpose
  if ! { $sudo apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -o DPkg::Lock::Timeout=120 -y -qq --no-install-recommends $missing >/dev/null; }; then
    setup_say "The system packages could not be installed (is there a network, and space on the disk?). Please run this, then start again:"
    setup_say "  $line"
    return 1
  fi
}

# Whether these very locks are what is installed.
setup_is_done() {
  local lock
  [ -x .venv/bin/python ] || return 1
  for lock in "$@"; do
    [ "$(cat ".venv/.installed-$lock" 2>/dev/null)" = "$(sha256sum <"$lock")" ] || return 1
  done
}

# Whether there is room for a new .venv.
setup_has_room() {
  local free
  [ -x .venv/bin/python ] && return 0
  free=$(df -Pm . | awk 'NR == 2 { print $4 }')
  [ "${free:-$SETUP_NEEDS_MB}" -ge "$SETUP_NEEDS_MB" ] && return 0
  setup_say "The disk is full: there are $free MB free in $PWD, and about $SETUP_NEEDS_MB MB are needed for .venv; free some space, then start again."
  return 1
}

# Turns pip's words into one line that is rewritten on a terminal.
setup_progress() {
  local total=$1 line count=0
  while read -r line; do
    case "$line" in
      Collecting\ * | Requirement\ already\ *) count=$((count + 1)) && line="fetching, $count of about $total" ;;
      Building\ wheel*) line="compiling" ;;
      Installing\ collected*) line="unpacking" ;;
      *) continue ;;
    esac
    if [ -t 2 ]; then printf '\r\033[KPython packages: %s' "$line" >&2; fi
  done
  if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

# setup_why FILE: pip's last words as one sentence.
setup_why() {
  if grep -q "No space left on device" "$1"; then
    setup_say "The Python packages could not be installed: the disk is full. Free some space, then start again."
  elif grep -qE "connection broken|NewConnectionError|ConnectTimeout|ReadTimeout|name resolution|No matching distribution" "$1"; then
    setup_say "The Python packages could not be fetched: the package registry cannot be reached, or lacks one of them. Check the network (or PIP_INDEX_URL and the proxy settings), then start again."
  else
    setup_say "The Python packages could not be installed; pip said why above."
  fi
}

# setup_venv PYTHON REQUIREMENTS...: makes .venv and installs the locks.
setup_venv() {
  local python=$1 lock said total arguments=()
  shift
  if ! .venv/bin/python -m pip --version >/dev/null 2>&1 && ! "$python" -m venv --clear .venv; then
    setup_say "The environment $PWD/.venv could not be made; the line above says why."
    return 1
  fi
  setup_say "Installing Python packages into .venv (about a minute and a half when it is new)"
  for lock in "$@"; do arguments+=(-r "$lock"); done
  total=$(cat "$@" | grep -c '^[a-z].*==')
  said=.venv/pip.log
  if ! (
    set -o pipefail
    .venv/bin/python -m pip install --progress-bar off --disable-pip-version-check --no-input --require-hashes \
      "${arguments[@]}" 2>"$said" | setup_progress "$total"
  ); then
    cat "$said" >&2
    setup_why "$said"
    return 1
  fi
  for lock in "$@"; do sha256sum <"$lock" >".venv/.installed-$lock"; done
}

# setup REQUIREMENTS...: all of it, in the current folder. Two at a time would fill the same .venv: the second one waits.
setup() {
  local python
  setup_is_done "$@" && return 0
  python=$(setup_python) || python=""
  setup_system "$python" || return 1
  if ! python=$(setup_python); then
    setup_say "Python 3.11 or newer is needed and was not found; set PYTHON to one."
    return 1
  fi
  setup_has_room || return 1
  (flock 9 && { setup_is_done "$@" || setup_venv "$python" "$@"; }) 9<.
}
