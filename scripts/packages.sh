#!/usr/bin/env bash
# What the commands of ./dev need from the system, and how it gets there. Sourced by ./dev.

# Debian packages of a build and its tests. The compiler comes with g++.
build_packages=(g++ cmake ninja-build python3 python3-venv libcli11-dev libgtest-dev libxxhash-dev)

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Installs the packages of its arguments that are missing, saying which.
need_packages() {
  local missing=() package
  command -v dpkg-query >/dev/null || return 0  # not Debian: CMake says what it lacks
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "These packages are missing: ${missing[*]}. Install them, as root: apt-get install ${missing[*]}" >&2
      return 1
    }
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# A Python environment in build/NAME with the packages of requirement files.
need_python() {  # name requirements-file...
  local environment=build/$1 stamp=build/$1/.installed file
  shift
  [ -x "$environment/bin/python3" ] || python3 -m venv "$environment"
  if [ ! -f "$stamp" ] || [ -n "$(cat "$@" | cmp - "$stamp" 2>&1)" ]; then
    local arguments=()
    for file in "$@"; do
      arguments+=(-r "$file")
    done
    echo "Installing Python packages into $environment"
    "$environment/bin/python3" -m pip install -q --disable-pip-version-check --only-binary :all: "${arguments[@]}"
    cat "$@" >"$stamp"
  fi
}
