/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_init.h - the parts of the guest's init: a static program, linked with nothing of the host's
 *
 *	guest_init.c		process 1: mounts, runs the commands, powers off
 *	guest_init_files.c	files -> cpio archives on ttyS1
 *	guest_init_root.c	the system on the guest's disk becomes the root
 */
#ifndef STACKPROOF_GUEST_INIT_H
#define STACKPROOF_GUEST_INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include "frame.h"

/* The line to the host. */
struct results {
	int fd;
	uint32_t sequence;
	uint64_t archive_bytes; /* that the command sent so far: FRAME_ARCHIVE_MAX */
	uint8_t frame[FRAME_SIZE_MAX];
};

void results_send(struct results *results, enum frame_type type, uint16_t index,
		  const void *payload, size_t length);

/* ---- guest_init_files.c ----------------------------------------------------------------- */

/* Sends what was made or changed below directory since then. */
void files_send(struct results *results, uint16_t index, const char *directory,
		const struct timespec *since);
/* Sends path, copy number of the command, with all that is below it on its file system, under the given name. */
void files_send_copy(struct results *results, uint16_t index, uint16_t number, const char *path,
		     const char *name);

/* ---- guest_init_root.c ------------------------------------------------------------------ */

/* Whether the guest has a system of its own on its disk. */
bool root_is_wanted(void);
/* Makes it the root, with what the initramfs brought for it. devtmpfs is mounted on /dev. -1: reason says why not. */
int root_enter(char *ret_reason, size_t size);

#endif
