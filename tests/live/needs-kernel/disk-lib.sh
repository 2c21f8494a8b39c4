# shellcheck shell=bash
# What the live tests of emulated disks share. Sourced with $1 = plumb, $2 = plumb-diskd. They need root,
# FUSE and loop devices, and skip where these are not to be had.
set -eu
plumb=$1
export PLUMB_DISKD=$2
fail() { echo "FAILED: $*"; exit 1; }
skip() { echo "SKIP: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "needs root, for loop devices"
[ -c /dev/fuse ] || skip "needs /dev/fuse"
[ -c /dev/loop-control ] || skip "needs loop devices"
command -v fio >/dev/null || skip "needs fio"

folder=$(mktemp -d /var/tmp/plumb-disk-XXXXXX)
mounts=() disks=()
clean() {
	local status=$? mount disk
	for mount in "${mounts[@]}"; do umount "$mount" 2>/dev/null || true; done
	for disk in "${disks[@]}"; do "$plumb" disk detach "$disk" 2>/dev/null || true; done
	rm -rf --one-file-system "$folder"
	exit $status
}
trap clean EXIT
trap 'exit 130' INT TERM

attach() { # FILE OPTIONS...: sets $loop
	local file=$1 message
	shift
	if ! loop=$("$plumb" disk attach "$@" "$file" 2>"$folder/attach.err"); then
		message=$(cat "$folder/attach.err")
		case $message in
		*"cannot mount FUSE"* | *"cannot attach"*permitted*) skip "$message" ;;
		esac
		fail "attach $file: $message"
	fi
	disks+=("$file")
}
detach() { # FILE
	"$plumb" disk detach "$1" || fail "detach $1"
}
statistics() { # FILE FILTER: a number from its counters
	"$plumb" disk stats --format json "$1" | jq "$2"
}
