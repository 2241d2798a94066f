/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * address_space.h - what a process has mapped, and the images and tables of it
 *
 *	image_store	images by file, each read once
 *	process		whose memory can be read
 *	address_space	mappings by PC
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

/* ---- image_store.c --------------------------------------------------------------------------- */

/* What a file is known by. One that is written anew may get the inode of one that is gone. */
struct file_version {
	uint64_t device, inode;
	uint64_t size, modified_ns;
};

/* An image with all that was made of it, shared by every process that maps it. */
struct image_entry {
	struct file_version version;
	struct image *image;
	struct table *table;
	uint32_t id; /* no other image of the store has, or had, the same; from 0 on */
	/* private */
	struct image_store *store;
	struct cfi *cfi_if_read; /* image_entry_cfi() */
	struct row_cache *rows;	 /* image_entry_row() */
	uint32_t references;	 /* mappings of address spaces that have it */
	uint64_t unused_since;	 /* by the store's clock */
};

/* The image's CFI, as of cfi_create(); it may be empty, and is never NULL. A walk by tables
 * needs none, so it is read when first asked for. Valid as long as the entry. Not thread-safe.
 * Where there is no memory for it, it is empty; who must tell the two apart reads it first: 0, or
 * -1 and ERROR_MEMORY. */
int image_entry_read_cfi(struct image_entry *entry, struct error *error);
const struct cfi *image_entry_cfi(struct image_entry *entry);
/*
 * cfi_row_find() with a memory: rows found lately are not interpreted again. 1 found, 0 no FDE
 * covers vaddr, -1 error. *ret is valid until the next call for the entry. Not thread-safe.
 */
int image_entry_row(struct image_entry *entry, uint64_t vaddr, const struct row **ret,
		    struct error *error);

/* Images met so far. Entries keep their address until the store is destroyed, or forgets them. */
struct image_store;
struct image_store *image_store_create(void);
void image_store_destroy(struct image_store *store);
/* Asked of each image that is added from now on, before its table is built: it may add to the image's CFI.
 * -1: the image can't be added, and error says why. Of several each is asked, in the order in which they came.
 * NULL: nobody more is asked. */
typedef int (*image_prepare_fn)(void *context, struct image *image, struct error *error);
void image_store_prepare(struct image_store *store, image_prepare_fn fn, void *context);
size_t image_store_count(const struct image_store *store);
struct image_entry *image_store_get(const struct image_store *store, size_t index);
/* The image in a file, or in size bytes at data (copied) that name stands for, met before or
 * added now. The store's; NULL: error is set. */
struct image_entry *image_store_open(struct image_store *store, const char *path,
				     struct error *error);
struct image_entry *image_store_copy(struct image_store *store, const void *data, size_t size,
				     const char *name, struct error *error);
/* Forgets images that no address space has, but for so many: those that had been in one last.
 * What has been opened or copied, and is in none yet, is such an image, too. */
void image_store_forget(struct image_store *store, size_t keep);

/* ---- process.c ------------------------------------------------------------------------------- */

/* Whether the thread has memory: not once it ends, nor if it is the kernel's. */
bool thread_has_memory(pid_t tid);
/* The process's number; or if its first thread has ended, that of another which has memory: what
 * to ask /proc and process_vm_readv(2) by. 0: there is none, or errno says why none was looked
 * for. */
pid_t process_living_thread(pid_t pid);
/* All of size bytes of the thread's memory. False: errno says why, or some of it is not there. */
bool thread_read_memory(pid_t tid, uint64_t address, void *ret, size_t size);

/* ---- address_space.c ------------------------------------------------------------------------- */

/* One executable mapping. vaddr of a PC = pc - bias. */
struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t bias;
	struct image_entry *entry; /* NULL: anonymous, or its file can't be read as ELF */
	char *path;
	uint64_t name_hash; /* of the path's last part: the same wherever the file lies */
};

struct perf_map; /* private: perf_map.h */

struct address_space {
	pid_t pid;
	struct mapping *mapping; /* executable ones only, sorted by start */
	size_t mapping_count;
	size_t unopened;	   /* of them: as they were read, their files could not be opened */
	struct image_store *store; /* borrowed */
	struct perf_map *names;	   /* NULL without address_space_read_names() */
};

/* Reads /proc/PID/maps, adding images to the store as needed; through another thread if the
 * first has ended. space: zeroed, or filled before. */
int address_space_read(struct address_space *space, struct image_store *store, pid_t pid,
		       struct error *error);
void address_space_deinit(struct address_space *space);
const struct mapping *address_space_find(const struct address_space *space, uint64_t pc);
/*
 * The PC is in code that the kernel has put into the process for its uprobes: "[uprobes]", where instructions
 * are executed out of their place and where a function returns to that has a uretprobe; "[uprobes-trampoline]"
 * from Linux 6.18 on. Both are mapped when the first probe is met, and no event tells of it.
 */
bool address_space_is_uprobes(const struct address_space *space, uint64_t pc);
/*
 * Reads, or reads again if it has changed, what the process calls the code that it has made itself:
 * its perf map, /tmp/perf-PID.map. No such file is no error. Names are forgotten when mappings are
 * read. A space that is only borrowed can be given names, too: they are no part of the mappings. */
int address_space_read_names(const struct address_space *space, struct error *error);
/* The name of code that is executable but in no image, as last read, and how far into it the PC is.
 * NULL: it has none. Valid until names or mappings are read again. */
const char *address_space_code_name(const struct address_space *space, uint64_t pc,
				    uint64_t *ret_offset);
/* Writes "function+0x12 (image)" for a PC into text. */
void address_space_describe(const struct address_space *space, uint64_t pc, char *text,
			    size_t size);
/* What BPF gets for a mapping, part by part from number 0 on, in order of address: page, rule
 * and wide numbers are relative to the image's own table. False: there is no such part, or no
 * table. */
bool mapping_for_walk(const struct mapping *mapping, uint32_t number, struct walk_mapping *ret);

#endif
