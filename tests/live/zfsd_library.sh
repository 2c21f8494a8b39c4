#!/bin/bash
# The library that is loaded is looked at: one that the build has not seen is taken if its release is 2.3.x
# and its objects are those of the headers, and refused in words if not.
# Arguments: plumb-zfsd, a libzfs that says 2.4.0, one that says 2.3.9.
set -u
zfsd=$1 newer=$2 same_series=$3
export ASAN_OPTIONS=detect_leaks=0
scratch=$(mktemp -d /var/tmp/plumb-library.XXXXXX) || exit 1
trap 'rm -rf "$scratch"' EXIT
fail() {
	echo "FAIL: $*"
	exit 1
}
library=$(ldd "$zfsd" | sed -n 's/.*libzpool[^ ]* => \([^ ]*\).*/\1/p')
name=$(basename "$library")
libzfs=$(ldd "$(dirname "$zfsd")/layout_write" | sed -n 's/^[[:space:]]*\(libzfs\.[^ ]*\) =>.*/\1/p')
try() { LD_LIBRARY_PATH=$scratch "$zfsd" "$@"; }

own=$("$zfsd" --version) || fail "the installed library: $own"
grep -qE 'OpenZFS 2\.3\.[0-9]+.*, library [0-9a-f]{32}$' <<<"$own" || fail "version and hash: $own"

# The same code in another file: taken, under another hash, and said in the log.
cp -L "$library" "$scratch/$name"
printf 'x' >>"$scratch/$name"
said=$(try --version) || fail "another build of the same release: $said"
[ "${said##* }" != "${own##* }" ] || fail "the same hash for another file"
cp "$same_series" "$scratch/$libzfs"
said=$(try --version) || fail "another release of the series: $said"
grep -q 'OpenZFS 2\.3\.9-test,' <<<"$said" || fail "another release of the series: $said"
try --self-test "$scratch/missing" 2>"$scratch/why" && fail "tested in a folder that is not there"
grep -q 'OpenZFS 2\.3\.9-test: not the library that' "$scratch/why" || fail "the log: $(cat "$scratch/why")"

cp "$newer" "$scratch/$libzfs"
said=$(try --version 2>&1) && fail "OpenZFS 2.4.0 was taken: $said"
grep -q 'OpenZFS 2\.4\.0-test is installed: only 2\.3\.x is supported' <<<"$said" || fail "2.4.0: $said"
said=$(try --socket "$scratch/socket" 2>&1) && fail "served with OpenZFS 2.4.0"
[ ! -e "$scratch/socket" ] || fail "a socket was made"
printf 'nothing' >"$scratch/$libzfs"
said=$(try --version 2>&1) && fail "a library without a version was taken: $said"
grep -q 'does not tell its version' <<<"$said" || fail "no version: $said"

# An object whose size is another one: one byte of the symbol's entry (st_size at 16 of 24 bytes).
cp "$same_series" "$scratch/$libzfs"
read -r table entry < <(readelf -SW "$library" | sed -n 's/.* \.dynsym  *DYNSYM  *[0-9a-f]* \([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) .*/\1 \2/p')
[ "$entry" = 18 ] || fail "an entry of .dynsym has 0x$entry bytes"
number=$(readelf --dyn-syms -W "$library" | sed -n 's/^ *\([0-9]*\): .* ARC_anon$/\1/p')
printf '\001' | dd of="$scratch/$name" bs=1 seek=$((16#$table + number * 24 + 16)) conv=notrunc status=none
said=$(try --version 2>&1) && fail "a library with another layout was taken: $said"
grep -q 'differs from the headers.*ARC_anon' <<<"$said" || fail "another layout: $said"
exit 0
