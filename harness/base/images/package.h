/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * package.h - ELF files inside of Debian packages
 *
 * A file of a package is called "foo.deb(usr/bin/x)". A member of a static library in a package is called
 * "foo.deb(usr/lib/l.a(m.o))".
 */
#ifndef STACKPROOF_IMAGES_PACKAGE_H
#define STACKPROOF_IMAGES_PACKAGE_H

#include "archive.h"

#define PACKAGE_MEMBER_MAX (1u << 30)		/* bytes of one file of a package */
#define PACKAGE_BYTES_MAX  (UINT64_C(16) << 30) /* of all its files */

/* True if the file begins as a Debian package does. */
bool package_is(const char *path);

/* A file without a name, with copies of a package's ELF files and static libraries. */
struct package_copy {
	int fd;	       /* -1: none */
	char path[32]; /* for this process and its children, while it is open */
};

/*
 * Copies a package's ELF files and static libraries. Calls fn for each ELF file, and for each member of the libraries
 * that is not ARCHIVE_OTHER; the offsets count in the copy. -1: the package can't be read to its end, or a file
 * exceeds a limit. Or what fn returned. Call package_copy_close() in any case.
 */
int package_unpack(const char *path, struct package_copy *ret, archive_member_fn fn, void *context,
		   struct error *error);
void package_copy_close(struct package_copy *copy);

#endif
