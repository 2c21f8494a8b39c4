#!/bin/bash
# What can go wrong with an emulated disk: two attachments of one file, the file system below full,
# a daemon killed under load, its parent gone. Each is refused or fails cleanly and leaves nothing.
# usage: disk_faults.sh PLUMB PLUMB_DISKD
# shellcheck source=tests/live/needs-kernel/disk-lib.sh
. "$(dirname "$0")/disk-lib.sh"
plumb=${plumb:?} folder=${folder:?} loop=''

daemon_of() { "$plumb" disk stats --format json "$1" | jq .pid; }
gone() { # LOOP: wait until nothing is attached there
	local try
	for try in $(seq 100); do
		[ -e "/sys/block/${1#/dev/}/loop/backing_file" ] || return 0
		sleep 0.1
	done
	fail "$1 is still attached after $try tries"
}

two_attachments() {
	attach "$folder/two" --size 64M
	if "$plumb" disk attach "$folder/two" 2>"$folder/err"; then fail "attached twice"; fi
	ln "$folder/two" "$folder/other-name"
	if "$plumb" disk attach "$folder/other-name" 2>"$folder/err"; then fail "attached twice by another name"; fi
	grep -q 'another device' "$folder/err" || fail "no reason: $(cat "$folder/err")"
	blkdiscard "$loop" || fail "the first attachment suffered"
	detach "$folder/two"
	echo "two attachments: refused"
}

space_runs_out() {
	local status=0
	mkdir "$folder/small"
	mount -t tmpfs -o size=16M none "$folder/small"
	mounts+=("$folder/small")
	attach "$folder/small/disk" --size 256M
	fio --name=fill --filename="$loop" --rw=write --bs=64k --size=64M --direct=1 --ioengine=libaio \
		--iodepth=8 --output="$folder/fio" >"$folder/fio.err" 2>&1 || status=$?
	[ $status != 0 ] || fail "64M fitted into 16M"
	grep -qiE 'space|Input/output' "$folder/fio.err" "$folder/fio" || fail "not a space error: $(cat "$folder/fio.err")"
	[ "$(statistics "$folder/small/disk" .statistics.device.count.write.errors)" -gt 0 ] || fail "no error counted"
	# What is left can be read, and space that comes back can be used.
	dd if="$loop" of=/dev/null bs=1M count=8 iflag=direct status=none || fail "reads suffer"
	blkdiscard "$loop" || fail "discard"
	dd if=/dev/zero of="$loop" bs=1M count=4 oflag=direct conv=fsync status=none || fail "space came back"
	detach "$folder/small/disk"
	umount "$folder/small"
	echo "no space: errors, then good again"
}

killed_under_load() {
	local pid status=0
	attach "$folder/kill" --size 512M
	mkfs.ext4 -q "$loop"
	mkdir "$folder/mount"
	mount "$loop" "$folder/mount"
	mounts+=("$folder/mount")
	pid=$(daemon_of "$folder/kill")
	fio --name=load --directory="$folder/mount" --size=64M --bs=8k --rw=randwrite --direct=1 --fsync=10 \
		--ioengine=libaio --iodepth=8 --time_based --runtime=30 --output="$folder/fio" >/dev/null 2>&1 &
	local load=$!
	# Under load means that requests have gone through.
	for _ in $(seq 300); do
		[ "$(statistics "$folder/kill" .statistics.device.count.write.requests)" -lt 2000 ] || break
		sleep 0.1
	done
	kill -9 "$pid"
	wait $load || status=$?
	[ $status != 0 ] || fail "the load did not notice"
	umount "$folder/mount" || fail "cannot unmount"
	losetup -d "$loop" || fail "cannot clear $loop"
	gone "$loop"
	attach "$folder/kill"
	e2fsck -fy "$loop" >"$folder/check" 2>&1 || [ $? -le 1 ] || { cat "$folder/check"; fail "not repairable"; }
	mount "$loop" "$folder/mount"
	umount "$folder/mount"
	detach "$folder/kill"
	echo "killed under load: the load fails, all is cleaned, the file is good"
}

killed_with_volatile_cache() {
	local pid
	attach "$folder/cut" --size 64M --volatile 32M
	dd if=/dev/zero bs=1M count=1 status=none | tr '\0' A >"$folder/a"
	dd if="$folder/a" of="$loop" bs=1M oflag=direct conv=fsync status=none
	tr A B <"$folder/a" | dd of="$loop" bs=1M iflag=fullblock oflag=direct status=none
	pid=$(daemon_of "$folder/cut")
	kill -9 "$pid"
	losetup -d "$loop"
	gone "$loop"
	cmp -n 1048576 "$folder/a" "$folder/cut" || fail "flushed data were lost, or others survived"
	echo "power cut: what was flushed is there, what was not is lost"
}

parent_gone() {
	mkdir -m 700 "$folder/run"
	sleep 60 &
	local parent=$! daemon
	"$PLUMB_DISKD" --socket "$folder/run/s" --spec "ram:size=64M" --parent $parent --ready-fd 1 \
		>"$folder/ready" 2>"$folder/diskd.err" &
	daemon=$!
	for _ in $(seq 100); do
		! grep -q READY "$folder/ready" || break
		sleep 0.1
	done
	grep -q READY "$folder/ready" || fail "not ready: $(cat "$folder/diskd.err")"
	kill $parent
	wait $daemon || fail "ended with $? after its parent"
	[ ! -e "$folder/run/s" ] || fail "the socket is left"
	! grep -q "plumb-diskd-$daemon-" /sys/block/loop*/loop/backing_file 2>/dev/null || fail "a loop device is left"
	echo "parent gone: ended with it"
}

two_attachments
space_runs_out
killed_under_load
killed_with_volatile_cache
parent_gone
