#!/bin/bash
# Reads of one block each are a stream to the library's read-ahead too: what a program reads in order from a cold
# pool comes from the disk before it is asked for, and what it reads at random does not. By the cache's counters.
# Arguments: plumb-zfsd zfsd_request.
# shellcheck disable=SC2154 # the library has them: zfsd, request, scratch, daemon
. "$(dirname "$0")/zfsd_program_lib.sh"
blocks=4096

truncate -s 1G "$scratch/disk"
start_daemon --arc-max 128M
ask "{\"command\":\"create\",\"name\":\"tank\",\"vdevs\":[{\"type\":\"stripe\",\"devices\":[\"$scratch/disk\"]}],\"dataset_properties\":{\"recordsize\":\"8K\",\"compression\":\"off\",\"atime\":\"off\"}}"
ask "{\"command\":\"mount\",\"name\":\"tank\",\"mountpoint\":\"$scratch/mnt\"}"
dd if=/dev/urandom of="$scratch/mnt/file" bs=1M count=$((blocks / 128)) conv=fsync status=none || fail "write"
chill() {
	ask '{"command":"unmount","name":"tank"}'
	ask '{"command":"export","name":"tank"}'
	ask "{\"command\":\"import\",\"devices\":[\"$scratch/disk\"]}"
	ask "{\"command\":\"mount\",\"name\":\"tank\",\"mountpoint\":\"$scratch/mnt\"}"
}
counter() { grep -oE "\"$1\": ?[0-9]+" "$scratch/reply" | grep -oE '[0-9]+$'; }
# reads COMMAND...: on a cold pool; blocks that came from the disk asked for, and ahead.
reads() {
	local asked ahead
	chill
	ask '{"command":"stats"}'
	asked=$(counter demand_data_misses) ahead=$(counter prefetch_data_misses)
	"$@" || fail "read"
	ask '{"command":"stats"}'
	asked=$(($(counter demand_data_misses) - asked)) ahead=$(($(counter prefetch_data_misses) - ahead))
	echo "$1: $asked blocks from the disk when asked for, $ahead ahead"
	from_disk=$asked from_disk_ahead=$ahead
}
in_order() { dd if="$scratch/mnt/file" of=/dev/null bs=8K status=none; }
# A step that never lets two follow each other, to each block of every 16th part once.
at_random() {
	local i
	for ((i = 0; i < 256; i++)); do
		dd if="$scratch/mnt/file" of=/dev/null bs=8K count=1 skip=$((i * 1597 % blocks)) status=none || return
	done
}
reads in_order
[ $((from_disk + from_disk_ahead)) -ge $((blocks * 9 / 10)) ] || fail "the pool was not cold"
[ "$from_disk_ahead" -ge $((blocks * 9 / 10)) ] || fail "read in order, $from_disk_ahead of $blocks blocks came ahead"
[ "$from_disk" -le $((blocks / 20)) ] || fail "read in order, $from_disk of $blocks blocks were waited for"
reads at_random
[ "$from_disk" -ge 230 ] || fail "256 reads at random waited for $from_disk blocks only"
[ "$from_disk_ahead" -le 26 ] || fail "256 reads at random fetched $from_disk_ahead blocks ahead"
ask '{"command":"shutdown"}'
wait "$daemon" || fail "the daemon ended with $?"
daemon=''
