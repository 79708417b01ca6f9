# What demo, test and install-deps share. Sourced by bash scripts that have set `root` to the top of the tree.

say() { printf '%s\n' "$*"; }

# fail SENTENCE: one sentence that says what to do, then the end.
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

seconds_since() { printf '%d' "$(($(date +%s) - $1))"; }

# go_on: asks once. Goes on without asking after -y (assume_yes=1), without a terminal, or with CI=true.
go_on() {
  if [[ ${assume_yes:-} || ${CI:-} == true || ! -t 0 || ! -t 1 ]]; then return; fi
  local answer
  read -r -p "Go on? [Y/n] " answer || answer=n
  case $answer in '' | [yY]*) ;; *) fail "stopped at your wish; nothing was changed" ;; esac
}

# prepare GROUP TIME TARGET: says what is missing, asks once, installs it and builds TARGET (of the preset release).
# On a machine that has everything it asks nothing and takes seconds.
prepare() {
  local missing started
  missing=$("$root/scripts/install-deps" --plan "$1")
  if [[ $missing ]]; then
    say "It will first install what is missing (a few minutes, up to 1.5 GB of disk; apt-get needs root or sudo):"
    say "$missing"
  fi
  if [[ ! -x $root/build/release/postrider ]]; then say "It will build the program into build/: $2."; fi
  if [[ $missing || ! -x $root/build/release/postrider ]]; then go_on; fi
  "$root/scripts/install-deps" "$1"
  started=$(date +%s)
  build release "$3"
  say "-- build/release/$3 is up to date ($(seconds_since "$started") s)"
}

# build PRESET TARGET...: quiet unless it fails. ccache makes a second build of the same sources a matter of seconds.
build() {
  local preset=$1 log=$root/build/$1.log
  shift
  mkdir -p "$root/build"
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  (cd "$root" && cmake --preset "$preset" && cmake --build --preset "$preset" --target "$@") > "$log" 2>&1 || {
    tail -n 40 "$log" >&2
    fail "the build failed; all of it is in $log"
  }
}
