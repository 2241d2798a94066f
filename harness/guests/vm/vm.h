/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * vm.h - runs commands on another kernel
 *
 *	kernels.c	names -> kernel images, fetched through apt and cached (kernel_index.c, apt.c, deb.c, cache.c)
 *	emulator.c	a QEMU that takes plugins, fetched and cached in the same way
 *	guest_files.c	files, and the interpreters and libraries that they need (elf_needs.c, guest_folder.c)
 *	initramfs.c	files and commands -> a newc archive (own_program.c)
 *	root_image.c	a folder with a whole system -> an image for the guest's disk (root_walk.c, root_staging.c)
 *	qemu.c		starts the guest, keeps its console, enforces deadlines (boot_image.c, accelerator.c, tsc.c,
 *			qemu_command.c)
 *	console.c	what the console says: panic, oops, BUG, WARNING, RCU stall, hung task, OOM
 *	guest_init.c	/init in the guest, a static program (guest_init.h)
 *	frame.h		the framing on ttyS1 (shared with the guest's init)
 *	guest_channel.c	the bytes of ttyS1 -> the commands' output and exit codes
 *	guest_output.c	a command's files -> a folder; guest_lines.c prints its output
 *	guest_copy.c	what else is to come back, by name
 */
#ifndef STACKPROOF_VM_H
#define STACKPROOF_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "error.h"

#define GUEST_COPIES_MAX 64

/* ---- kernels.c -------------------------------------------------------------------------- */

struct kernel {
	char name[64];	   /* as the caller gave it: "5.10", or a path */
	char version[128]; /* "5.10.0-39-cloud-amd64"; of a path, from the image's header */
	char package[128]; /* "linux-image-5.10.0-39-cloud-amd64 5.10.262-1"; "" for a path */
	char image[512];   /* path of the bzImage; "" if it is not fetched */
};

/* Lists, oldest first, the newest kernel of every series or every patch level ("6.12.90"). Uses the network.
 * *ret, an array, is the caller's to free(). 1: not all suites could be asked, and error says why; *ret then
 * has the cached kernels, too. -1: *ret is NULL. */
int kernels_list(bool patch_levels, struct kernel **ret, size_t *ret_count, struct error *error);
/* Lists the kernels that are fetched, oldest first, without the network. *ret is the caller's to free(). -1:
 * ERROR_MEMORY. */
int kernels_cached(struct kernel **ret, size_t *ret_count, struct error *error);
/* Whether name, a series or a patch level, is cached or of a series that a suite may hold. Uses no network: the
 * suite may still lack the kernel. */
bool kernel_is_possible(const char *name);
/* Finds the kernel name: a series ("5.10"), a patch level ("6.12.90") or a bzImage's path. Fetches it unless it
 * is cached. ERROR_SYSTEM with ENOENT: no suite holds it; ERROR_UNAVAILABLE: no suite can be asked. */
int kernel_get(const char *name, struct kernel *ret, struct error *error);
/* The same, but asks the network even if the name is cached: the series may have a newer kernel. */
int kernel_refresh(const char *name, struct kernel *ret, struct error *error);

/* ---- emulator.c ------------------------------------------------------------------------- */

/*
 * A QEMU that takes plugins (harness/truth/emulator/plugin.h): the one in PATH, "system", or one of a suite
 * ("bookworm-backports"). "": the system's has no version and no directory, nor has one that is not fetched.
 */
struct emulator {
	char name[64];
	char version[64];    /* of the package qemu-system-x86 */
	char directory[512]; /* where it is unpacked, with its libraries */
};

/* The name of emulator i, in the order in which they are tried. NULL: there is no emulator i. */
const char *emulator_name_at(size_t i);
/* Finds emulator name ("system" is always found), without the network. -1: it is not cached, or nothing has that name. */
int emulator_find(const char *name, struct emulator *ret);
/* The same, but fetches it unless it is cached; refresh: even then. ERROR_SYSTEM with ENOENT: no emulator has that name;
 * ERROR_UNAVAILABLE: it can't be fetched, or does not run here. */
int emulator_get(const char *name, bool refresh, struct emulator *ret, struct error *error);
/*
 * Which object of our plugin ("count") the emulator accepts: asked of the program, by loading it. Writes its path to
 * ret, of size bytes, as -plugin takes it. Returns the number of its interface (4, 7); -1: ERROR_UNAVAILABLE, with what
 * the program said.
 */
int emulator_plugin(const struct emulator *emulator, const char *plugin, char *ret, size_t size,
		    struct error *error);
/* The first emulator that accepts our plugin, cached or the system's; else the first that can be fetched. Returns as
 * emulator_plugin(). */
int emulator_choose(const char *plugin, struct emulator *ret, char *ret_path, size_t size,
		    struct error *error);

/* ---- qemu.c ----------------------------------------------------------------------------- */

enum guest_outcome {
	GUEST_OK,	   /* every command ran and the guest powered off */
	GUEST_NOT_STARTED, /* QEMU itself failed */
	GUEST_NO_BOOT,	   /* init never reported */
	GUEST_PANIC,	   /* the kernel died */
	GUEST_TIMEOUT,	   /* the deadline passed: a hang */
	GUEST_LOST,	   /* the guest ended before its commands did */
	GUEST_PROTOCOL,	   /* malformed bytes on ttyS1 */
	GUEST_INTERRUPTED, /* guest_options.stop_fd */
	GUEST_NO_ROOT,	   /* the kernel can't use the disk with guest_options.root */
	GUEST_OUTCOME_COUNT,
};
const char *guest_outcome_name(enum guest_outcome outcome);

/* A file, or a directory with its contents, that comes back when a command has ended: guest_callbacks.on_copy. */
struct guest_copy {
	const char *path; /* in the guest, absolute */
	const char *name; /* that it has in the archive: one component */
};

/* One command in the guest, run as root. */
struct guest_command {
	char *const *
		argv; /* argv[0]: a path in the guest, or a name for PATH if the guest has a root */
	const char
		*directory; /* its working directory, absolute; created if it is missing; NULL: / */
	bool wants_files; /* files, links and directories that it creates or changes below directory come back */
	const struct guest_copy *copies;
	size_t copy_count;   /* at most GUEST_COPIES_MAX */
	unsigned timeout_ms; /* 0: only the guest's own deadline */
};

/* A file for the guest; an ELF file comes with its interpreter and libraries. Or a directory with its
 * contents, or a symbolic link. */
struct guest_file {
	const char *host_path;
	const char *
		guest_path; /* NULL: as host_path, where a relative path counts from the working directory */
	const char *link; /* if host_path is NULL: the target of a symbolic link at guest_path */
};

enum guest_stream { GUEST_STDOUT = 1, GUEST_STDERR = 2 };

struct guest_callbacks {
	/* Output of command number index, as it arrives. */
	void (*on_output)(void *context, size_t index, enum guest_stream stream, const void *data,
			  size_t size);
	/* The command's files, as they arrive: bytes of one cpio archive. NULL: not wanted. */
	void (*on_files)(void *context, size_t index, const void *data, size_t size);
	/* The same of copy number: an archive of its own. */
	void (*on_copy)(void *context, size_t index, size_t number, const void *data, size_t size);
	/* The command ended. exit_code: its own; 128+N if signal N killed it; 127 if it is missing; 124 if its time
	 * was up. */
	void (*on_exit)(void *context, size_t index, int exit_code);
	/* Some times a second, how much of the guest's time is used. runs: init has reported. NULL: not wanted. */
	void (*on_time)(void *context, uint64_t used_ms, uint64_t total_ms, bool runs);
	void *context;
};

struct guest_options {
	const char *kernel_image;
	const struct guest_file *files;
	size_t file_count;
	const struct guest_command *commands;
	size_t command_count;
	/*
	 * A folder that holds a whole system, for instance made by debootstrap(8): the guest's root, of which
	 * this run's changes are lost at its end. Files are put into it as they are, without libraries, and this
	 * program is in its PATH. NULL: the guest has only files, and what they need.
	 */
	const char *root;
	unsigned memory_mb;  /* 0: 512, and more for large files */
	unsigned cpus;	     /* 0: 1 */
	unsigned timeout_ms; /* of the whole guest; 0: 120,000 */
	/* Once init has reported, replaces timeout_ms: how long ttyS1 may be silent. A guest on a busy
	 * machine is slow, but it sends; one that sends nothing hangs. 0: timeout_ms stays. */
	unsigned silence_ms;
	const char *console_path; /* file for the console's output; NULL: a temporary one */
	bool verbose;		  /* copies the console to stderr */
	int stop_fd;		  /* once readable, the guest is killed; 0: none */
	/* Once readable, the command that runs gets SIGINT with its process group, and the guest has two minutes from
	 * then; one in which none runs yet is killed. 0: none. */
	int interrupt_fd;
	/* The directory of a struct emulator; NULL or "": the QEMU in PATH. Such a guest is emulated, as is one with a
	 * plugin. */
	const char *emulator;
	/* FILE[,NAME=VALUE]... as of -plugin; NULL: none. What it prints goes to stderr. */
	const char *plugin;
};

/* What the guest's root was made of. */
struct guest_root {
	uint64_t files, bytes; /* bytes: in blocks of a page */
	uint64_t unreadable;   /* left out, since this user may not read them */
	uint64_t elsewhere;    /* left out: other file systems that are mounted in the folder */
	char unreadable_first[128]; /* the name of one, from the folder */
	unsigned image_ms;	    /* to look through the folder, and to make the image */
	bool cached;		    /* it was made before */
};

struct guest_result {
	enum guest_outcome outcome;
	bool kvm;		  /* the guest reached init with KVM */
	unsigned boot_ms;	  /* from start to init's first frame */
	unsigned first_output_ms; /* from start to the first command's first byte or exit */
	unsigned total_ms;
	size_t commands_done;
	char release[64];	 /* uname -r as init saw it */
	char sentence[256];	 /* what went wrong, for people; "" if nothing */
	char console_tail[4096]; /* last lines of the console, whatever the outcome */
	unsigned splats;	 /* lines with WARNING, BUG, ... on the console */
	struct guest_root root;	 /* if guest_options.root */
};

/* Whether the system in folder has a program of that name in the guests' PATH. What can't be told before the guest
 * runs is true: of a name with a slash, or of a folder that can't be opened. (root_walk.c) */
bool guest_root_has(const char *folder, const char *name);

/* Writes the command line that guest_run() would start, quoted for a shell, and a newline. */
void guest_command_line(const struct guest_options *options, FILE *file);

/* Runs one guest. 0 even if the guest died: ret->outcome. -1: ret->outcome is GUEST_NOT_STARTED. */
int guest_run(const struct guest_options *options, const struct guest_callbacks *callbacks,
	      struct guest_result *ret, struct error *error);

#endif
