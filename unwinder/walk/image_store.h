/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_store.h - images by the version of their file, and references to them
 */
#ifndef STACKPROOF_IMAGE_STORE_H
#define STACKPROOF_IMAGE_STORE_H

#include <sys/stat.h>
#include "hash.h"
#include "address_space.h"

/* The vDSO's version: this inode, the rest 0. */
#define VDSO_INODE UINT64_MAX

static inline struct file_version file_version(const struct stat *file)
{
	return (struct file_version) {
		.device = file->st_dev,
		.inode = file->st_ino,
		.size = file->st_size,
		.modified_ns = file->st_mtim.tv_sec * 1000000000ull + file->st_mtim.tv_nsec,
		.changed_ns = file->st_ctim.tv_sec * 1000000000ull + file->st_ctim.tv_nsec,
	};
}

/* But for changed_ns. */
static inline bool file_version_similar(const struct file_version *a, const struct file_version *b)
{
	return a->inode == b->inode && a->device == b->device && a->size == b->size &&
	       a->modified_ns == b->modified_ns;
}

static inline bool file_version_equal(const struct file_version *a, const struct file_version *b)
{
	return file_version_similar(a, b) && a->changed_ns == b->changed_ns;
}

/* The image of that version of a file, or NULL. Where changed_ns alone differs, the file is looked at. */
struct image_entry *image_store_find(const struct image_store *store,
				     const struct file_version *version);
/* Adds image, and takes it over even on failure. The entry is the store's. NULL: error is set. */
struct image_entry *image_store_add(struct image_store *store, struct image *image,
				    const struct file_version *version, struct error *error);
/* Adds or removes a mapping's reference. entry may be NULL. */
void image_entry_hold(struct image_entry *entry);
void image_entry_release(struct image_entry *entry);

#endif
