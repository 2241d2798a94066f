/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_process.c - the thread through which a process is asked for its memory
 *
 * Processes in each state that one can be in: alive, its first thread ended, ended but not waited
 * for, gone, the kernel's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "tests/suite.h"
#include "tests/leaderless.h"
#include "walk/address_space.h"

#define PAGE	      4096u
#define GUARD_INSTALL 102 /* MADV_GUARD_INSTALL of Linux 6.13 */

static void end_and_leave(pid_t pid)
{
	siginfo_t info;

	kill(pid, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
}

START_TEST(first_thread_speaks_while_it_lives)
{
	ck_assert(thread_has_memory(getpid()));
	ck_assert_int_eq(process_living_thread(getpid()), getpid());
}
END_TEST

START_TEST(another_thread_speaks_for_a_dead_first_one)
{
	struct leaderless child = leaderless_start();

	ck_assert(!thread_has_memory(child.pid));
	ck_assert(thread_has_memory(child.tid));
	ck_assert_int_eq(process_living_thread(child.pid), child.tid);
	leaderless_end(&child);
}
END_TEST

/* The lowest that is free. */
static int next_descriptor(void)
{
	int ret = open("/dev/null", O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(ret, 0);
	close(ret);
	return ret;
}

START_TEST(asking_keeps_nothing_open)
{
	struct leaderless child = leaderless_start();
	int before = next_descriptor();

	ck_assert_int_eq(process_living_thread(child.pid), child.tid);
	ck_assert_int_eq(next_descriptor(), before);
	leaderless_end(&child);
}
END_TEST

START_TEST(nobody_speaks_for_what_has_ended)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid)
		for (;;)
			pause();
	end_and_leave(pid);
	ck_assert_int_eq(process_living_thread(pid), 0);
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(process_living_thread(pid), 0);
}
END_TEST

/* Not one of the kernel's own: kthreadd has number 2, where it can be seen. */
START_TEST(kernel_threads_have_no_memory)
{
	ck_assert_int_eq(process_living_thread(2), 0);
}
END_TEST

/* Its mappings are ours: each, its image with it, and the vDSO, which is copied out of memory. */
START_TEST(mappings_are_read_without_the_first_thread)
{
	struct image_store *store = image_store_create();
	struct address_space own = { 0 }, space = { 0 };
	struct error error;

	ck_assert(!address_space_read(&own, store, getpid(), &error));
	struct leaderless child = leaderless_start();
	struct image_store *other = image_store_create();
	ck_assert(!address_space_read(&space, other, child.pid, &error));
	ck_assert_int_eq(space.pid, child.pid);
	ck_assert_uint_ge(space.mapping_count, own.mapping_count);
	for (size_t i = 0; i < own.mapping_count; i++) {
		const struct mapping *mine = &own.mapping[i];
		const struct mapping *its = address_space_find(&space, mine->start);

		ck_assert_msg(its && !strcmp(its->path, mine->path), "%s", mine->path);
		ck_assert_msg(!its->entry == !mine->entry && its->bias == mine->bias, "%s",
			      mine->path);
	}
	const struct mapping *vdso = address_space_find(&space, getauxval(AT_SYSINFO_EHDR));
	ck_assert(!getauxval(AT_SYSINFO_EHDR) || (vdso && vdso->entry));
	leaderless_end(&child);
	address_space_deinit(&space);
	address_space_deinit(&own);
	image_store_destroy(other);
	image_store_destroy(store);
}
END_TEST

START_TEST(names_are_read_without_the_first_thread)
{
	struct image_store *store = image_store_create();
	struct leaderless child = leaderless_start();
	struct address_space space = { 0 };
	struct error error;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", child.pid);
	FILE *file = fopen(path, "wxe");
	ck_assert_ptr_nonnull(file);
	fputs("1000 100 made_here\n", file);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert(!address_space_read(&space, store, child.pid, &error));
	int status = address_space_read_names(&space, &error);
	unlink(path);
	ck_assert_msg(!status, "%s", error.message);
	ck_assert_ptr_nonnull(space.names);
	leaderless_end(&child);
	address_space_deinit(&space);
	image_store_destroy(store);
}
END_TEST

/* ---- memory ----------------------------------------------------------------------------- */

/* From now on process_vm_readv(2) fails with it, here and in what this starts. */
static bool forbid_reading(int with)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)with),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static const struct {
	int with; /* 0: it is allowed */
	uint64_t address;
	bool read;
	int reason; /* errno, if not */
} readings[] = {
	{ 0, 0, true, 0 },	    { EPERM, 0, true, 0 },
	{ ENOSYS, 0, true, 0 },	    { EACCES, 0, true, 0 },
	{ ESRCH, 0, false, ESRCH }, { 0, 8, false, EFAULT },
	{ EPERM, 8, false, EPERM }, { EPERM, 1ull << 63, false, EPERM },
};

static int read_as(int number)
{
	static const char text[] = "what is there";
	const uint64_t address = readings[number].address ?: (uintptr_t)text;
	char got[sizeof(text)] = { 0 };
	bool read;

	if (readings[number].with && !forbid_reading(readings[number].with))
		return 77;
	errno = 0;
	read = thread_read_memory(getpid(), address, got, sizeof(got));
	if (read != readings[number].read)
		return 1;
	return read ? memcmp(got, text, sizeof(text)) != 0 : (errno != readings[number].reason) * 2;
}

START_TEST(memory_is_read_where_one_way_is_forbidden)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(read_as(_i));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		printf("SKIP: %d: no seccomp\n", _i);
	else
		ck_assert_msg(!WEXITSTATUS(status), "%d: %d", _i, WEXITSTATUS(status));
}
END_TEST

/* What the CPU lets a process read counts, whichever way it had to be read by. */
static const struct {
	const char *name;
	int first, second; /* the protections of two pages that are next to each other */
	bool guard;	   /* the second is taken away by MADV_GUARD_INSTALL */
	size_t at;	   /* where 16 bytes are read, from the first page's begin on */
	bool read;
} protections[] = {
	{ "readable", PROT_READ, PROT_READ, false, PAGE - 8, true },
	{ "write_only", PROT_WRITE, PROT_WRITE, false, 8, true },
	{ "readable_and_then_write_only", PROT_READ, PROT_WRITE, false, PAGE - 8, true },
	{ "nobodys", PROT_NONE, PROT_NONE, false, 8, false },
	{ "readable_and_then_nobodys", PROT_READ | PROT_WRITE, PROT_NONE, false, PAGE - 8, false },
	{ "write_only_and_then_nobodys", PROT_WRITE, PROT_NONE, false, PAGE - 8, false },
	{ "before_nobodys", PROT_WRITE, PROT_NONE, false, PAGE - 16, true },
	{ "nobodys_and_then_write_only", PROT_NONE, PROT_WRITE, false, PAGE - 8, false },
	{ "in_a_guard_page", PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE, true, PAGE, false },
};

START_TEST(memory_is_read_as_the_cpu_lets_it_be)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	uint8_t got[16] = { 0 };
	bool read;

	ck_assert(pages != MAP_FAILED);
	memset(pages, 0x5a, 2 * PAGE);
	if (protections[_i].guard && madvise(pages + PAGE, PAGE, GUARD_INSTALL)) {
		printf("SKIP: %s: Linux 6.13 has them\n", protections[_i].name);
		munmap(pages, 2 * PAGE);
		return;
	}
	ck_assert(!mprotect(pages, PAGE, protections[_i].first));
	ck_assert(!mprotect(pages + PAGE, PAGE, protections[_i].second));
	errno = 0;
	read = thread_read_memory(getpid(), (uintptr_t)pages + protections[_i].at, got,
				  sizeof(got));
	ck_assert_msg(read == protections[_i].read, "%s", protections[_i].name);
	if (read)
		ck_assert_msg(got[0] == 0x5a && got[15] == 0x5a, "%s", protections[_i].name);
	else
		ck_assert_msg(errno == EFAULT, "%s: %s", protections[_i].name, strerror(errno));
	munmap(pages, 2 * PAGE);
}
END_TEST

SUITE(process, LOOP(memory_is_read_where_one_way_is_forbidden, readings),
      LOOP(memory_is_read_as_the_cpu_lets_it_be, protections),
      TEST(first_thread_speaks_while_it_lives), TEST(another_thread_speaks_for_a_dead_first_one),
      TEST(asking_keeps_nothing_open), TEST(nobody_speaks_for_what_has_ended),
      TEST(kernel_threads_have_no_memory), TEST(mappings_are_read_without_the_first_thread),
      TEST(names_are_read_without_the_first_thread))
