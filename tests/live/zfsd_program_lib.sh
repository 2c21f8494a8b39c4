# Sourced by the live tests that talk to a plumb-zfsd of their own, without plumb: a scratch folder, the
# daemon's life, its commands. Everything goes at exit. $1 and $2 of the test are plumb-zfsd and
# zfsd_request.
# shellcheck shell=bash
set -u
zfsd=$1 request=$2
daemon=''
skip() {
	echo "SKIP: $*"
	exit 77
}
[ "$(id -u)" = 0 ] && [ -c /dev/fuse ] || skip "needs root and /dev/fuse"
scratch=$(mktemp -d /var/tmp/plumb-zfsd.XXXXXX) || exit 1
mkdir -m 700 "$scratch/run" "$scratch/mnt"
clean_more() { :; } # what a test has set up besides; redefined by it
clean() {
	[ -n "$daemon" ] && kill -9 "$daemon" 2>/dev/null
	umount -l "$scratch/mnt" 2>/dev/null
	clean_more
	rm -rf "$scratch"
}
trap clean EXIT
fail() {
	echo "FAIL: $*"
	tail -5 "$scratch/log"
	exit 1
}
ask() { "$request" "$scratch/run/s" "$1" >"$scratch/reply" || fail "$1: $(cat "$scratch/reply")"; }

# Start it and wait for its first answer.
start_daemon() { # OPTION...
	"$zfsd" --socket "$scratch/run/s" --log "$scratch/log" "$@" &
	daemon=$!
	for ((i = 0; i < 500; i++)); do
		"$request" "$scratch/run/s" '{"command":"ping"}' >/dev/null 2>&1 && break
		sleep 0.02
	done
}
