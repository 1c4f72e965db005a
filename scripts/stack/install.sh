# Read by scripts/up and scripts/test: the npm packages, Node 26 among them.

# install_packages ROOT: brings node_modules to what package-lock.json says. All words go to stderr.
install_packages() {
  if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
    fail 'Node and npm are missing.' 'Install Node 20 or newer (with npm); the newer Node that this needs comes by itself.'
  fi
  if ! node "$1/scripts/stack/is-installed.mjs" "$1"; then
    echo 'Installing the npm packages ...' >&2
    (cd "$1" && npm ci --include=dev --no-audit --no-fund) >&2 ||
      fail 'npm ci failed; its reason is above.' 'Mend that (usually the network or the registry setting), then run this again.'
  fi
  if ! "$1/node_modules/.bin/node" --version >/dev/null 2>&1; then
    fail 'The npm package "node" did not bring its binary.' \
      'Its install script has to run: npm config set ignore-scripts false, delete node_modules, and run this again.'
  fi
}

# fail PROBLEM REMEDY
fail() {
  printf '\n%s\n%s\n' "$1" "$2" >&2
  exit 1
}
