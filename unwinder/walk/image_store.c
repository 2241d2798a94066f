/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * image_store.c - images, each with its table and its CFI, shared by all processes that map them
 *
 * An image is known by its file's device, inode, size and times; the vDSO, and what else is copied
 * out of memory, by its bytes. Where the file has another name, mode or owner since (all of which
 * ctime says), or was written to and its time was set back, its bytes decide: those that this
 * program maps are the file's. Each image counts the mappings that use it. One that no mapping uses
 * stays for the next process that maps the file, until image_store_forget().
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "array.h"
#include "image_store.h"
#include "sframe/sframe.h"

#define ROW_CACHE_SLOTS 512u /* direct-mapped; a power of two */
#define PREPARES_MAX	4    /* each is somebody's call in this program */
#define HEAD_BYTES	4096 /* of a file: linkers put notes behind the headers */
#define UNUSED_SECONDS	10   /* that an image stays at most which nobody holds */

struct image_store {
	struct image_entry **entry;
	size_t count;
	size_t unused;	/* entries that no mapping has */
	uint64_t clock; /* of their beginning to be so */
	uint32_t next_id;
	image_table_fn make_table;
	struct jit_dump *dumps;
	struct {
		image_prepare_fn fn;
		void *context;
	} prepare[PREPARES_MAX];
	size_t prepare_count;
};

struct image_store *image_store_create(void)
{
	struct image_store *store = calloc(1, sizeof(*store));

	if (store)
		store->make_table = table_build;
	return store;
}

static void entry_destroy(struct image_entry *entry)
{
	if (!entry)
		return;
	free(entry->rows);
	table_destroy(entry->table);
	cfi_destroy(entry->cfi_if_read);
	sframe_destroy(entry->sframe_if_read);
	image_destroy(entry->image);
	free(entry);
}

void image_store_destroy(struct image_store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < store->count; i++)
		entry_destroy(store->entry[i]);
	free(store->entry);
	free(store);
}

void image_store_prepare(struct image_store *store, image_prepare_fn fn, void *context)
{
	if (!fn)
		return;
	assert(store->prepare_count < PREPARES_MAX);
	store->prepare[store->prepare_count].fn = fn;
	store->prepare[store->prepare_count++].context = context;
}

void image_store_tables(struct image_store *store, image_table_fn make)
{
	store->make_table = make;
}

struct jit_dump **image_store_dumps(struct image_store *store)
{
	return &store->dumps;
}

size_t image_store_count(const struct image_store *store)
{
	return store->count;
}

struct image_entry *image_store_get(const struct image_store *store, size_t index)
{
	return index < store->count ? store->entry[index] : NULL;
}

static uint64_t hash_words(uint64_t hash, const uint8_t *data, size_t size)
{
	uint64_t word;

	for (size_t at = 0; data && at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, data + at, sizeof(word));
		hash = hash_word(hash, word);
	}
	return hash;
}

/* What another build of the same size would hardly have: where functions begin, their rules, and at the file's begin the
 * headers and the build ID. */
static uint64_t contents_of(const struct image *image)
{
	size_t size;
	const uint8_t *bytes = image_file_bytes(image, &size);
	uint64_t hash = hash_words(0, bytes, size < HEAD_BYTES ? size : HEAD_BYTES);

	hash = hash_words(hash, image->eh_frame_hdr.data, image->eh_frame_hdr.size);
	return hash_words(hash, image->eh_frame.data, image->eh_frame.size);
}

struct image_entry *image_store_find(const struct image_store *store,
				     const struct file_version *version)
{
	for (size_t i = 0; i < store->count; i++)
		if (file_version_equal(&store->entry[i]->version, version))
			return store->entry[i];
	for (size_t i = 0; i < store->count; i++) {
		struct image_entry *entry = store->entry[i];

		if (!file_version_similar(&entry->version, version) ||
		    contents_of(entry->image) != entry->contents)
			continue;
		entry->version = *version;
		return entry;
	}
	return NULL;
}

static int64_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec;
}

static void begin_unused(struct image_entry *entry)
{
	entry->unused_since = ++entry->store->clock;
	entry->unused_s = now_s();
}

struct image_entry *image_store_add(struct image_store *store, struct image *image,
				    const struct file_version *version, struct error *error)
{
	struct image_entry *entry = calloc(1, sizeof(*entry));

	if (!entry) {
		image_destroy(image);
		goto no_memory;
	}
	*entry = (struct image_entry) { .version = *version, .image = image, .store = store };
	entry->id = store->next_id++;
	begin_unused(entry);
	for (size_t i = 0; i < store->prepare_count; i++)
		if (store->prepare[i].fn(store->prepare[i].context, image, error))
			goto bad;
	entry->contents = contents_of(image);
	if (store->make_table(image, &entry->table, error))
		goto bad;
	image_give_back(image); /* the CFI's pages */
	if (!ARRAY_ADD(store->entry, store->count, entry))
		goto no_memory;
	store->unused++;
	return entry;
no_memory:
	error_set(error, ERROR_MEMORY, "", 0, "no memory for an image");
bad:
	entry_destroy(entry);
	return NULL;
}

struct image_entry *image_store_open(struct image_store *store, const char *path,
				     struct error *error)
{
	struct file_version version;
	struct image_entry *entry;
	struct image *image;
	struct stat file;

	if (stat(path, &file)) {
		error_set_errno(error, "%s", path);
		return NULL;
	}
	version = file_version(&file);
	entry = image_store_find(store, &version);
	if (entry || image_create(path, &image, error))
		return entry;
	return image_store_add(store, image, &version, error);
}

struct image_entry *image_store_copy(struct image_store *store, const void *data, size_t size,
				     const char *name, struct error *error)
{
	struct file_version version = { .inode = VDSO_INODE, .size = size };
	struct image_entry *entry;
	struct image *image;

	version.modified_ns = hash_bytes(data, size);
	entry = image_store_find(store, &version);
	if (entry || image_create_memory(data, size, name, &image, error))
		return entry;
	return image_store_add(store, image, &version, error);
}

/* ---- how long they stay ----------------------------------------------------------------- */

void image_entry_hold(struct image_entry *entry)
{
	if (entry && !entry->references++)
		entry->store->unused--;
}

void image_entry_release(struct image_entry *entry)
{
	if (!entry)
		return;
	assert(entry->references);
	if (--entry->references)
		return;
	begin_unused(entry);
	entry->store->unused++;
}

/* The index of the unused entry that has been so for longest; there is one. */
static size_t longest_unused(const struct image_store *store)
{
	size_t found = store->count;

	for (size_t i = 0; i < store->count; i++)
		if (!store->entry[i]->references &&
		    (found == store->count ||
		     store->entry[i]->unused_since < store->entry[found]->unused_since))
			found = i;
	assert(found < store->count);
	return found;
}

static void forget(struct image_store *store, size_t number)
{
	entry_destroy(store->entry[number]);
	store->entry[number] = store->entry[--store->count];
	store->unused--;
}

void image_store_forget(struct image_store *store, size_t keep)
{
	while (store->unused > keep)
		forget(store, longest_unused(store));
	while (store->unused &&
	       store->entry[longest_unused(store)]->unused_s < now_s() - UNUSED_SECONDS)
		forget(store, longest_unused(store));
}

/* ---- CFI ---------------------------------------------------------------------------------- */

int image_entry_read_cfi(struct image_entry *entry, struct error *error)
{
	if (entry->cfi_if_read || !cfi_create(entry->image, &entry->cfi_if_read, error))
		return 0;
	return error->code == ERROR_MEMORY ? -1 : 0;
}

const struct cfi *image_entry_cfi(struct image_entry *entry)
{
	static const struct cfi nothing; /* of an image that has none, and where memory is out */
	struct error ignored;

	image_entry_read_cfi(entry, &ignored);
	return entry->cfi_if_read ? entry->cfi_if_read : &nothing;
}

const struct sframe *image_entry_sframe(struct image_entry *entry, struct error *ret_why)
{
	if (!entry->sframe_if_read)
		sframe_create(entry->image, &entry->sframe_if_read, ret_why);
	return entry->sframe_if_read;
}

bool image_entry_is_as_it_was(const struct image_entry *entry)
{
	bool touched;

	return image_is_as_it_was(entry->image, &touched) &&
	       (!touched || contents_of(entry->image) == entry->contents);
}

void image_entry_give_back(struct image_entry *entry)
{
	free(entry->rows);
	entry->rows = NULL;
	cfi_destroy(entry->cfi_if_read);
	entry->cfi_if_read = NULL;
	sframe_destroy(entry->sframe_if_read);
	entry->sframe_if_read = NULL;
	image_give_back(entry->image);
}

/* ---- rows found lately ------------------------------------------------------------------ */

/* Walks at neighbouring instructions ask for the same few hundred rows again and again. */
struct row_cache {
	struct {
		uint64_t vaddr;
		bool used, found;
		struct row row;
	} slot[ROW_CACHE_SLOTS];
};

int image_entry_row(struct image_entry *entry, uint64_t vaddr, const struct row **ret,
		    struct error *error)
{
	unsigned int number = (vaddr ^ vaddr >> 9) & (ROW_CACHE_SLOTS - 1);
	int found;

	if (!entry->rows)
		entry->rows = calloc(1, sizeof(*entry->rows));
	if (!entry->rows)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for rows");
	if (!entry->rows->slot[number].used || entry->rows->slot[number].vaddr != vaddr) {
		entry->rows->slot[number].used = false;
		if (image_entry_read_cfi(entry, error))
			return -1;
		found = cfi_row_find(image_entry_cfi(entry), vaddr, &entry->rows->slot[number].row,
				     error);
		if (found < 0)
			return -1;
		entry->rows->slot[number].vaddr = vaddr;
		entry->rows->slot[number].found = found;
		entry->rows->slot[number].used = true;
	}
	*ret = &entry->rows->slot[number].row;
	return entry->rows->slot[number].found;
}
