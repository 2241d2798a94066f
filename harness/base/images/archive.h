/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * archive.h - ELF files inside of ar archives: .a, .rlib
 *
 * Some members hold code and are no ELF files: LLVM bitcode, nested archives. They are told apart from texts and
 * symbol tables, since a command that checks an archive's code has to say that it did not check them.
 *
 * A member is called "lib.a(member.o)". It is read from a copy in memory. While the copy is open it has a path, which
 * is given to other programs.
 */
#ifndef STACKPROOF_ARCHIVE_H
#define STACKPROOF_ARCHIVE_H

#include "error.h"

/* A thin archive begins with this in place of ARMAG. */
#define THIN_ARCHIVE_MAGIC "!<thin>\n"

/* What a file or a member is, by its first bytes. */
enum archive_kind {
	ARCHIVE_OTHER,
	ARCHIVE_ELF,
	ARCHIVE_BITCODE, /* LLVM bitcode: its code is generated at link time */
	ARCHIVE_AR,	 /* an archive */
	ARCHIVE_THIN,	 /* an archive whose members are files of their own */
};
enum archive_kind archive_kind(const char *bytes, size_t size);

/* Called for each member that is not ARCHIVE_OTHER. name is borrowed; offset and size say where its bytes
 * are in the archive. A non-zero return ends the loop and is returned. */
typedef int (*archive_member_fn)(void *context, const char *name, enum archive_kind kind,
				 uint64_t offset, uint64_t size, struct error *error);

/*
 * Calls fn for the members. 1: path was read to its end. 0: path is no archive, or can't be opened. -1: it can't be
 * read to its end, or it is thin (ERROR_THIN_ARCHIVE). Or what fn returned, if not 0.
 */
int archive_members(const char *path, archive_member_fn fn, void *context, struct error *error);

/* The same for an archive that begins at start in a file, a multiple of the page size; offsets count in the
 * file. 0, or -1, or what fn returned. */
int archive_members_at(int fd, uint64_t start, uint64_t size, archive_member_fn fn, void *context,
		       struct error *error);

/* A copy of a member. A zeroed one is empty, and may be closed. */
struct archive_copy {
	int fd;	       /* 0: none */
	char path[48]; /* for this process and its children, while it is open */
};
/* Copies a member: size bytes at offset. path: of the archive, without the member. 0, or -1. */
int archive_copy_open(const char *path, uint64_t offset, uint64_t size, struct archive_copy *ret,
		      struct error *error);
void archive_copy_close(struct archive_copy *copy);

#endif
