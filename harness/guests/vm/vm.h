/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * vm.h - commands run by another kernel
 *
 *	kernels.c	names -> kernel images, fetched through apt and cached
 *	initramfs.c	files, with the interpreter and libraries they need -> a newc archive
 *	qemu.c		starts the guest, keeps its console, enforces deadlines
 *	console.c	what the console says: panic, oops, BUG, WARNING, RCU stall, hung task, OOM
 *	frame.h		the framing on ttyS1 (shared with the guest's init)
 *	guest_init.c	/init in the guest, a static program
 */
#ifndef STACKPROOF_VM_H
#define STACKPROOF_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"

/* ---- kernels.c -------------------------------------------------------------------------- */

struct kernel {
	char name[64];	   /* as asked: "5.10", or a path */
	char version[128]; /* "5.10.0-39-cloud-amd64"; from the image's header if a path */
	char package[128]; /* "linux-image-5.10.0-39-cloud-amd64 5.10.262-1"; "" for a path */
	char image[512];   /* path of the bzImage; "" if not fetched */
};

/* Every series that can be had, newest of each; or every patch level, oldest first ("6.12.90").
 * Network. *ret: malloc'ed array. 1: not all suites could be asked, error says why; what is
 * cached is there in any case. -1: nothing is. */
int kernels_list(bool patch_levels, struct kernel **ret, size_t *ret_count, struct error *error);
/* Whether a kernel of that name, a series or a patch level, may be had at all: one is cached, or
 * a suite is the place for it. No network: a suite that is asked may still lack it. */
bool kernel_is_possible(const char *name);
/* Resolves name (a series such as "5.10", or a bzImage's path), fetching unless it is cached. A
 * name that no suite holds is ERROR_SYSTEM with ENOENT; ERROR_UNAVAILABLE is that no suite can
 * be asked. */
int kernel_get(const char *name, struct kernel *ret, struct error *error);
/* The same, looking for a newer kernel of the series even if one is cached; network. */
int kernel_refresh(const char *name, struct kernel *ret, struct error *error);

/* ---- qemu.c ----------------------------------------------------------------------------- */

enum guest_outcome {
	GUEST_OK,	   /* every command ran and the guest powered off */
	GUEST_NOT_STARTED, /* QEMU itself failed */
	GUEST_NO_BOOT,	   /* init never reported */
	GUEST_PANIC,	   /* the kernel died */
	GUEST_TIMEOUT,	   /* the deadline passed: a hang */
	GUEST_LOST,	   /* it ended without having finished */
	GUEST_PROTOCOL,	   /* its bytes on ttyS1 made no sense */
	GUEST_INTERRUPTED, /* guest_options.stop_fd */
	GUEST_OUTCOME_COUNT,
};
const char *guest_outcome_name(enum guest_outcome outcome);

/* One command in the guest, run as root. */
struct guest_command {
	char *const *argv; /* argv[0]: a path in the guest */
	const char
		*directory; /* its working directory, absolute; made if it isn't there; NULL: / */
	bool wants_files; /* regular files, links and directories that it makes or changes below that come back */
	unsigned timeout_ms; /* 0: only the guest's own deadline */
};

/* A file the guest needs, ELF files bring their interpreter and libraries along; or a directory
 * with its contents. */
struct guest_file {
	const char *host_path;
	const char *
		guest_path; /* NULL: the same as host_path. Relative: below this process's working directory */
	const char *link; /* host_path NULL: guest_path is a symbolic link to this */
};

enum guest_stream { GUEST_STDOUT = 1, GUEST_STDERR = 2 };

struct guest_callbacks {
	/* Output of command number index, as it arrives. */
	void (*on_output)(void *context, size_t index, enum guest_stream stream, const void *data,
			  size_t size);
	/* Its files, as they come: bytes of one cpio archive. NULL: nobody wants them. */
	void (*on_files)(void *context, size_t index, const void *data, size_t size);
	/* It ended: exit_code is its own, 128+N if killed by signal N, 127 if missing, 124 if it
	 * outlived its timeout. */
	void (*on_exit)(void *context, size_t index, int exit_code);
	void *context;
};

struct guest_options {
	const char *kernel_image;
	const struct guest_file *files;
	size_t file_count;
	const struct guest_command *commands;
	size_t command_count;
	unsigned memory_mb;  /* 0: 512, and more for large files */
	unsigned timeout_ms; /* whole guest; 0: 120,000 */
	/* From the first word of init on, in place of that: how long the guest may say nothing. A guest on a busy machine is
	 * slow, and hangs if it says no more. 0: there is no such limit. */
	unsigned silence_ms;
	const char *console_path; /* where the console is kept; NULL: a temporary file */
	bool verbose;		  /* console to stderr as it comes */
	int stop_fd;		  /* readable: the guest is killed; 0: none */
};

struct guest_result {
	enum guest_outcome outcome;
	bool kvm;		  /* accelerated; only if a guest really reached init with it */
	unsigned boot_ms;	  /* from start to init's first frame */
	unsigned first_output_ms; /* from start to the first command's first byte or exit */
	unsigned total_ms;
	size_t commands_done;
	char release[64];	 /* uname -r as init saw it */
	char sentence[256];	 /* what went wrong, for people; "" if nothing */
	char console_tail[4096]; /* last lines of the console, always */
	unsigned splats;	 /* WARNING, BUG, ... lines on the console */
};

/* Writes the command line that guest_run would start, for a shell, and a newline. */
void guest_command_line(const struct guest_options *options, FILE *file);

/* Runs one guest. 0 even if the guest died (see ret->outcome); -1: ret->outcome GUEST_NOT_STARTED.
 */
int guest_run(const struct guest_options *options, const struct guest_callbacks *callbacks,
	      struct guest_result *ret, struct error *error);

#endif
