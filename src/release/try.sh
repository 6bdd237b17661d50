#!/bin/sh
# Tries a packed executable on the system that it is for: version, a first start, and the demo.
#   sh src/release/try.sh dist/release/switchboard-linux-x64.gz
set -eu

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
gzip -dc "$1" >"$work/switchboard"
chmod 755 "$work/switchboard"
cd "$work"

./switchboard --version
DATA_DIR="$work/data" HOST=127.0.0.1 PORT=18080 METRICS_ADDRESS='' ./switchboard serve >log 2>&1 &
server=$!
seconds=0
until DATA_DIR="$work/data" ./switchboard health --ready >/dev/null 2>&1; do
  seconds=$((seconds + 1))
  if [ "$seconds" -gt 120 ] || ! kill -0 "$server"; then
    cat log
    exit 1
  fi
  sleep 1
done
kill -TERM "$server"
wait "$server"

./switchboard demo --port 18081 >demo.log 2>&1 &
server=$!
seconds=0
until grep -q 'Press Ctrl-C' demo.log; do
  seconds=$((seconds + 1))
  if [ "$seconds" -gt 300 ] || ! kill -0 "$server"; then
    cat demo.log
    exit 1
  fi
  sleep 1
done
kill -TERM "$server"
wait "$server"
server=
echo "$1 runs here"
