#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh has them: plumb, work, failed
# plumb check: every filesystem and workload is listed with yes, or no and a reason.
. "$(dirname "$0")/lib.sh"

expect 0 "$plumb" check
for word in machine filesystems workloads PostgreSQL programs ext4 xfs btrfs zfs-kernel directory pgbench \
	'memory limits' 'loop devices' FUSE 'kernel OpenZFS' scratch results kernel cpus; do
	says out "$word"
done
grep -E '^  [a-z0-9-]+ +no$' out && fail 'a refusal without a reason'
expect 0 "$plumb" check --format json
jq -e '.schema_version == 1 and ([.filesystems[].name] | index("ext4") != null) and
	([.filesystems[], .workloads[], .programs[]] | all(.can_run or (.text | length) > 10))' out \
	>/dev/null || fail 'the JSON is not right'
[ ! -e scratch ] || fail 'check made the scratch folder'
# Without programs in sight, each refusal names the package that has them.
mkdir empty
expect 0 env PATH="$work/empty" "$plumb" check
says out 'mkfs'
says out 'package'
# A study is held against the machine, and refused with its cells and the reason.
study runs
expect 0 "$plumb" check runs.ini
grep -qE '^  runs +yes$' out || fail "the study is not called fit: $(tail -2 out)"
study wide
sed -i 's/^type = fake$/type = directory/; 0,/^type = directory/s//&\npath = \/nowhere\/at\/all/' wide.ini
sed -i '/^\[workload\]/,$ s/^type = directory/type = fake/' wide.ini
expect 1 "$plumb" check wide.ini
grep -E '^  wide +no: nothing of the study .*2 cells \(fake_tps=50, fake_tps=100\): .*/nowhere/at/all' out >/dev/null || fail "no reason: $(tail -2 out)"
# Models of a study's own: copied, changed, and wrong in two ways.
own() { # SED-PROGRAM
	{
		printf '[study]\nname = own\n[device]\nmodel = mine\nstore = ram\n[filesystem]\ntype = zfs-embedded\n'
		printf '[workload]\ntype = dd\nfile_size = 8M\n'
		"$plumb" disk models ebs-gp3 | sed 's/ebs-gp3/mine/'
	} | sed "$1" >own.ini
}
own 's/^read .*/read = 1ms/'
"$plumb" check own.ini >out 2>&1
grep -qE '^  own +no: .*(model|parameter)' out && fail "an own model is refused: $(tail -2 out)"
own 's/^read_spread/read_spraed/'
expect 1 "$plumb" check own.ini
says out "no parameter 'read_spraed'"
says out "did you mean 'read_spread'?"
own 's/^model = .*/model = ours/'
expect 1 "$plumb" check own.ini
says out "there is no model 'ours'"
expect 1 "$plumb" check missing.ini
says out "cannot open 'missing.ini'"
end
