/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_system_calls.c - system calls without end: most samples find it in the kernel
 *
 * For `stackproof sample` (sample.h says why rounds are all alike). Long ones (reading zeros, new
 * pages), short ones, and page faults, which interrupt an instruction of the program's own.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sample.h"

#define BYTES 65536

static char buffer[BYTES];

static FRAME long read_zeros(int fd)
{
	long got = read(fd, buffer, sizeof(buffer));

	KEEP(got);
	return got;
}

static FRAME long write_nothing(int fd)
{
	long got = write(fd, buffer, sizeof(buffer));

	KEEP(got);
	return got;
}

static FRAME long short_ones(void)
{
	long sum = 0;

	for (int i = 0; i < 8; i++) {
		sum += getppid();
		KEEP(sum);
		sum += syscall(SYS_gettid);
		KEEP(sum);
	}
	return sum;
}

static FRAME long new_pages(void)
{
	char *pages = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return -1;
	for (int i = 0; i < BYTES; i += 4096)
		pages[i] = 1;
	KEEP_MEMORY(pages);
	long status = munmap(pages, BYTES);

	KEEP(status);
	return status;
}

static FRAME long through_a_pipe(const int *pipe_ends)
{
	long got = write(pipe_ends[1], buffer, 512);

	KEEP(got);
	got += read(pipe_ends[0], buffer, 512);
	KEEP(got);
	return got;
}

int main(int argc, char **argv)
{
	int zeros = open("/dev/zero", O_RDONLY), nothing = open("/dev/null", O_WRONLY), ends[2];
	long rounds = sample_rounds(argc, argv), bad = 0;

	if (zeros < 0 || nothing < 0 || pipe(ends))
		return 1;
	for (long round = 0; round < rounds; round++) {
		bad += read_zeros(zeros) != BYTES;
		bad += write_nothing(nothing) != BYTES;
		bad += short_ones() < 0;
		bad += new_pages() != 0;
		bad += through_a_pipe(ends) != 1024;
	}
	return !rounds || bad;
}
