/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * archive.h - ELF files inside of ar archives: .a, .rlib
 *
 * Members that hold code, or archives, and are no ELF files are told apart from texts and tables of symbols: who checks
 * the code of an archive has to say that it did not check them.
 *
 * A member is called "lib.a(member.o)". It is read from a copy in memory, which has a path as long
 * as it is open: other programs are given that.
 */
#ifndef STACKPROOF_ARCHIVE_H
#define STACKPROOF_ARCHIVE_H

#include "error.h"

/* What a thin one begins with, in place of ARMAG. */
#define THIN_ARCHIVE_MAGIC "!<thin>\n"

/* What bytes are, by what they begin with. */
enum archive_kind {
	ARCHIVE_OTHER,
	ARCHIVE_ELF,
	ARCHIVE_BITCODE, /* LLVM's: code is made of it when it is linked */
	ARCHIVE_AR,	 /* an archive */
	ARCHIVE_THIN,	 /* an archive whose members are files of their own */
};
enum archive_kind archive_kind(const char *bytes, size_t size);

/* Called for each member that is of a kind, not ARCHIVE_OTHER: its name, and where its size bytes are in the
 * archive. Non-zero stops, and is returned. */
typedef int (*archive_member_fn)(void *context, const char *name, enum archive_kind kind,
				 uint64_t offset, uint64_t size, struct error *error);

/*
 * 1: path is an archive, and all of its members of a kind were given to fn. 0: it is none. -1, with error:
 * it can't be read to its end, or is a thin one (ERROR_THIN_ARCHIVE), whose members are files of their
 * own; or what fn returned, if not 0.
 */
int archive_members(const char *path, archive_member_fn fn, void *context, struct error *error);

/* The same of an archive that lies in a file, at start, a multiple of a page's size; offsets count in
 * the file. 0, or -1, or what fn returned. */
int archive_members_at(int fd, uint64_t start, uint64_t size, archive_member_fn fn, void *context,
		       struct error *error);

/* A member's bytes. Zeroed it is none, and may be closed. */
struct archive_copy {
	int fd;	       /* 0: none */
	char path[48]; /* for this process and its children, while it is open */
};
/* Copies size bytes at offset of the archive, which path names without the member. 0 or -1. */
int archive_copy_open(const char *path, uint64_t offset, uint64_t size, struct archive_copy *ret,
		      struct error *error);
void archive_copy_close(struct archive_copy *copy);

#endif
