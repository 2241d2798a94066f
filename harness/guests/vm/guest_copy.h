/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_copy.h - files and directories of a guest that come back by name: GUESTPATH[:HOSTPATH]
 *
 *	copy_out_parse()	of each option
 *	copies_out_begin()	.copies and .copy_count of the guest_command
 *	copies_out_take()	in guest_callbacks.on_copy
 *	copies_out_unpack()	when the guest has ended
 */
#ifndef STACKPROOF_GUEST_COPY_H
#define STACKPROOF_GUEST_COPY_H

#include <stdio.h>
#include "vm.h"

struct copy_out {
	const char *guest; /* absolute path */
	const char
		*host; /* the file or directory that it becomes; NULL: its last component, here */
};

/* Cuts argument at its colon. NULL; or what is wrong with it, to be put behind the option's name. */
const char *copy_out_parse(char *argument, struct copy_out *ret);

/* One of a command's. */
struct copied_out {
	const struct copy_out *wanted;
	char *folder; /* that it comes to */
	char *name;   /* in that */
	FILE *stream; /* of its archive */
	char *archive;
	size_t size;
	size_t files; /* regular ones that were written */
};

/* Of one command. Zero-initialise. */
struct copies_out {
	struct copied_out *one;
	struct guest_copy *list; /* for guest_command.copies */
	size_t count;
};

/* below: NULL; or a name that each gets in a folder of its HOSTPATH, since there are more guests. */
int copies_out_begin(struct copies_out *copies, const struct copy_out *wanted, size_t count,
		     const char *below, struct error *error);
void copies_out_take(struct copies_out *copies, size_t number, const void *data, size_t size);
/* Writes what came. -1: something can't be written, or has a wrong name; what came before it is there. 1: something
 * did not come at all. The error names the first of these. */
int copies_out_unpack(struct copies_out *copies, struct error *error);
void copies_out_deinit(struct copies_out *copies);

#endif
