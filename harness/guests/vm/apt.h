/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * apt.h - a Debian suite through apt, in a directory of its own
 */
#ifndef STACKPROOF_APT_H
#define STACKPROOF_APT_H

#include <limits.h>
#include "kernel_index.h"

/* A suite whose index was fetched and verified. Other processes are locked out until it is closed. */
struct apt_suite {
	char directory[PATH_MAX];
	char mirror[512]; /* the URI that worked */
	int lock_fd;
	char *index; /* the text of its Packages file */
	size_t index_size;
};

/* Fetches the indexes of the suite and its base. On success *ret is to be closed: apt_suite_close(). */
int apt_suite_open(struct apt_suite *ret, const struct kernel_suite *suite, struct error *error);
void apt_suite_close(struct apt_suite *suite);

/* Downloads a package; apt checks its signature chain. Writes the .deb's path to ret, of size bytes. */
int apt_suite_download(struct apt_suite *suite, const struct kernel_package *package, char *ret,
		       size_t size, struct error *error);
/* Downloads the package of that name and all that it depends on, of the suite and its base, as for a machine that has
 * nothing. Writes the folder of the .deb files to ret, of size bytes; apt_suite_drop() empties it. */
int apt_suite_download_all(struct apt_suite *suite, const char *suite_name, const char *package,
			   char *ret, size_t size, struct error *error);
/* Removes what was downloaded, and the indexes: those of a whole release are large. */
void apt_suite_drop(const struct apt_suite *suite);

#endif
