/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * outside.c - what is read of the process from outside is not what it has itself
 *
 * FORM 1	the stack is in memory that only the process can read (memfd_secret)
 * FORM 2	another process writes a word of the stack all the time
 * FORM 3	a process that shares the memory maps another library in place of one: argv[1], argv[2]
 * FORM 4	a library's file (argv[1]) is overwritten with another (argv[2]) while it is mapped
 * FORM 5	a page of the program's own code is copied to anonymous memory, and put in its place
 * FORM 6	the same, and the copy is changed where nothing runs
 * FORM 7	another thread writes a word of the stack all the time
 * FORM 8	the stack is in memory that may be written only (PROT_WRITE): the CPU reads it all the same
 * FORM 9	the callers' frames are in memory that nobody may read (PROT_NONE) for a while
 * FORM 10	the same by a protection key that the thread has no access to
 * FORM 11	the callers' frames have been unmapped, and nobody returns
 * FORM 12	the same by guard pages (MADV_GUARD_INSTALL)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SKIPPED	    77
#define STACK_BYTES 65536
#define PAGE	    4096

long call_on(void *top, long (*function)(void));
__asm__(".text\n"
	".globl call_on\n"
	".type call_on, @function\n"
	"call_on:\n"
	".cfi_startproc\n"
	"	push %rbp\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_rel_offset %rbp, 0\n"
	"	mov %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"	mov %rdi, %rsp\n"
	"	call *%rsi\n"
	"	leave\n"
	".cfi_def_cfa %rsp, 8\n"
	".cfi_restore %rbp\n"
	"	ret\n"
	".cfi_endproc\n"
	".size call_on, .-call_on\n");

/* For 200 instructions the row names the word that another process writes. */
long wrong_row(void);
__asm__(".globl wrong_row\n"
	".type wrong_row, @function\n"
	"wrong_row:\n"
	".cfi_startproc\n"
	"	sub $8, %rsp\n"
	".rept 200\n"
	"	nop\n"
	".endr\n"
	"	add $8, %rsp\n"
	"	xor %eax, %eax\n"
	"	ret\n"
	".cfi_endproc\n"
	".size wrong_row, .-wrong_row\n");

__attribute__((noinline)) static long fib(long n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline, unused)) static long small(void)
{
	return fib(4) == 3 ? 0 : 1;
}

#if FORM == 1
static int run(char **argv)
{
	int fd = syscall(447 /* memfd_secret */, 0);
	char *stack;

	(void)argv;
	if (fd < 0 || ftruncate(fd, STACK_BYTES))
		return SKIPPED;
	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return stack == MAP_FAILED ? SKIPPED : call_on(stack + STACK_BYTES, small);
}
#elif FORM == 2
static int run(char **argv)
{
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
	volatile long *word = (long *)(stack + STACK_BYTES - 16);
	const long value[] = { 0x1234, (long)run + 4, 0, (long)stack };
	pid_t pid = fork();

	(void)argv;
	for (unsigned int i = 0; pid == 0; i++)
		*word = value[i % 4];
	for (int i = 0; i < 5; i++)
		call_on(stack + STACK_BYTES, wrong_row);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
#elif FORM == 7
static char stack[STACK_BYTES] __attribute__((aligned(16)));
static volatile int ended;

static void *writes(void *ignored)
{
	volatile long *word = (long *)(stack + STACK_BYTES - 16);
	const long value[] = { 0x1234, (long)wrong_row + 4, 0, (long)stack };

	for (unsigned int i = 0; !ended; i++)
		*word = value[i % 4];
	return ignored;
}

static int run(char **argv)
{
	pthread_t thread;

	(void)argv;
	if (pthread_create(&thread, NULL, writes, NULL))
		return 1;
	for (int i = 0; i < 20; i++)
		call_on(stack + STACK_BYTES, wrong_row);
	ended = 1;
	return pthread_join(thread, NULL);
}
#elif FORM >= 8 && FORM <= 12
static char *outer;

static int take_away(void)
{
#if FORM == 9
	return mprotect(outer, STACK_BYTES, PROT_NONE);
#elif FORM == 10
	int key = pkey_alloc(0, PKEY_DISABLE_ACCESS);

	return key < 0 ? -1 : pkey_mprotect(outer, STACK_BYTES, PROT_READ | PROT_WRITE, key);
#elif FORM == 11
	return munmap(outer, STACK_BYTES);
#else
	return madvise(outer, STACK_BYTES, 102 /* MADV_GUARD_INSTALL, Linux 6.13 */);
#endif
}

static long from_inside(void)
{
	long status;

	if (FORM == 8)
		return small();
	if (take_away())
		_exit(SKIPPED);
	status = small();
	if (FORM == 11 || FORM == 12 ||
	    (FORM == 10 ? pkey_mprotect(outer, STACK_BYTES, PROT_READ | PROT_WRITE, 0)
			: mprotect(outer, STACK_BYTES, PROT_READ | PROT_WRITE)))
		_exit(status);
	return status;
}

static long from_outer(void)
{
	static char inner[STACK_BYTES] __attribute__((aligned(16)));
	long status = FORM == 8 ? from_inside() : call_on(inner + STACK_BYTES, from_inside);

	__asm__ volatile("" ::: "memory");
	return status;
}

static int run(char **argv)
{
	int protection = FORM == 8 ? PROT_WRITE : PROT_READ | PROT_WRITE;

	(void)argv;
	outer = mmap(NULL, STACK_BYTES, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return outer == MAP_FAILED ? SKIPPED : call_on(outer + STACK_BYTES, from_outer);
}
#elif FORM == 3
static char *base, child_stack[STACK_BYTES];

static int map_other(void *path)
{
	int fd = open(path, O_RDONLY);

	_exit(mmap(base + PAGE, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, PAGE) ==
	      MAP_FAILED);
}

static int run(char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	int (*function)(int) = (int (*)(int))dlsym(library, "work");
	int status;
	Dl_info info;

	function(0);
	dladdr((void *)function, &info);
	base = info.dli_fbase;
	waitpid(clone(map_other, child_stack + sizeof(child_stack), CLONE_VM | SIGCHLD, argv[2]),
		&status, 0);
	for (int i = 0; i < 3; i++)
		function(i);
	return status != 0;
}
#elif FORM == 4
static int run(char **argv)
{
	int (*function)(int) = (int (*)(int))dlsym(dlopen(argv[1], RTLD_NOW), "work");
	int from = open(argv[2], O_RDONLY), to = open(argv[1], O_WRONLY);
	static char bytes[STACK_BYTES];
	ssize_t size = read(from, bytes, sizeof(bytes));

	if (pwrite(to, bytes, size, 0) != size)
		return 1;
	for (int i = 0; i < 3; i++)
		function(i);
	return 0;
}
#else
static int run(char **argv)
{
	char *page = (char *)((uintptr_t)call_on & ~(uintptr_t)(PAGE - 1));
	char *copy = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static char stack[STACK_BYTES] __attribute__((aligned(16)));

	(void)argv;
	memcpy(copy, page, PAGE);
	if (FORM == 6)
		memset(copy + ((char *)wrong_row - page) + 8, 0xcc, 64);
	mprotect(copy, PAGE, PROT_READ | PROT_EXEC);
	mremap(copy, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page);
	return call_on(stack + STACK_BYTES, small);
}
#endif

int main(int argc, char **argv)
{
	(void)argc;
	return run(argv);
}
