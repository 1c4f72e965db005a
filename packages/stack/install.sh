# Read by scripts/up and scripts/test: the npm packages, Node 26 among them.

# install_packages ROOT: brings node_modules to what package-lock.json says. All words go to stderr.
install_packages() {
  if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
    fail 'Node and npm are missing.' 'Install Node 20 or newer (with npm); the newer Node that this needs comes by itself.'
  fi
  if ! node "$1/packages/stack/is-installed.mjs" "$1"; then
    echo 'Installing the npm packages (a minute or so, once) ...' >&2
    # Not "npm ci": it refuses a lock file that lacks the optional packages of other systems, which npm leaves out
    # whenever a registry does not carry them. With --no-save the versions are those of the lock file all the same.
    (cd "$1" && npm install --no-save --include=dev --no-audit --no-fund --loglevel=error) >&2 ||
      fail 'npm install failed; its reason is above.' \
        'Mend that (usually the network or the registry setting), then run this again.'
  fi
  "$1/node_modules/.bin/node" --version >/dev/null 2>&1 || install_node "$1"
}

# install_node ROOT: does by hand what the install script of the package "node" does, where npm was told not to run those.
install_node() {
  echo 'Installing Node 26 ...' >&2
  (cd "$1/node_modules/node" && node installArchSpecificPackage.js && ln -sf ../node/bin/node ../.bin/node) >&2 || true
  "$1/node_modules/.bin/node" --version >/dev/null 2>&1 ||
    fail 'The npm package "node" did not bring its binary.' \
      'Delete node_modules and run this again; npm has to reach its registry, and a binary for this system has to exist.'
}

# fail PROBLEM REMEDY
fail() {
  printf '\n%s\n%s\n' "$1" "$2" >&2
  exit 1
}
