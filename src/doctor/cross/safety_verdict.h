/* Safety verdict of each location with data: can a power cut tear a page here? The chain is
 * filesystem x full_page_writes x page x record x log x flushes; every link that is not seen is
 * named, never counted as safe. */
#ifndef DOCTOR_CROSS_SAFETY_VERDICT_H
#define DOCTOR_CROSS_SAFETY_VERDICT_H

#include "doctor/view.h"

/*
 * [{"location", "verdict", "because": [TEXT...], "missing": [NAME...], "commits"}], owned. verdict
 * is one of the words below; a torture run that fits has its number behind it. commits says
 * whether acknowledged commits can be lost ("kept", "can be lost: ...", "can't tell").
 */
json_t *safety_verdicts(const struct view *view);

#define SAFETY_POSSIBLE	 "torn page possible"
#define SAFETY_NOT_SHOWN "not shown possible"
#define SAFETY_SHOWN	 "shown safe by torture run"
#define SAFETY_UNKNOWN	 "can't tell"

#endif
