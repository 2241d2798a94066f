/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * package.h - ELF files inside of Debian packages
 *
 * A member is called "foo.deb(usr/bin/x)", one of a static library in it "foo.deb(usr/lib/l.a(m.o))".
 */
#ifndef STACKPROOF_IMAGES_PACKAGE_H
#define STACKPROOF_IMAGES_PACKAGE_H

#include "archive.h"

#define PACKAGE_MEMBER_MAX (1u << 30)		/* bytes of one of its files */
#define PACKAGE_BYTES_MAX  (UINT64_C(16) << 30) /* of all of them */

/* The file begins as a package does. */
bool package_is(const char *path);

/* Where a package's ELF files are copied to: a file without a name. */
struct package_copy {
	int fd;	       /* -1: none */
	char path[32]; /* for this process and what it forks, while it is open */
};

/*
 * Copies a package's ELF files and static libraries, and gives each ELF file, and the libraries' members of
 * another kind, to fn: its name, and where its bytes are in the copy. 0; or -1, with error: the package can't
 * be read to its end, a file claims more than the limits, or what fn returned. What was given before
 * stays valid. package_copy_close().
 */
int package_unpack(const char *path, struct package_copy *ret, archive_member_fn fn, void *context,
		   struct error *error);
void package_copy_close(struct package_copy *copy);

#endif
