#!/bin/bash
# Pools of plumb-zfsd in the kernel and pools of the kernel in plumb-zfsd: the same tree, the same bytes, a
# clean scrub; also when the daemon was killed, or the kernel's pool frozen, and the last writes are in the
# intent log alone.
# usage: kernel_import.sh PLUMB HELPERS LIVE-FOLDER
# shellcheck disable=SC2154 # scratch, mount, plumb and failed come from zfsd_lib.sh
# shellcheck source=tests/live/needs-kernel/kernel-lib.sh
. "$(dirname "$0")/kernel-lib.sh"
need_kernel_zfs --time 300 -- "$0" "$@"
helpers=$2
. "$3/zfsd_lib.sh"

pool=plumbvm$$
kernel=$scratch/kernel
mkdir "$kernel"
cleanup_kernel() {
	zpool destroy -f "$pool" 2>/dev/null
	cleanup
}
trap cleanup_kernel EXIT

# The last writes must stay in the intent log until the kill.
printf '#!/bin/sh\nexec "%s" "$@" --txg-timeout 600\n' \
	"$(realpath "${PLUMB_ZFSD:-$(dirname "$plumb")/zfsd/plumb-zfsd}")" >"$scratch/zfsd"
chmod +x "$scratch/zfsd"
export PLUMB_ZFSD=$scratch/zfsd

# Names, types, modes, owners, links, times to the nanosecond, sizes, targets, contents.
tree() { # FOLDER [without-times]
	local times=' %T@'
	[ "${2:-}" != without-times ] || times=
	(
		cd "$1" || exit 1
		find . -mindepth 1 -path ./names -prune -o -type d -printf "%p d %m %U %G$times\n" \
			-o -type l -printf "%p l %U %G$times %l\n" \
			-o -printf "%p %y %m %U %G %n$times %s\n" | sort
		find . -path ./names -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
	)
}
# What filesystems find hard; the kernel and the daemon are given the same.
fill() { # FOLDER
	local n
	mkdir "$1/copied"
	cp -a /usr/include/linux/netfilter /usr/include/linux/usb /usr/include/linux/f*.h "$1/copied"
	mkdir -p "$1/many" "$1/deep" "$1/$(printf 'n%.0s' {1..200})"
	for n in {1..400}; do echo "$n" >"$1/many/a file whose name does not fit into a small folder, $n"; done
	mkdir -p "$1/deep/$(seq -s / 60)"
	ln "$1/copied/fuse.h" "$1/hard"
	ln -s copied/fuse.h "$1/soft"
	ln -s "$(printf 'x%.0s' {1..900})" "$1/dangling"
	mkfifo "$1/fifo"
	mknod "$1/device" c 1 3
	install -m 4751 -o 12 -g 34 /bin/true "$1/set-id"
	truncate -s 24M "$1/sparse"
	printf middle | dd of="$1/sparse" bs=1 seek=13000000 conv=notrunc status=none
	head -c 4M /dev/urandom >"$1/random"
	truncate -s 3000001 "$1/random"
	printf '%0.s8K page ' {1..400} >"$1/small"
	: >"$1/empty"
	touch -d '1999-12-31 23:59:59.123456789' "$1/empty" "$1/copied"
	rm -rf "$1/copied/usb" "$1/many/a file whose name does not fit into a small folder, 77"
	mv "$1/copied/netfilter" "$1/moved"
}
# Writes that only the intent log holds, each synced.
log_writes() { # FOLDER
	local n
	for n in {1..40}; do
		dd if=/dev/urandom of="$1/logged.$n" bs=$((n * 97)) count=1 conv=fsync status=none
	done
	dd if=/dev/urandom of="$1/random" bs=128K seek=3 count=8 conv=notrunc,fsync status=none
	mv "$1/logged.1" "$1/logged-renamed" && rm "$1/logged.2" && mkdir "$1/logged-folder"
	truncate -s 1000 "$1/logged.30" && ln "$1/logged.3" "$1/logged-hard" && ln -s away "$1/logged-soft"
	chmod 600 "$1/logged.4" && chown 5:6 "$1/logged.5"
	sync "$1/logged.30" "$1/logged.4" "$1/logged.5" "$1/logged-folder"
}
same() { # WHAT: $scratch/want and have
	diff "$scratch/want" "$scratch/have" >"$scratch/diff" || { fail "$1: $(head -n 6 "$scratch/diff")"; return 1; }
	echo "$SECONDS s: $1: $(wc -l <"$scratch/want") lines agree"
}
clean_scrub() { # WHAT
	zpool scrub -w "$pool" || fail "$1: scrub"
	zpool status "$pool" >"$scratch/status"
	grep -q 'scrub repaired 0B in .* with 0 errors' "$scratch/status" &&
		grep -q 'errors: No known data errors' "$scratch/status" &&
		! awk '$2 == "ONLINE" && ($3 + $4 + $5) { bad = 1 } END { exit !bad }' "$scratch/status" ||
		fail "$1: $(cat "$scratch/status")"
}
log_records() { # FOLDER: records in intent logs of the exported pool in it
	zdb -e -p "$1" -iiii "$pool" 2>&1 | grep -c '^[[:space:]]*TX_[A-Z0-9_]* *len '
}
to_kernel() { # IMPORT-OPTIONS...
	zpool import -N -o cachefile=none -R "$kernel" "$@" "$pool" && zfs set mountpoint=/ "$pool" && {
		mountpoint -q "$kernel" || zfs mount "$pool"
	} || die "the kernel does not take it"
}
from_kernel() {
	zpool export "$pool" || die "the kernel does not give it back"
}

# --- made by plumb-zfsd: exported, then killed ---
mkdir "$scratch/ours" "$scratch/theirs"
truncate -s 2G "$scratch/ours/"{a,b,c}
z create -O recordsize=16K -O compression=zstd -O dnodesize=auto -O xattr=sa -m "$mount" "$pool" raidz1 "$scratch/ours/"{a,b,c} || exit 1
fill "$mount"
tree "$mount" >"$scratch/want"
z unmount "$pool" && z export "$pool" || die "export"
to_kernel -d "$scratch/ours"
tree "$kernel" >"$scratch/have"
same "exported, read by the kernel"
clean_scrub "exported"
mkdir "$kernel/by-kernel" && cp -a /usr/include/asm-generic "$kernel/by-kernel/" && rm -rf "$kernel/many"
tree "$kernel" >"$scratch/want"
from_kernel
z import -d "$scratch/ours/a" -d "$scratch/ours/b" -d "$scratch/ours/c" "$pool" >/dev/null && z mount "$pool" "$mount" ||
	die "plumb-zfsd does not take it back"
tree "$mount" >"$scratch/have"
same "changed by the kernel, read by plumb-zfsd"

z unmount "$pool" && z export "$pool" && z import -d "$scratch/ours/a" -d "$scratch/ours/b" -d "$scratch/ours/c" "$pool" >/dev/null &&
	z mount "$pool" "$mount" || die "import"
log_writes "$mount"
mkdir "$mount/names"
sync "$mount/names"
"$helpers/namespace_load" run "$mount/names" "$scratch/names.state" 4711 >"$scratch/names.out" 2>&1 &
load=$!
for _ in $(seq 100); do [ "$(find "$mount/names" -type f | wc -l)" -lt 5 ] || break; sleep 0.1; done
tree "$mount" without-times >"$scratch/want"
kill_daemon
wait $load
records=$(log_records "$scratch/ours")
[ "$records" -ge 40 ] || fail "only $records records in the intent log: nothing would be replayed"
to_kernel -f -d "$scratch/ours"
tree "$kernel" without-times >"$scratch/have"
same "killed with $records records in the intent log, replayed by the kernel"
"$helpers/namespace_load" verify "$kernel/names" "$scratch/names.state" || fail "names: a state that may not be"
clean_scrub "killed"
zpool destroy -f "$pool" || fail "destroy"

# --- made by the kernel: frozen before the last writes, which is how the kernel is made to leave them in the log ---
truncate -s 2G "$scratch/theirs/"{a,b,log}
zpool create -f -o cachefile=none -R "$kernel" -m / -O recordsize=8K -O compression=lz4 -O xattr=sa -O atime=off \
	"$pool" mirror "$scratch/theirs/a" "$scratch/theirs/b" log "$scratch/theirs/log" || die "zpool create"
fill "$kernel"
# A frozen pool writes no head of a log: it must be there already.
dd if=/dev/zero of="$kernel/head" bs=1 count=1 conv=fsync status=none
zpool sync "$pool"
zpool freeze "$pool" || die "zpool freeze"
log_writes "$kernel"
tree "$kernel" without-times >"$scratch/want"
zfs unmount "$pool"
from_kernel
records=$(log_records "$scratch/theirs")
[ "$records" -ge 40 ] || fail "only $records records in the kernel's intent log"
z import -f -d "$scratch/theirs/a" -d "$scratch/theirs/b" -d "$scratch/theirs/log" "$pool" >/dev/null &&
	z mount "$pool" "$mount" || die "plumb-zfsd does not take the kernel's pool"
tree "$mount" without-times >"$scratch/have"
same "frozen by the kernel with $records records, replayed by plumb-zfsd"
z scrub -w "$pool" || fail "scrub by plumb-zfsd"
z unmount "$pool" && z export "$pool" || die "export"
zdb -e -p "$scratch/theirs" -bcc "$pool" >"$scratch/zdb" 2>&1 || fail "zdb -bcc: $(tail -n 5 "$scratch/zdb")"
to_kernel -d "$scratch/theirs"
tree "$kernel" without-times >"$scratch/have"
same "and read by the kernel again"
clean_scrub "the kernel's own pool"
from_kernel
exit $failed
