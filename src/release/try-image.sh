#!/bin/sh
# Tries the image `switchboard` of this machine: the demo, published on the loopback, as the guide
# shows it, and a server that Docker finds healthy and that stops by itself.
set -eu

container=
trap '[ -z "$container" ] || docker rm --force --volumes "$container" >/dev/null' EXIT

# Waits for at most three minutes until a command succeeds.
wait_for() {
  seconds=0
  until "$@" >/dev/null 2>&1; do
    seconds=$((seconds + 1))
    if [ "$seconds" -gt 180 ]; then
      docker logs "$container"
      echo "in vain: $*" >&2
      exit 1
    fi
    sleep 1
  done
}

is_healthy() {
  [ "$(docker inspect --format '{{.State.Health.Status}}' "$container")" = healthy ]
}

docker run --rm switchboard version
set -- --detach --read-only --tmpfs /tmp --publish 127.0.0.1:8080:8080 switchboard

container=$(docker run "$@" demo)
wait_for curl --fail http://127.0.0.1:8080/ready
docker rm --force --volumes "$container" >/dev/null

container=$(docker run "$@")
wait_for curl --fail http://127.0.0.1:8080/ready
wait_for is_healthy
docker stop "$container"
[ "$(docker inspect --format '{{.State.ExitCode}}' "$container")" = 0 ]
echo 'the image runs here'
