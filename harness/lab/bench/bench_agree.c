/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_agree.c - do readelf and the table say the same? Asked before either is timed
 *
 * A builder that loses rows is fast. What `readelf -wF` prints is held against the same lines by
 * our reader, and the table against the rows that the reader gave: every row leads to the same
 * caller as its rule, or a marker says that there is none (table_proof.c). Of the lines, tens of
 * megabytes, only a digest and the number of bytes are compared.
 */
#include <unistd.h>
#include "hash.h"
#include "base/child/child.h"
#include "bench.h"
#include "tables/table/table.h"

/* FNV-1a, 64 bits. */

struct digest {
	uint64_t hash;
	uint64_t bytes;
};

static ssize_t digest_add(void *context, const char *data, size_t size)
{
	struct digest *digest = context;
	digest->hash = hash_bytes_on(digest->hash, data, size);
	digest->bytes += size;
	return size;
}

static int digest_readelf(const char *path, struct digest *ret, struct error *error)
{
	const char *argv[] = { "readelf", "-wF", path, NULL };
	const struct child_command command = { .argv = argv };
	char buffer[1 << 14];
	ssize_t bytes;
	int output;

	pid_t pid = child_start(&command, &output, error);
	if (pid < 0)
		return -1;
	while ((bytes = read(output, buffer, sizeof(buffer))) > 0)
		digest_add(ret, buffer, bytes);
	close(output);
	return child_check(argv[0], child_end(pid, false), error);
}

static int digest_ours(const struct image *image, struct digest *ret, struct error *error)
{
	const cookie_io_functions_t functions = { .write = digest_add };
	const struct table_filter filter = { 0 };
	struct error_list diagnostics DEINIT(error_list_deinit) = { 0 };
	FILE *file = fopencookie(ret, "w", functions);

	if (!file)
		return error_set_errno(error, "fopencookie");
	int status = table_readelf(file, image, &filter, &diagnostics, error);
	if (fclose(file) && !status)
		status = error_set_errno(error, "fclose");
	return status;
}

int bench_agree(const char *path, const struct image *image, const struct table *table,
		uint64_t *ret_rows, struct error *error)
{
	struct digest ours = { .hash = HASH_BYTES_FIRST }, theirs = { .hash = HASH_BYTES_FIRST };
	struct table_proof proof;
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;

	if (digest_readelf(path, &theirs, error) || digest_ours(image, &ours, error) ||
	    cfi_create(image, &cfi, error) || table_prove(cfi, table, NULL, NULL, &proof, error))
		return -1;
	*ret_rows = cfi_row_count(cfi);
	if (ours.hash != theirs.hash || ours.bytes != theirs.bytes)
		return error_set(error, ERROR_PROTOCOL, "", 0,
				 "readelf -wF prints other lines than we do");
	if (proof.silent)
		return error_set(error, ERROR_PROTOCOL, "", 0, "the table is wrong at %llu rows",
				 (unsigned long long)proof.silent);
	return 0;
}
