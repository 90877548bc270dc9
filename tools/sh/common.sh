# Functions shared by run_autoglm_server.sh and run_tests.sh. POSIX sh; sourced with ROOT and LOG set.

# What building needs. clang-19: thread-safety analysis, and g++ 12 miscompiles some coroutines.
BUILD_PACKAGES="clang-19 lld-19 cmake ninja-build ccache pkg-config curl
  libgrpc++-dev protobuf-compiler protobuf-compiler-grpc libprotobuf-dev libabsl-dev
  libboost1.81-dev libboost-json1.81-dev prometheus-cpp-dev libssl-dev libpcre2-dev libicu-dev
  libjpeg62-turbo-dev libpng-dev zlib1g-dev"
# What the tests need beside that.
TEST_PACKAGES="libgtest-dev libgmock-dev libbenchmark-dev libclang-rt-19-dev llvm-19 g++-12 git
  clang-format-19 clang-tidy-19 universal-ctags python3 python3-venv"

say() {
  printf '[INFO] %s\n' "$*" | tee -a "$LOG" >&2
}

# fail MESSAGE: the one line that matters, last.
fail() {
  printf '[ERROR] %s\n' "$*" | tee -a "$LOG" >&2
  exit 1
}

# Runs a command with its output in the log; when it fails, shows the line that matters.
logged() {
  if "$@" >>"$LOG" 2>&1; then
    return 0
  fi
  line=$(tail -n 200 "$LOG" | grep -m 1 -E 'error:|Error|ERROR|FAILED|E: |No space' || tail -n 1 "$LOG")
  fail "$1 failed: $line (the whole story is in $LOG)"
}

# Installs what is missing of the packages named. Asks for root only if something is.
install_packages() {
  missing=""
  installed=$(dpkg-query -W -f '${Package} ${Status}\n' "$@" 2>/dev/null | sed -n 's/ install ok installed$//p' | tr '\n' ' ')
  for package in "$@"; do
    case " $installed" in *" $package "*) ;; *) missing="$missing $package" ;; esac
  done
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null || fail "these packages are missing and apt-get is not here to install them:$missing"
  as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "run this as root or install sudo: these packages are missing:$missing"
    as_root="sudo"
  fi
  say "installing$missing"
  logged $as_root apt-get update
  # shellcheck disable=SC2086
  logged $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
}

# A clone in another folder finds what this one compiled.
export CCACHE_BASEDIR="$ROOT" CCACHE_NOHASHDIR=1

# build PRESET TARGETS...: builds the targets (all without any) of a configured preset. One at a time per folder: two scripts
# may be started at once.
build() {
  preset=$1
  shift
  (
    flock 9
    logged ninja -C "$ROOT/build/$preset" "$@"
  ) 9>"$ROOT/build/$preset.lock" || exit 1
}

# configure PRESET CMAKE_ARGUMENTS...
configure() {
  (cd "$ROOT" && logged cmake --preset "$@") || exit 1
}
