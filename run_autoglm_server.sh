#!/bin/sh
# Installs what is missing, builds, and serves the model on this host: worker(s), router and gateway, joined by Unix
# sockets in a directory of their own. A child that dies is started again; Ctrl-C or SIGTERM drains and stops.
#
#   ./run_autoglm_server.sh [--model DIR|FILE.gguf|ORG/NAME] [--served-model-name A,B] [--host H] [--port P] [--num-workers N] [...]
#
# Flags of the three processes are passed on; `--help` lists them.
set -u

self=$0
while [ -h "$self" ]; do
  target=$(readlink "$self")
  case $target in /*) self=$target ;; *) self=$(dirname "$self")/$target ;; esac
done
ROOT=$(cd "$(dirname "$self")" && pwd -P) || exit 1
mkdir -p "$ROOT/build" || { echo "[ERROR] cannot write to $ROOT/build" >&2; exit 1; }
# Several servers may run at once: each has a log of its own.
LOG=$ROOT/build/server-$$.log
: >"$LOG" || { echo "[ERROR] cannot write $LOG" >&2; exit 1; }
. "$ROOT/tools/sh/common.sh"

WORKER_FLAGS=" model tokenizer chat-template served-model-name dtype max-model-len max-num-seqs max-num-batched-tokens kv-cache-memory
  limit-mm-per-prompt mm-processor-kwargs chat-template-content-format threads max-waiting "
ROUTER_FLAGS=" max-queued-requests max-queued-mib queue-timeout max-attempts worker-hang-timeout "
GATEWAY_FLAGS=" host port cors api-key-file request-timeout admin-listen admin-token-file "
# These concern every process.
COMMON_FLAGS=" log-format drain-timeout "

# flags_of NAMES: what a binary's --help (standard input) says about those flags, written with dashes.
flags_of() {
  awk -v names=" $(echo $1 | tr - _) " '
    /^    --/ { name = substr($1, 3); keep = index(names, " " name " "); dashes = name; gsub(/_/, "-", dashes); sub(name, dashes) }
    /^ *$/ || /Flags from/ { keep = 0 }
    keep'
}

usage() {
  rm -f "$LOG"
  sed -n '2,8s/^# \{0,1\}//p' "$self"
  printf '\n    --num-workers (workers on this host, sharing its cores); default: 1;\n'
  for process in gateway router worker; do
    case $process in
      gateway) names=$GATEWAY_FLAGS$COMMON_FLAGS ;;
      router) names=$ROUTER_FLAGS ;;
      worker) names=$WORKER_FLAGS ;;
    esac
    printf '\n%s:\n' "$process"
    if [ -x "$ROOT/build/release/bin/switchboard-$process" ]; then
      "$ROOT/build/release/bin/switchboard-$process" --help 2>&1 | flags_of "$names"
    else
      for name in $names; do printf '    --%s (described here once the server is built)\n' "$name"; done
    fi
  done
  exit 0
}

# --- the command line: each flag goes to the process that knows it ---------------------------------------

workers=1
model=$ROOT/models/autoglm-phone-tiny
run_for_worker=""
run_for_router=""
run_for_gateway=""
# Appends a word to a list of words that `eval set --` reads back unchanged.
quoted() {
  printf " '%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage ;;
    --*=*) name=${1%%=*} value=${1#*=} ;;
    --*)
      name=$1
      [ $# -ge 2 ] || fail "$1 needs a value: $1 VALUE or $1=VALUE"
      value=$2
      shift
      ;;
    *) fail "'$1' is not a flag; try --help" ;;
  esac
  shift
  name=$(printf '%s' "${name#--}" | tr _ -)
  case " $(echo $WORKER_FLAGS) " in *" $name "*) known=worker ;; *) known="" ;; esac
  case " $(echo $ROUTER_FLAGS) " in *" $name "*) known=router ;; esac
  case " $(echo $GATEWAY_FLAGS) " in *" $name "*) known=gateway ;; esac
  case " $(echo $COMMON_FLAGS) " in *" $name "*) known=all ;; esac
  case $name in
    num-workers)
      case $value in '' | *[!0-9]* | 0) fail "--num-workers=$value: give a whole number of at least 1" ;; esac
      workers=$value
      ;;
    model) model=$value ;;
    *)
      case $known in
        worker) run_for_worker="$run_for_worker$(quoted "--$name=$value")" ;;
        router) run_for_router="$run_for_router$(quoted "--$name=$value")" ;;
        gateway) run_for_gateway="$run_for_gateway$(quoted "--$name=$value")" ;;
        all)
          run_for_worker="$run_for_worker$(quoted "--$name=$value")"
          run_for_router="$run_for_router$(quoted "--$name=$value")"
          run_for_gateway="$run_for_gateway$(quoted "--$name=$value")"
          ;;
        *) fail "--$name is not a flag of this server; try --help" ;;
      esac
      ;;
  esac
done

# --- install and build ---------------------------------------------------------------------------------------

ln -sf "server-$$.log" "$ROOT/build/server.log"
say "Switchboard in $ROOT, log in $LOG"
# shellcheck disable=SC2086
install_packages $BUILD_PACKAGES
if [ ! -x "$ROOT/build/release/bin/switchboard-gateway" ]; then
  say "building (the first time takes some minutes)"
fi
if [ ! -f "$ROOT/build/release/build.ninja" ]; then
  # Serving needs no tests, nor the packages that only they need.
  configure release -DSWITCHBOARD_TESTS=OFF
fi
build release switchboard-worker switchboard-router switchboard-gateway
bin=$ROOT/build/release/bin

# --- run -------------------------------------------------------------------------------------------------------

run=$(mktemp -d "${TMPDIR:-/tmp}/switchboard.XXXXXX") || fail "cannot make a directory for the sockets in ${TMPDIR:-/tmp}"
mkfifo "$run/log" || fail "cannot make a pipe in $run"
# The log outlives the signals that stop the rest.
(trap '' INT HUP; exec tee -a "$LOG" <"$run/log" >&2) &
exec 3>"$run/log"

# Keeps one process alive: starts it, waits, starts it again after a pause that grows from 0.2 to 5 s while it keeps dying
# young. Exit code 2 means that its flags or files are wrong: trying again would not help.
keep() {
  keep_name=$1
  shift
  pause=1
  while [ ! -e "$run/stop" ]; do
    began=$(date +%s)
    setsid "$@" >&3 2>&3 &
    child=$!
    echo "$child" >"$run/$keep_name.pid"
    # Stopping may have begun between the test above and this line.
    [ -e "$run/stop" ] && kill -TERM "$child" 2>/dev/null
    wait "$child"
    code=$?
    [ -e "$run/stop" ] && break
    if [ "$code" -eq 2 ] || { [ "$code" -ne 0 ] && [ ! -e "$run/$keep_name.ready" ]; }; then
      echo "$code" >"$run/$keep_name.failed"
      break
    fi
    [ $(($(date +%s) - began)) -ge 10 ] && pause=1
    printf '[WARNING] %s ended with code %s; starting it again\n' "$keep_name" "$code" >&3
    sleep "$(awk "BEGIN { print $pause / 5 }")"
    [ "$pause" -lt 25 ] && pause=$((pause * 2))
  done
}

stop() {
  trap '' INT TERM HUP
  [ "${stopping:-no}" = yes ] && return
  stopping=yes
  : >"$run/stop"
  printf '[INFO] stopping: running answers are finished first\n' >&3
  # Top down: nobody is cut off from what its own stop still needs.
  for stopped in gateway router $(worker_names); do
    pid=$(cat "$run/$stopped.pid" 2>/dev/null) || continue
    kill -TERM "$pid" 2>/dev/null
    while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
  done
  # shellcheck disable=SC2086
  wait $keepers
}

worker_names() {
  i=0
  while [ $i -lt "$workers" ]; do
    echo "worker$i"
    i=$((i + 1))
  done
}

clean_up() {
  exec 3>&-
  rm -rf "$run"
}
trap clean_up EXIT
trap 'stop; exit 0' INT TERM HUP

addresses=""
keepers=""
for name in $(worker_names); do
  addresses="$addresses${addresses:+,}unix:$run/$name.sock"
  eval "set -- $run_for_worker"
  keep "$name" "$bin/switchboard-worker" "--listen=unix:$run/$name.sock" "--model=$model" \
    "--ready-file=$run/$name.ready" "--workers-on-host=$workers" "--admin-listen=127.0.0.1:0" "$@" &
  keepers="$keepers $!"
done
eval "set -- $run_for_router"
keep router "$bin/switchboard-router" "--listen=unix:$run/router.sock" "--workers=$addresses" "--ready-file=$run/router.ready" \
  "--admin-listen=127.0.0.1:0" "$@" &
keepers="$keepers $!"
eval "set -- $run_for_gateway"
keep gateway "$bin/switchboard-gateway" "--router=unix:$run/router.sock" \
  "--ready-file=$run/gateway.ready" "$@" &
keepers="$keepers $!"

# field NAME KEY: a value of the ready file of a process.
field() {
  sed -n "s/.*\"$2\": *\"\{0,1\}\([^\",}]*\).*/\1/p" "$run/$1.ready"
}

# Whether every process has said that it is ready and the whole chain answers.
healthy() {
  for name in gateway router $(worker_names); do
    [ -s "$run/$name.ready" ] || return 1
  done
  asked=$((asked + 1))
  host=$(field gateway host)
  case $host in
    0.0.0.0) host=127.0.0.1 ;;
    ::) host='[::1]' ;;
    *:*) host="[$host]" ;;
  esac
  url=http://$host:$(field gateway port)
  curl -fsS --noproxy '*' --max-time 5 "$url/health" >"$run/health" 2>/dev/null
}
asked=0
until healthy; do
  [ "$asked" -lt 600 ] || { stop; fail "all processes run, but $url/health does not answer; see $LOG"; }
  for name in gateway router $(worker_names); do
    if [ -e "$run/$name.failed" ]; then
      sleep 0.1 # for the last lines of its log to pass through the pipe
      reason=$(sed -n -e 's/^\[ERROR\] //p' -e 's/^ERROR: //p' -e 's/.*"level":"ERROR".*"message":"\(.*\)"}$/\1/p' "$LOG" | tail -n 1)
      stop
      fail "the $name did not start: ${reason:-it ended with code $(cat "$run/$name.failed"), see $LOG}"
    fi
  done
  sleep 0.05
done
served=$(sed -n 's/.*"model": *"\([^"]*\)".*/\1/p' "$run/health")
for name in router $(worker_names); do
  printf '[INFO] metrics of %s: http://127.0.0.1:%s/metrics\n' "$name" "$(field "$name" admin_port)" >&3
done
printf '[INFO] ready: %s/v1 serves %s (stop with Ctrl-C)\n' "$url" "$served" >&3

# Sleeps until a signal comes; a child that cannot be started again ends the server.
while :; do
  for name in gateway router $(worker_names); do
    if [ -e "$run/$name.failed" ]; then
      stop
      fail "the $name ended for good, see $LOG"
    fi
  done
  sleep 1 &
  wait $!
done
