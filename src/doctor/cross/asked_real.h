/* Asked-for against real: properties against what files have, settings against what is in force. */
#ifndef DOCTOR_CROSS_ASKED_REAL_H
#define DOCTOR_CROSS_ASKED_REAL_H

#include "doctor/view.h"

/* [{"what", "asked", "real", "differs": BOOL}], texts made for reading; owned. */
json_t *asked_real(const struct view *view);

#endif
