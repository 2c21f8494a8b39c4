/* All rows that a study may use: those of no driver, of every target and of every workload. */
#ifndef RUN_CATALOG_H
#define RUN_CATALOG_H

#include "setting/setting.h"

/* Lent, lives for ever. */
const struct setting_catalog *catalog_get(void);

#endif
