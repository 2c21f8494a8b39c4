/* Facts to findings and cross-checks. */
#include "doctor/doctor.h"
#include "doctor/cross/asked_real.h"
#include "doctor/cross/memory_ledger.h"
#include "doctor/cross/safety_verdict.h"
#include "doctor/cross/space_forecast.h"
#include "doctor/cross/write_ledger.h"
#include <string.h>

int doctor_init(struct doctor *doctor, const json_t *facts, struct err *err)
{
	memset(doctor, 0, sizeof(*doctor));
	doctor->facts = facts;
	view_init(&doctor->view, facts);
	int r = diagnosis_make(&doctor->diagnosis, &doctor->view, err);
	if (r < 0)
		return r;
	doctor->safety = safety_verdicts(&doctor->view);
	doctor->memory = memory_ledger(doctor->view.root);
	doctor->writes = write_ledger(facts);
	doctor->asked_real = asked_real(&doctor->view);
	doctor->space = space_forecasts(&doctor->view);
	return 0;
}

void doctor_release(struct doctor *doctor)
{
	json_decref(doctor->safety);
	json_decref(doctor->memory);
	json_decref(doctor->writes);
	json_decref(doctor->asked_real);
	json_decref(doctor->space);
	diagnosis_release(&doctor->diagnosis);
	view_release(&doctor->view);
	memset(doctor, 0, sizeof(*doctor));
}
