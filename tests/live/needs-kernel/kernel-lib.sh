# shellcheck shell=bash
# Sourced first by tests that need what the kernel of most machines lacks: they go on here where it is there, else
# in a virtual machine (vm), else they skip with the reason. Arguments are those of the test.
needs_kernel=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# enter_vm REASON VM-OPTION... -- TEST ARGUMENT...: run the whole test in a guest. Does not return.
enter_vm() {
	local reason=$1 options=() why
	shift
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	[ "${NEEDS_KERNEL_GUEST:-}" != 1 ] || { echo "FAILED: $reason, in the virtual machine too"; exit 1; }
	[ "$(id -u)" = 0 ] || { echo "SKIP: $reason, and a virtual machine needs root"; exit 77; }
	why=$("$needs_kernel/vm" --check) || { echo "SKIP: $reason, and ${why#SKIP: }"; exit 77; }
	exec "$needs_kernel/vm" "${options[@]}" env NEEDS_KERNEL_GUEST=1 "$@"
}

# Pools of the kernel: /dev/zfs, as root.
need_kernel_zfs() { # VM-OPTION... -- TEST ARGUMENT...
	[ "$(id -u)" = 0 ] && [ -c /dev/zfs ] && return
	enter_vm 'this kernel has no OpenZFS (/dev/zfs)' "$@"
}

# Control groups of version 2 with memory and cpu, and none of version 1, as root.
need_cgroup_2() { # VM-OPTION... -- TEST ARGUMENT...
	[ "$(id -u)" = 0 ] && ! grep -q ' - cgroup ' /proc/self/mountinfo && [ -w /sys/fs/cgroup/cgroup.subtree_control ] &&
		grep -qw memory /sys/fs/cgroup/cgroup.controllers && grep -qw cpu /sys/fs/cgroup/cgroup.controllers && return
	enter_vm 'control groups of version 2 are not all there is here' "$@"
}
