/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * address_space.h - the mappings of a process, with their images and tables
 *
 *	image_store.c	images by file, each read once
 *	process.c	threads and their memory
 *	address_space.c	mappings by PC
 */
#ifndef STACKPROOF_ADDRESS_SPACE_H
#define STACKPROOF_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "table/table_abi.h"
#include "table/unwind_table.h"

struct sframe;

/* ---- image_store.c --------------------------------------------------------------------------- */

/* What identifies a file's contents. Device and inode are not enough: an inode may be reused. Nor is the time of the last
 * modification, which anybody can set (utimensat(2)); but what changes also because of a name or of permissions: changed_ns
 * (inode(7): ctime). */
struct file_version {
	uint64_t device, inode;
	uint64_t size, modified_ns, changed_ns;
};

/* An image with its table, shared by all processes that map it. */
struct image_entry {
	struct file_version version;
	struct image *image;
	struct table *table;
	uint32_t id; /* unique in the store, never reused; from 0 on */
	/* private */
	struct image_store *store;
	struct cfi *cfi_if_read;       /* image_entry_cfi() */
	struct sframe *sframe_if_read; /* image_entry_sframe() */
	struct row_cache *rows;	       /* image_entry_row() */
	uint32_t references;	       /* how many mappings hold it */
	uint64_t unused_since;	       /* by the store's clock */
	int64_t unused_s;	       /* the same in seconds, CLOCK_MONOTONIC */
	uint64_t contents;	       /* a hash of its CFI and its headers */
};

/* Reads the image's CFI, unless it has been read; a walk by tables needs none. -1: ERROR_MEMORY. Not
 * thread-safe. */
int image_entry_read_cfi(struct image_entry *entry, struct error *error);
/* The image's CFI, read on the first call. Never NULL, but it may be empty: of an image without CFI, and if there
 * is no memory. Valid as long as the entry. Not thread-safe. */
const struct cfi *image_entry_cfi(struct image_entry *entry);
/* The image's SFrame, read on the first call. NULL: ret_why says why there is none. Valid as long as the entry. Not
 * thread-safe. */
const struct sframe *image_entry_sframe(struct image_entry *entry, struct error *ret_why);
/* Gives back all memory of the image but its table: it is read again when it is asked for. CFI, rows and symbols that
 * were returned before are not valid any more. */
void image_entry_give_back(struct image_entry *entry);
/* False: the file has other contents by now. One that only has another name, mode or owner is as it was. */
bool image_entry_is_as_it_was(const struct image_entry *entry);
/*
 * cfi_row_find() with a cache of the rows that were found lately. 1: found; 0: no FDE covers vaddr; -1: error.
 * *ret is valid until the next call for the entry. Not thread-safe.
 */
int image_entry_row(struct image_entry *entry, uint64_t vaddr, const struct row **ret,
		    struct error *error);

/* The images met so far. An entry is valid until the store forgets it, or is destroyed. */
struct image_store;
struct image_store *image_store_create(void);
void image_store_destroy(struct image_store *store);
/* Is called for each image that is added to the store, before its table is built, and may add to the image's CFI
 * (image_add_eh_frame()). -1: the image is not added; error must be set. */
typedef int (*image_prepare_fn)(void *context, struct image *image, struct error *error);
/* Adds a function to those that are called so, in order; at most four. fn may be NULL: nothing is added. */
void image_store_prepare(struct image_store *store, image_prepare_fn fn, void *context);
/* Tables are made by make from now on, and not by table_build(). */
typedef int (*image_table_fn)(const struct image *image, struct table **ret, struct error *error);
void image_store_tables(struct image_store *store, image_table_fn make);
size_t image_store_count(const struct image_store *store);
struct image_entry *image_store_get(const struct image_store *store, size_t index);
/* The image in the file at path, or in size bytes at data, which are copied and called name. It is added, unless
 * the store has it. The entry is the store's. NULL: error is set. */
struct image_entry *image_store_open(struct image_store *store, const char *path,
				     struct error *error);
struct image_entry *image_store_copy(struct image_store *store, const void *data, size_t size,
				     const char *name, struct error *error);
/* The jitdumps that processes with these images have mapped: a list. */
struct jit_dump **image_store_dumps(struct image_store *store);
/* Forgets the images that nobody holds, except the keep ones that were released last, and these after ten seconds: the
 * file stays mapped until then, and its file system in use. An image that was opened or copied, but not held yet
 * (image_entry_hold()), may be forgotten, too. */
void image_store_forget(struct image_store *store, size_t keep);

/* ---- process.c ------------------------------------------------------------------------------- */

/* Whether the thread has memory: false for one that has ended, and for kernel threads. */
bool thread_has_memory(pid_t tid);
/* A thread of the process that has memory, for /proc and process_vm_readv(2): pid, or, if the leader has ended,
 * another thread. 0: there is none, or errno says why /proc could not be read. */
pid_t process_living_thread(pid_t pid);
/* Copies size bytes of the thread's memory to ret. False: errno says why, or not all bytes are there. */
bool thread_read_memory(pid_t tid, uint64_t address, void *ret, size_t size);

/* ---- address_space.c ------------------------------------------------------------------------- */

/* An executable mapping, or a part of one. The image address of a PC is pc - bias. */
struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	uint64_t offset;	   /* in the file */
	struct image_entry *entry; /* NULL: anonymous, or its file can't be read as ELF */
	char *path;
	uint64_t name_hash; /* hash of the path's last component: independent of the folder */
};

struct jit_dump; /* private: jit_dump.h */
struct perf_map; /* private: perf_map.h */

struct address_space {
	pid_t pid;
	struct mapping *mapping; /* executable ones only, sorted by start */
	size_t mapping_count;
	size_t unopened;	   /* how many had files that could not be opened */
	struct image_store *store; /* borrowed */
	struct perf_map *names;	   /* NULL without address_space_read_names() */
	struct jit_dump *dump;	   /* that the process has mapped, or NULL; read by the same */
	uint64_t
		forked_ns; /* 0; or what a dump of the process that it was forked from says since then is not of it */
};

/* Reads /proc/PID/maps, or another thread's if the leader has ended, and adds images to the store. space: zeroed,
 * or filled before. address_space_deinit(). */
int address_space_read(struct address_space *space, struct image_store *store, pid_t pid,
		       struct error *error);
void address_space_deinit(struct address_space *space);
/* The mapping with that PC, or NULL. */
const struct mapping *address_space_find(const struct address_space *space, uint64_t pc);
/*
 * Whether the PC is in code that the kernel maps for uprobes: "[uprobes]", where probed instructions are
 * executed, and where functions with a uretprobe return to; or "[uprobes-trampoline]", from Linux 6.18 on.
 * Both are mapped at the first probe, without a perf event.
 */
bool address_space_is_uprobes(const struct address_space *space, uint64_t pc);
/*
 * Reads the process's perf map, /tmp/perf-PID.map, and its jitdump, if they are new or have changed: the names of code
 * that the process has generated. A missing file is no error. address_space_read() forgets names. The mappings stay
 * as they are: so space may be const. */
int address_space_read_names(const struct address_space *space, struct error *error);
/* The name of code that is in no image, from the jitdump or else the perf map, and the PC's offset in it. time_ns: when it
 * was executed, CLOCK_MONOTONIC; UINT64_MAX: last. NULL: it has none. Valid until names or mappings are read again. */
const char *address_space_code_name(const struct address_space *space, uint64_t pc,
				    uint64_t time_ns, uint64_t *ret_offset);
/* Writes "function+0x12 (image)" for a PC to text, of size bytes. */
void address_space_describe(const struct address_space *space, uint64_t pc, char *text,
			    size_t size);
/* Part number `number` of a mapping as BPF gets it; parts are in order of address. first_page is a page number of
 * the image's own table; the other numbers are 0 (placement_add() sets all). False: there is no such part, or no
 * table. */
bool mapping_for_walk(const struct mapping *mapping, uint32_t number, struct walk_mapping *ret);

#endif
