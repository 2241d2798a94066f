/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_table.c - building the table of the largest ELF file on the machine, against `readelf -wF`
 *
 * Both read the same file from the page cache and decode every FDE. readelf prints the rows (to
 * /dev/null); here they become a finished table. The largest is the one with the largest .eh_frame
 * among the largest files under /usr/lib and /usr/bin.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"

#define CANDIDATES 24

/* nftw() has no context: the list it fills is this file's, and only while it runs. */
static struct candidate {
	char path[512];
	off_t size;
} candidates[CANDIDATES];

static int consider(const char *path, const struct stat *file, int kind, struct FTW *where)
{
	struct candidate *smallest = &candidates[0];

	if (kind != FTW_F || !S_ISREG(file->st_mode) || strlen(path) >= sizeof(smallest->path))
		return 0;
	for (size_t i = 1; i < CANDIDATES; i++)
		if (candidates[i].size < smallest->size)
			smallest = &candidates[i];
	if (file->st_size > smallest->size) {
		strcpy(smallest->path, path);
		smallest->size = file->st_size;
	}
	return 0;
}

static const char *find_largest(void)
{
	const char *path = NULL;
	size_t largest = 0;

	memset(candidates, 0, sizeof(candidates));
	nftw("/usr/lib", consider, 32, FTW_PHYS);
	nftw("/usr/bin", consider, 32, FTW_PHYS);
	for (size_t i = 0; i < CANDIDATES; i++) {
		struct image *image;
		struct error ignored;

		if (!candidates[i].size || image_create(candidates[i].path, &image, &ignored))
			continue;
		if (image->eh_frame.size > largest) {
			largest = image->eh_frame.size;
			path = candidates[i].path;
		}
		image_destroy(image);
	}
	return path;
}

static int build(const char *path, double *ret_ms, uint64_t *ret_rows, uint64_t *ret_bytes,
		 struct error *error)
{
	uint64_t begin = bench_now_ns();
	struct table *table = NULL;
	struct image *image = NULL;
	struct cfi *cfi = NULL;
	int status = -1;

	if (!image_create(path, &image, error) && !cfi_create(image, &cfi, error) &&
	    !table_create(image, cfi, &table, error)) {
		*ret_ms = (bench_now_ns() - begin) / 1e6;
		*ret_rows = table->cfi_row_count;
		*ret_bytes = table_bytes(table);
		status = 0;
	}
	table_destroy(table);
	cfi_destroy(cfi);
	image_destroy(image);
	return status;
}

static int run_readelf(const char *path, double *ret_ms, struct error *error)
{
	uint64_t begin = bench_now_ns();
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return error_set_errno(error, "fork");
	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execlp("readelf", "readelf", "-wF", path, (char *)NULL);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) < 0)
		return error_set_errno(error, "waiting for readelf");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "readelf is not installed");
	*ret_ms = (bench_now_ns() - begin) / 1e6;
	return 0;
}

int bench_table_build(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error)
{
	double ours[BENCH_RUNS_MAX], theirs[BENCH_RUNS_MAX];
	uint64_t rows = 0, bytes = 0;
	const char *path = find_largest();

	if (!path)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "no ELF file with CFI was found");
	if (build(path, &ours[0], &rows, &bytes, error)) /* warm */
		return -1;
	for (unsigned int i = 0; i < options->runs; i++)
		if (build(path, &ours[i], &rows, &bytes, error) ||
		    run_readelf(path, &theirs[i], error))
			return -1;
	ret->value = bench_median(ours, options->runs);
	ret->unit = "ms";
	ret->reference = "readelf -wF";
	ret->reference_value = bench_median(theirs, options->runs);
	ret->ratio = ret->reference_value / ret->value;
	snprintf(ret->note, sizeof(ret->note), "%.500s: %llu rows, %.2f bytes per row", path,
		 (unsigned long long)rows, rows ? (double)bytes / rows : 0);
	return 0;
}
