/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * push_spool.c - messages on disk, while a server is away
 *
 * A file each, "TIME-SERIAL-KEY.push" in hexadecimal digits, so that names in order are messages in order. What has
 * another name is somebody else's and is left alone. A message is there whole or not at all (output_file.h); what a
 * process that was killed left unfinished is removed. The folder is locked, and only its owner can look into it if it is
 * made here: profiles tell what a machine does.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "array.h"
#include "base/cli/folder_lock.h"
#include "base/cli/output_file.h"
#include "freed.h"
#include "push_parts.h"

#define NAME_FORMAT "%016" PRIx64 "-%08" PRIx32 "-%016" PRIx64 ".push"
#define NAME_BYTES  48		  /* with its NUL */
#define UNFINISHED  ".unfinished" /* output_file.c */

struct push_spool {
	char *folder;
	int lock;
	uint64_t limit;
	pthread_mutex_t mutex;	/* of all below */
	struct push_kept *kept; /* in the order of time */
	size_t count;
	uint64_t bytes;
	uint32_t serial;
};

static void name_of(const struct push_kept *kept, char ret[NAME_BYTES])
{
	snprintf(ret, NAME_BYTES, NAME_FORMAT, kept->time_ns, kept->serial, kept->key);
}

static bool path_of(const struct push_spool *spool, const char *name, char ret[PATH_MAX])
{
	return snprintf(ret, PATH_MAX, "%s/%s", spool->folder, name) < PATH_MAX;
}

static void remove_file(const struct push_spool *spool, const struct push_kept *kept)
{
	char name[NAME_BYTES], path[PATH_MAX];

	name_of(kept, name);
	if (path_of(spool, name, path))
		unlink(path);
}

/* ---- what is there --------------------------------------------------------------------------- */

/* False: it is no such name. */
static bool parse_name(const char *name, struct push_kept *ret)
{
	char again[NAME_BYTES];

	*ret = (struct push_kept) { 0 };
	if (sscanf(name, "%16" SCNx64 "-%8" SCNx32 "-%16" SCNx64, &ret->time_ns, &ret->serial,
		   &ret->key) != 3)
		return false;
	name_of(ret, again);
	return !strcmp(again, name);
}

static int add_found(struct push_spool *spool, const char *name, struct error *error)
{
	char path[PATH_MAX], finished[NAME_BYTES];
	struct push_kept kept;
	struct stat at;

	if (!path_of(spool, name, path) || lstat(path, &at) || !S_ISREG(at.st_mode))
		return 0;
	if (strlen(name) == NAME_BYTES - 1 + strlen(UNFINISHED)) {
		memcpy(finished, name, NAME_BYTES - 1);
		finished[NAME_BYTES - 1] = '\0';
		if (parse_name(finished, &kept) && !strcmp(name + NAME_BYTES - 1, UNFINISHED))
			unlink(path);
		return 0;
	}
	if (!parse_name(name, &kept))
		return 0;
	kept.size = at.st_size;
	if (!ARRAY_ADD(spool->kept, spool->count, kept))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for the spool");
	spool->bytes += kept.size;
	spool->serial = kept.serial >= spool->serial ? kept.serial + 1 : spool->serial;
	return 0;
}

ARRAY_ORDER_TWO(compare_kept, struct push_kept, time_ns, serial)

static int find_all(struct push_spool *spool, struct error *error)
{
	DIR_CLOSED DIR *folder = opendir(spool->folder);
	struct dirent *entry;
	int status = 0;

	if (!folder)
		return error_set_errno(error, "%s", spool->folder);
	while (!status && (entry = readdir(folder)))
		status = add_found(spool, entry->d_name, error);
	if (spool->count)
		qsort(spool->kept, spool->count, sizeof(*spool->kept), compare_kept);
	return status;
}

int push_spool_open(const char *folder, uint64_t bytes, struct push_spool **ret,
		    struct error *error)
{
	struct push_spool *spool = calloc(1, sizeof(*spool));

	if (!spool || !(spool->folder = strdup(folder))) {
		free(spool);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for the spool");
	}
	spool->limit = bytes;
	spool->lock = -1;
	pthread_mutex_init(&spool->mutex, NULL);
	if (mkdir(folder, 0700) && errno != EEXIST)
		error_set_errno(error, "%s", folder);
	else if ((spool->lock = folder_lock(folder, error)) >= 0 && !find_all(spool, error)) {
		*ret = spool;
		return 0;
	}
	push_spool_close(spool);
	return -1;
}

void push_spool_close(struct push_spool *spool)
{
	if (!spool)
		return;
	if (spool->lock >= 0)
		close(spool->lock);
	pthread_mutex_destroy(&spool->mutex);
	free(spool->kept);
	free(spool->folder);
	free(spool);
}

void push_spool_each(struct push_spool *spool, void (*fn)(void *context, uint64_t key),
		     void *context)
{
	for (size_t i = 0; i < spool->count; i++)
		fn(context, spool->kept[i].key);
}

/* ---- what is added and removed --------------------------------------------------------------- */

static void forget(struct push_spool *spool, size_t i)
{
	spool->bytes -= spool->kept[i].size;
	spool->count--;
	memmove(&spool->kept[i], &spool->kept[i + 1], (spool->count - i) * sizeof(*spool->kept));
}

/* Takes the oldest away while there are more bytes than room. Without the lock. */
static void make_room(struct push_spool *spool, uint64_t room, push_evicted_fn *evicted,
		      void *context)
{
	for (;;) {
		struct push_kept kept;
		size_t i = 0;

		pthread_mutex_lock(&spool->mutex);
		while (i < spool->count && spool->kept[i].in_use)
			i++;
		if (spool->bytes <= room || i == spool->count) {
			pthread_mutex_unlock(&spool->mutex);
			return;
		}
		kept = spool->kept[i];
		forget(spool, i);
		pthread_mutex_unlock(&spool->mutex);
		remove_file(spool, &kept);
		evicted(context, kept.key);
	}
}

void push_spool_trim(struct push_spool *spool, push_evicted_fn *evicted, void *context)
{
	make_room(spool, spool->limit, evicted, context);
}

static int write_file(const struct push_spool *spool, const struct push_kept *kept,
		      const struct push_body *body, struct error *error)
{
	char name[NAME_BYTES], path[PATH_MAX];
	struct output_file output;

	name_of(kept, name);
	if (!path_of(spool, name, path))
		return error_set(error, ERROR_SYSTEM, "", 0, "%s: the path is too long", path);
	if (output_file_open(path, &output, error))
		return -1;
	fwrite(body->data, 1, body->size, output.file); /* output_file_close() says if it failed */
	return output_file_close(&output, true, error);
}

int push_spool_keep(struct push_spool *spool, uint64_t key, const struct push_body *body,
		    push_evicted_fn *evicted, void *context, struct error *error)
{
	struct push_kept kept = { .key = key, .size = body->size };
	struct timespec now;
	bool grown;

	if (body->size > spool->limit)
		return 1;
	make_room(spool, spool->limit - body->size, evicted, context);
	clock_gettime(CLOCK_REALTIME, &now);
	kept.time_ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	pthread_mutex_lock(&spool->mutex);
	kept.serial = spool->serial++;
	pthread_mutex_unlock(&spool->mutex);
	if (write_file(spool, &kept, body, error))
		return -1;
	pthread_mutex_lock(&spool->mutex);
	grown = ARRAY_GROW(spool->kept, spool->count);
	if (grown) {
		/* The clock may have been set back: it is the newest all the same, until the next run. */
		spool->kept[spool->count++] = kept;
		spool->bytes += kept.size;
	}
	pthread_mutex_unlock(&spool->mutex);
	if (grown)
		return 0;
	remove_file(spool, &kept);
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for the spool");
}

bool push_spool_take(struct push_spool *spool, uint64_t key, struct push_kept *ret)
{
	bool found = false;

	pthread_mutex_lock(&spool->mutex);
	for (size_t i = 0; i < spool->count && !found; i++)
		if (spool->kept[i].key == key && !spool->kept[i].in_use) {
			spool->kept[i].in_use = found = true;
			*ret = spool->kept[i];
		}
	pthread_mutex_unlock(&spool->mutex);
	return found;
}

void push_spool_release(struct push_spool *spool, const struct push_kept *kept, bool removed)
{
	if (removed)
		remove_file(spool, kept);
	pthread_mutex_lock(&spool->mutex);
	for (size_t i = 0; i < spool->count; i++) {
		if (spool->kept[i].time_ns != kept->time_ns ||
		    spool->kept[i].serial != kept->serial)
			continue;
		spool->kept[i].in_use = false;
		if (removed)
			forget(spool, i);
		break;
	}
	pthread_mutex_unlock(&spool->mutex);
}

int push_spool_read(struct push_spool *spool, const struct push_kept *kept, struct push_body *ret,
		    struct error *error)
{
	char name[NAME_BYTES], path[PATH_MAX];
	FILE_CLOSED FILE *file = NULL;

	name_of(kept, name);
	if (!path_of(spool, name, path))
		return error_set(error, ERROR_SYSTEM, "", 0, "%s: the path is too long", path);
	file = fopen(path, "rbe");
	if (!file)
		return error_set_errno(error, "%s", path);
	ret->size = kept->size;
	ret->data = malloc(kept->size + 1);
	if (ret->data && fread(ret->data, 1, ret->size, file) == ret->size)
		return 0;
	free(ret->data);
	if (!ret->data)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a kept message");
	return error_set(error, ERROR_SYSTEM, "", 0, "%s is cut off", path);
}
