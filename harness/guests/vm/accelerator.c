/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * accelerator.c - may a guest be tried with KVM on this machine?
 *
 * That /dev/kvm opens proves little: inside of some virtual machines a guest can be created and
 * never gets to its first instruction, or QEMU fails an assertion over a register that the outer
 * hypervisor does not let through. Only a guest that reached init proves that KVM works. A try that
 * fails may cost seconds, so it is remembered, with the boot id, because what KVM can do changes
 * with a reboot at the earliest.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "accelerator.h"
#include "cache.h"

#define BOOT_ID	     "/proc/sys/kernel/random/boot_id"
#define BOOT_ID_SIZE 64
#define MEMORY_NAME  "kvm-failed-in-boot"

static bool failed_before(void)
{
	char path[PATH_MAX], remembered[BOOT_ID_SIZE], now[BOOT_ID_SIZE];
	struct error ignored;

	return !cache_path(MEMORY_NAME, path, sizeof(path), &ignored) &&
	       !read_small_file(path, remembered, sizeof(remembered)) &&
	       !read_small_file(BOOT_ID, now, sizeof(now)) && !strcmp(remembered, now);
}

bool accelerator_name_is_valid(const char *name)
{
	return !name || !*name || !strcmp(name, "tcg") || !strcmp(name, "kvm");
}

enum accelerator_choice accelerator_choose(void)
{
	const char *wanted = getenv(ACCELERATOR_VARIABLE);
	int fd;

	if (wanted && !strcmp(wanted, "tcg"))
		return ACCELERATOR_TCG;
	if (wanted && !strcmp(wanted, "kvm"))
		return ACCELERATOR_KVM;
	fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return ACCELERATOR_TCG;
	close(fd);
	return failed_before() ? ACCELERATOR_TCG : ACCELERATOR_TRY_KVM;
}

void accelerator_remember_failure(void)
{
	char path[PATH_MAX], directory[PATH_MAX], now[BOOT_ID_SIZE];
	struct error ignored;

	/* Not to remember costs time, nothing else: errors don't matter. */
	if (cache_path("", directory, sizeof(directory), &ignored) ||
	    cache_path(MEMORY_NAME, path, sizeof(path), &ignored) ||
	    read_small_file(BOOT_ID, now, sizeof(now)) || make_directories(directory, &ignored))
		return;
	write_file_atomically(path, now, strlen(now), &ignored);
}
