/* Steps that directory.c and rename.c share. Those with a tx are called with the namespace lock
 * held for writing and everything held in tx. */
#ifndef ZFSD_POSIX_DIRECTORY_INTERNAL_H
#define ZFSD_POSIX_DIRECTORY_INTERNAL_H

#include "zfsd/posix/posix_internal.h"

int directory_check_name(const char *name);
void directory_add_entry(
	struct zfsd_node *directory, const char *name, const struct zfsd_node *node, dmu_tx_t *tx);
/* So many entries and folders more or fewer. */
void directory_changed(struct zfsd_node *directory, int entries, int folders, dmu_tx_t *tx);
void directory_change_links(struct zfsd_node *node, int by, dmu_tx_t *tx);
void directory_hold_for_removal(
	struct zfsd_node *directory, const char *name, struct zfsd_node *node, dmu_tx_t *tx);
int directory_may_remove(const struct zfsd_node *node, bool folder); /* -ENOTEMPTY and so on */
int directory_commit_if_always(struct zfsd_filesystem *fs);	     /* property sync=always */

#endif
