#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh has them: plumb, work, failed
# plumb disk: the models are listed and printed as sections; wrong words, models, parameters and sizes
# are refused with what is wrong and a near miss. Needs no root: nothing is attached.
. "$(dirname "$0")/lib.sh"

expect 0 "$plumb" disk models
for model in none hdd-7200 intel-320 nvme-plp nvme-consumer nvme-iu16 ebs-gp3 ebs-gp2; do
	says out "$model"
	expect 0 "$plumb" disk models $model
	says out "[device.$model]"
	expect 0 "$plumb" disk models
done
expect 0 "$plumb" disk models ebs-gp3
grep -q '^iops  *= 3000 ' out || fail 'ebs-gp3 has not 3000 IOPS'

refuses() { # TEXT ARGUMENTS...
	local text=$1
	shift
	expect 1 "$plumb" disk "$@"
	says err "$text"
}
refuses 'expects models|attach'
refuses "did you mean 'attach'" atach x
refuses "did you mean 'ebs-gp3'" models ebs-gp33
refuses "did you mean 'intel-320'" attach --memory --size 1G --model intel-32 x
refuses "did you mean 'units'" attach --memory --size 1G --model intel-320,unit=4 x
refuses 'not a size' attach --memory --size huge x
refuses 'not key=value' attach --memory x
refuses '512 or 4096' attach --memory --size 1G --sector 1000 x
refuses 'from 1' attach --memory --size 1G --slow 0.1 x
refuses 'usage: plumb disk attach' attach
refuses 'usage: plumb disk clock' clock x
refuses 'no times to check' check none
refuses "there is no model 'floppy'" check floppy
refuses 'must be text or json' stats --format xml
end
