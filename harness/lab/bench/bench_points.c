/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_points.c - PCs to look up, and caches to look them up in
 *
 * A profiler's PCs lie in functions, so they are drawn from the addresses that the image's FDEs
 * cover, each as likely as the other. The generator has no seed from outside: every run draws the
 * same.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "bench.h"

#define RANDOM_SEED 0x9e3779b97f4a7c15
#define SWEEP_MIN   (64l << 20)
#define SWEEP_MAX   (256l << 20)
#define LINE_BYTES  64

/* ---- drawing ---------------------------------------------------------------------------- */

int bench_drawer_init(struct bench_drawer *drawer, const struct image *image, struct error *error)
{
	*drawer = (struct bench_drawer) { .state = RANDOM_SEED };
	if (cfi_create(image, &drawer->cfi, error))
		return -1;
	size_t count = drawer->cfi->fde_count;
	drawer->covered = calloc(count + 1, sizeof(*drawer->covered));
	if (!drawer->covered)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	for (size_t i = 0; i < count; i++)
		drawer->covered[i + 1] = drawer->covered[i] + drawer->cfi->fde[i].pc_range;
	if (!drawer->covered[count])
		return error_set(error, ERROR_NO_CFI, "", 0, "no FDE covers anything");
	return 0;
}

void bench_drawer_deinit(struct bench_drawer *drawer)
{
	free(drawer->covered);
	cfi_destroy(drawer->cfi);
}

/* xorshift64 (Marsaglia, Xorshift RNGs, 2003). */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

uint64_t bench_draw(struct bench_drawer *drawer)
{
	size_t low = 0, high = drawer->cfi->fde_count;
	uint64_t at = next_random(&drawer->state) % drawer->covered[high];

	/* The last FDE before which there are not more than `at` bytes. */
	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (drawer->covered[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return drawer->cfi->fde[low].pc_begin + (at - drawer->covered[low]);
}

/* ---- caches ----------------------------------------------------------------------------- */

int bench_sweep_init(struct bench_sweep *sweep, struct error *error)
{
	long cache = sysconf(_SC_LEVEL3_CACHE_SIZE) * 4;

	sweep->bytes = cache < SWEEP_MIN ? SWEEP_MIN : cache > SWEEP_MAX ? SWEEP_MAX : cache;
	sweep->buffer = mmap(NULL, sweep->bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (sweep->buffer != MAP_FAILED)
		return 0;
	sweep->buffer = NULL;
	return error_set_errno(error, "mmap");
}

void bench_sweep_deinit(struct bench_sweep *sweep)
{
	if (sweep->buffer)
		munmap((void *)sweep->buffer, sweep->bytes);
}

void bench_sweep_caches(const struct bench_sweep *sweep)
{
	for (long i = 0; i < sweep->bytes; i += LINE_BYTES)
		sweep->buffer[i]++;
}
