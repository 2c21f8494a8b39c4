#!/bin/bash
# run-tests itself, over a small project in a path with a space: what it counts, what it says of
# skips and failures, what continuous integration is stricter about, and that it sees leftovers.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
clean_up() {
	[ ! -e "$work/pids" ] || xargs kill <"$work/pids" 2>/dev/null || true
	rm -rf "$work"
}
trap clean_up EXIT
export TMPDIR=$work
project="$work/a project"
mkdir -p "$project/tools" "$project/tests/live/needs-kernel"
cp "$root/run-tests" "$project"
cp "$root/tools/leftovers" "$project/tools"

write_test() { # NAME, commands on stdin
	{ echo '#!/bin/sh'; cat; } >"$project/tests/$1"
	chmod +x "$project/tests/$1"
}
write_test good <<<'cat >/dev/null; exit 0' # the table of groups must not be what it reads
write_test bad <<<'echo something broke; exit 1'
write_test skips <<<'echo "SKIP: no such thing here"; exit 77'
write_test live/needs-kernel/module <<<'echo "SKIP: no kernel module"; exit 77'
write_test hangs <<<'exec sleep 100'
write_test leaves <<END
nohup sleep 1000 >/dev/null 2>&1 &
echo \$! >>"$work/pids"
END
project_of() { # NAME:SUITE...
	local row name timeout
	echo "project('t')"
	for row; do
		name=${row%%:*}
		timeout=60
		[ "$name" != hangs ] || timeout=1
		echo "test('${name##*/}', find_program('tests/$name'), suite: '${row#*:}', timeout: $timeout)"
	done
}
run() { # run ENVIRONMENT ARGUMENTS...: leaves status, $work/out
	local environment=$1
	shift
	status=0
	(cd / && env -u CI -u PLUMB_TEST_RUN $environment "$project/run-tests" --no-setup --quick "$@") \
		>"$work/out" 2>&1 || status=$?
}
expect() { # WHAT WANTED-STATUS WANTED-LAST-LINE [TEXT...]
	local what=$1 wanted=$2 line=$3 text
	shift 3
	if [ "$status" != "$wanted" ] || [ "$(tail -1 "$work/out")" != "$line" ]; then
		printf '%s: wanted exit code %s and "%s", got %s and:\n' "$what" "$wanted" "$line" "$status"
		cat "$work/out"
		exit 1
	fi
	for text; do
		grep -qF -- "$text" "$work/out" || { printf '%s: no "%s" in:\n' "$what" "$text"; cat "$work/out"; exit 1; }
	done
}

project_of good:main skips:stats live/needs-kernel/module:zfsd >"$project/meson.build"
run '' build main stats zfsd
expect 'skips of a developer' 0 '2 passed, 0 failed, 2 skipped' \
	'skips: no such thing here' 'module: no kernel module'
run CI=true build main stats zfsd
expect 'skips in continuous integration' 1 '2 passed, 1 failed, 1 skipped' \
	'skips skipped, which only tests/live/needs-kernel may do here: no such thing here'

project_of good:main bad:main hangs:stats good:nosuite >"$project/meson.build"
run '' build main stats rest
expect 'failures' 1 '3 passed, 3 failed, 0 skipped' \
	'bad: FAIL' 'hangs: TIMEOUT' 'rest: the tests above name none of the suites'

project_of good:main leaves:main >"$project/meson.build"
run '' build main leftovers
expect 'a process left behind' 1 '3 passed, 1 failed, 0 skipped' 'sleep 1000'

echo "project('t' broken" >"$project/meson.build"
run '' build
expect 'a build that fails' 1 '0 passed, 1 failed, 0 skipped' 'build: build in build'

run '' nonsense
expect 'an unknown group' 1 "run-tests: no group 'nonsense' (see --list)"
