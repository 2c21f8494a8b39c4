#!/bin/bash
# The dynamic linker prefers a program's names to a library's: plumb-zfsd must define those names of
# libzpool that it means to replace and no others.
# Argument: plumb-zfsd.
set -u
zfsd=$1
library=$(ldd "$zfsd" | sed -n 's/.*libzpool[^ ]* => \([^ ]*\).*/\1/p')
[ -f "$library" ] || {
	echo "FAIL: $zfsd is not linked with libzpool"
	exit 1
}
wanted='arc_all_memory
arc_available_memory
spa_sync
taskq_dispatch_ent
vcmn_err
vdev_disk_ops
vdev_file_ops
zio_data_buf_alloc
zio_suspend'
names() { awk 'NF == 3 && $2 ~ /^[TDBRVW]$/ { print $3 }' | sort -u; }
found=$(comm -12 <(nm -D --defined-only "$library" | names) <(nm --defined-only "$zfsd" | names))
[ "$found" = "$wanted" ] || {
	echo "FAIL: names of the library that the program defines (+ too many, - missing):"
	diff <(echo "$wanted") <(echo "$found") | sed -n 's/^>/+/p; s/^</-/p'
	exit 1
}
