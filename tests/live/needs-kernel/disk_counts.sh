#!/bin/bash
# The counters of an emulated disk are exact: direct 8K writes by fio, whose bytes are known, and
# agree with the kernel's own for the loop device. The kernel counts zeroing as written.
# usage: disk_counts.sh PLUMB PLUMB_DISKD
# shellcheck source=tests/live/needs-kernel/disk-lib.sh
. "$(dirname "$0")/disk-lib.sh"
plumb=${plumb:?} folder=${folder:?} loop=''

# A loop device keeps its numbers from one use to the next: $before are those at the start.
kernel() { # FIELD of /sys/block/loopN/stat
	awk -v field="$1" -v before="$before" '{ split(before, start); print $field - start[field] }' \
		"/sys/block/${loop#/dev/}/stat"
}
same() { # WHAT GOT WANT
	[ "$2" = "$3" ] || fail "$1: $2, not $3"
}

attach "$folder/disk" --size 256M --memory
before=$(cat "/sys/block/${loop#/dev/}/stat")
count=.statistics.device.count
before_read=$(statistics "$folder/disk" $count.read.bytes)
before_kernel_read=$(kernel 3)
fio --name=w --filename="$loop" --rw=randwrite --bs=8k --size=256M --io_size=32M --direct=1 --ioengine=libaio \
	--iodepth=4 --norandommap --randrepeat=1 --output="$folder/fio"
same "write requests" "$(statistics "$folder/disk" $count.write.requests)" 4096
same "write bytes" "$(statistics "$folder/disk" $count.write.bytes)" $((32 << 20))
same "sizes" "$(statistics "$folder/disk" "$count.write.sizes | tostring")" '"{\"8192\":4096}"'
same "kernel's written sectors" "$(kernel 7)" $((32 << 11))
fio --name=r --filename="$loop" --rw=read --bs=8k --size=8M --direct=1 --output="$folder/fio"
same "read bytes" "$(($(statistics "$folder/disk" $count.read.bytes) - before_read))" $((8 << 20))
same "kernel's read sectors" "$(($(kernel 3) - before_kernel_read))" $((8 << 11))
# Zeroing: the device sees the same bytes that the kernel calls written.
blkdiscard -z -o 0 -l $((16 << 20)) "$loop"
cleared=$(($(statistics "$folder/disk" $count.zero.bytes) + $(statistics "$folder/disk" $count.discard.bytes)))
same "zeroed bytes" "$cleared" $((16 << 20))
same "kernel's written sectors with zeroing" "$(kernel 7)" $((48 << 11))
blkdiscard -o $((64 << 20)) -l $((16 << 20)) "$loop"
same "kernel's discarded sectors" "$(kernel 14)" $((16 << 11))
cleared=$(($(statistics "$folder/disk" $count.zero.bytes) + $(statistics "$folder/disk" $count.discard.bytes)))
same "cleared bytes" "$cleared" $((32 << 20))
detach "$folder/disk"
echo "counts agree"
