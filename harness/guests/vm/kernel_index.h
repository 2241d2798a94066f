/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * kernel_index.h - which packages of a Debian suite are kernels that a guest can boot
 */
#ifndef STACKPROOF_KERNEL_INDEX_H
#define STACKPROOF_KERNEL_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"

enum kernel_archive { ARCHIVE_MAIN, ARCHIVE_SECURITY };

/* A suite, and the kernel series that it may hold. */
struct kernel_suite {
	const char *name;
	enum kernel_archive archive;
	const char *first; /* first and last series, inclusive; NULL: no limit */
	const char *last;
	bool candidates; /* only release candidates ("7.3-rc") */
	/* A suite that packages of this one need others of (apt_suite_download_all()); NULL: none is asked. */
	const char *base;
};

/* Suite i; the best one comes first. NULL: there is no suite i. */
const struct kernel_suite *kernel_suite_at(size_t i);
/* Whether the suite may hold the kernel name ("6.12", "7.3-rc", "6.12.90"). */
bool kernel_suite_holds(const struct kernel_suite *suite, const char *name);

struct kernel_package {
	char name[128];
	char version[64]; /* Debian's: "6.12.117-1" */
	char series[32];  /* "6.12", "7.3-rc" */
	char sha256[65];
	uint64_t size; /* of the .deb, bytes */
};

/*
 * The packages in a Packages file (text, size bytes; Debian Policy 5.1) that hold an image of the
 * cloud-amd64 flavour. *ret, an array, is the caller's to free().
 */
int kernel_index_parse(const char *text, size_t size, struct kernel_package **ret,
		       size_t *ret_count, struct error *error);
/* The newest of count packages whose series or upstream version ("6.12.90") is name. NULL: none. */
const struct kernel_package *kernel_index_choose(const struct kernel_package *packages,
						 size_t count, const char *name);
/* A package's patch level, a name for kernel_index_choose(): "6.12.90" of version 6.12.90-1. For a release
 * candidate it is the series. */
void kernel_patch_level(const struct kernel_package *package, char *ret, size_t size);

/* Compares Debian version numbers (Debian Policy 5.6.12). Returns below 0, 0 or above 0. */
int debian_version_compare(const char *a, const char *b);
/* "5.10.262-1" -> "5.10", "7.3~rc7-1~exp1" -> "7.3-rc". -1: it is no kernel's version. */
int kernel_series_of(const char *version, char *ret, size_t size);
/* Whether name may be a series or version: digits, dots, "-rc". */
bool kernel_name_is_valid(const char *name);

#endif
