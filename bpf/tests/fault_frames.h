/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fault_frames.h - functions of known CFI, processes that spin in them, and the books of a session
 *
 * A process that is to be walked in a bad state has its registers and its stack's words written by
 * hand. So that each frame is known beforehand, the functions here consist of little but CFI:
 *
 *	spin_...	jumps to itself, so that a sample's PC is exactly its beginning
 *	back_...	a return address: the row for the byte before it is the one in its comment
 *
 * One rule for all: a record whose first PC is the spinning function's was taken in the state; any
 * other was taken on the way there.
 */
#ifndef STACKPROOF_FAULT_FRAMES_H
#define STACKPROOF_FAULT_FRAMES_H

#include "tests/suite.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "patience.h"
#include "session.h"
#include "guests/vm/console.h"

/* rules: directives, each with its newline. */
#define SPIN(name, rules)                                                                          \
	__asm__(".text\n	.type " name ", @function\n" name ":\n	.cfi_startproc\n" rules    \
		"	jmp " name "\n	.cfi_endproc\n	.size " name ", . - " name "\n")
#define BACK(name, rules)                                                                          \
	__asm__(".text\n	.cfi_startproc\n" rules "	nop\n" name                        \
		":\n	nop\n	.cfi_endproc\n")
#define RBP_FRAME ".cfi_def_cfa %rbp, 16\n.cfi_offset %rbp, -16\n"

SPIN("spin_rsp", "");			       /* c = rsp + 8, ra at c - 8 */
SPIN("spin_rbp", RBP_FRAME);		       /* c = rbp + 16, rbp at c - 16 */
SPIN("spin_rbx", ".cfi_offset %rbx, -16\n");   /* rbx at c - 16 */
SPIN("spin_own", ".cfi_def_cfa_offset 0\n");   /* c = rsp: a frame without a size */
BACK("back_rsp", ".cfi_def_cfa_offset 16\n");  /* c = rsp + 16 */
BACK("same_rsp", ".cfi_def_cfa_offset 16\n");  /* the same */
BACK("back_rbp", RBP_FRAME);		       /* as spin_rbp */
BACK("back_rbx", ".cfi_def_cfa %rbx, 16\n");   /* c = rbx + 16 */
BACK("back_rcx", ".cfi_def_cfa %rcx, 16\n");   /* c = rcx + 16: a callee may clobber rcx */
BACK("back_own", ".cfi_def_cfa_offset 0\n");   /* as spin_own */
BACK("back_own_too", ".cfi_def_cfa_offset 0\n" /* the same, but ra at c - 16 */
		     ".cfi_offset %rip, -16\n");
BACK("back_root", ".cfi_undefined %rip\n");		 /* the outermost */
__asm__(".text\n	nop\nback_none:\n	nop\n"); /* has no FDE */

/* enter(rip, rsp, rbp, rbx) */
__asm__(".text\n	.type enter, @function\n"
	"enter:\n	.cfi_startproc\n"
	"	mov %rsi, %rsp\n"
	"	mov %rdx, %rbp\n"
	"	mov %rcx, %rbx\n"
	"	jmp *%rdi\n"
	"	.cfi_endproc\n	.size enter, . - enter\n");

extern const char spin_rsp[], spin_rbp[], spin_rbx[], spin_own[], back_rsp[], same_rsp[],
	back_rbp[], back_rbx[], back_rcx[], back_own[], back_own_too[], back_root[], back_none[];
void enter(uint64_t rip, uint64_t rsp, uint64_t rbp, uint64_t rbx) __attribute__((noreturn));

/* A stack for such frames at an address that nothing else has, so that tables can name its words:
 * AREA_BYTES of memory, and behind and before it none. FILE_AREA is the same in a file. */
#define AREA	   0x210000000000ull
#define FILE_AREA  0x211000000000ull
#define AREA_PAGE  4096
#define AREA_BYTES (16ull * AREA_PAGE)
#define AREA_END   (AREA + AREA_BYTES)

static inline void area_create(void)
{
	int file = memfd_create("stack", MFD_CLOEXEC), fixed = MAP_FIXED_NOREPLACE;
	int rw = PROT_READ | PROT_WRITE;

	ck_assert(file >= 0 && !ftruncate(file, AREA_BYTES));
	ck_assert(mmap((void *)AREA, AREA_BYTES, rw, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0) ==
		  (void *)AREA);
	ck_assert(mmap((void *)FILE_AREA, AREA_BYTES, rw, MAP_SHARED | fixed, file, 0) ==
		  (void *)FILE_AREA);
	close(file);
	memset((void *)AREA, 0, AREA_BYTES);
	memset((void *)FILE_AREA, 0, AREA_BYTES);
}

static inline void poke(uint64_t address, uint64_t value)
{
	memcpy((void *)address, &value, sizeof(value));
}

/* The PC of frame i of a stack of spin_rsp with so many frames, back_root's the last. Those
 * between are of two kinds in no regular order, so that none is right in another's place. */
static inline uint64_t chain_pc(uint32_t i, uint32_t frames)
{
	if (!i)
		return (uint64_t)spin_rsp;
	if (i + 1 == frames)
		return (uint64_t)back_root;
	return (uint64_t)(i * 2654435761u >> 31 ? back_rsp : same_rsp);
}

/* Writes that stack at rsp. */
static inline void area_chain(uint64_t rsp, uint32_t frames)
{
	for (uint32_t i = 1; i < frames; i++)
		poke(rsp + 16 * (i - 1), chain_pc(i, frames));
}

/* ---- processes -------------------------------------------------------------------------- */

/* The registers with which a process spins. */
struct spinning {
	const char *in;
	uint64_t rsp, rbp, rbx;
};

/* Forks one that spins, after prepare() in it if that is not NULL. Nobody has to end it: it ends
 * with its parent. */
static inline pid_t fork_spinning(const struct spinning *spinning, void (*prepare)(void))
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (prepare)
		prepare();
	enter((uint64_t)spinning->in, spinning->rsp, spinning->rbp, spinning->rbx);
}

/* ---- a session and its books ------------------------------------------------------------ */

static const struct {
	enum walk_method method;
	const char *name;
} methods[] = { { WALK_METHOD_LOOP, "bpf_loop" }, { WALK_METHOD_CHAIN, "tail_calls" } };

/* The stack that has to come out, and what came. */
struct expected {
	pid_t pid;
	const char *spin;
	const uint64_t *frame;
	uint32_t count, stop;
	bool may_be_cut; /* a prefix that ends with STOP_READ_FAULT is right, too */
	uint64_t right, cut, wrong, elsewhere; /* elsewhere: not in spin yet */
	struct walk_record last;	       /* of those that are wrong, else of all in spin */
};

struct fixture {
	struct bpf_session *session;
	struct image_store *store;
	struct address_space space; /* the test's own, which its forks have, too */
	struct error error;
	uint64_t records; /* taken in all */
	struct expected *expected;
	int kernel_log; /* -1: it can't be read */
};

static inline bool fixture_init(struct fixture *fixture, int method,
				struct bpf_session_options options)
{
	memset(fixture, 0, sizeof(*fixture));
	options.method = methods[method].method;
	fixture->kernel_log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fixture->kernel_log < 0 || lseek(fixture->kernel_log, 0, SEEK_END) < 0)
		printf("SKIP: kernel log: /dev/kmsg: %s\n", strerror(errno));
	if (bpf_session_open(&options, &fixture->session, &fixture->error)) {
		ck_assert_msg(fixture->error.code == ERROR_UNAVAILABLE, "%s",
			      fixture->error.message);
		printf("SKIP: %s: %s\n", methods[method].name, fixture->error.message);
		return false;
	}
	ck_assert_str_eq(bpf_session_method_name(fixture->session), methods[method].name);
	fixture->store = image_store_create();
	area_create();
	ck_assert(!address_space_read(&fixture->space, fixture->store, getpid(), &fixture->error));
	return true;
}

/* What the kernel said since fixture_init(): "5,123,456,-;text" and a newline for each record. */
static inline void check_kernel_log(int kernel_log)
{
	struct console console = { 0 };
	char record[8192], tail[1024];
	ssize_t size;

	while (kernel_log >= 0 && ((size = read(kernel_log, record, sizeof(record) - 1)) > 0 ||
				   (size < 0 && errno == EPIPE))) {
		const char *text;

		if (size < 0) /* records were overwritten before they were read */
			continue;
		record[size] = '\0';
		text = strchr(record, ';');
		if (text)
			console_feed(&console, text + 1, strlen(text + 1));
	}
	console_finish(&console);
	console_tail(&console, tail, sizeof(tail));
	ck_assert_msg(!console_events(&console), "the kernel said: %s", tail);
}

static inline void fixture_deinit(struct fixture *fixture)
{
	check_kernel_log(fixture->kernel_log);
	close(fixture->kernel_log);
	bpf_session_close(fixture->session);
	address_space_deinit(&fixture->space);
	image_store_destroy(fixture->store);
}

/* The walk knows the forked process. */
static inline void know(struct fixture *fixture, pid_t pid)
{
	fixture->space.pid = pid;
	ck_assert_msg(!bpf_session_set_process(fixture->session, &fixture->space, &fixture->error),
		      "%s", fixture->error.message);
}

/* Samples what runs on the test's CPUs, two at most, each period. False: that can't be had. */
static inline bool sample(struct fixture *fixture, uint64_t period_us)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period_us * 1000,
	};
	cpu_set_t all, some;
	int count = 0;

	CPU_ZERO(&some);
	ck_assert(!sched_getaffinity(0, sizeof(all), &all));
	for (int cpu = 0; cpu < CPU_SETSIZE && count < 2; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_SET(cpu, &some);
		count++;
		if (!bpf_session_attach_event(fixture->session, &attr, -1, cpu, &fixture->error))
			continue;
		ck_assert_msg(fixture->error.code == ERROR_UNAVAILABLE, "%s",
			      fixture->error.message);
		printf("SKIP: %s\n", fixture->error.message);
		return false;
	}
	ck_assert(!sched_setaffinity(0, sizeof(some), &some)); /* for those who are forked */
	return true;
}

static inline bool is_expected(const struct expected *expected, const struct walk_record *record)
{
	return record->count <= expected->count &&
	       !memcmp(record->pc, expected->frame, record->count * sizeof(record->pc[0])) &&
	       (record->count == expected->count && record->stop == expected->stop);
}

static inline bool is_cut(const struct expected *expected, const struct walk_record *record)
{
	return expected->may_be_cut && record->stop == STOP_READ_FAULT &&
	       record->count <= expected->count &&
	       !memcmp(record->pc, expected->frame, record->count * sizeof(record->pc[0]));
}

static inline void on_record(void *context, const struct walk_record *record, bool frame_pointer)
{
	struct fixture *fixture = context;
	struct expected *expected = fixture->expected;

	fixture->records++;
	ck_assert(!frame_pointer && record->count && record->count <= WALK_FRAMES_MAX);
	ck_assert(record->stop > STOP_NONE && record->stop < STOP_REASON_COUNT);
	ck_assert_uint_ne(record->stop, STOP_BAD_TABLE);
	if ((pid_t)record->pid != expected->pid || record->pc[0] != (uint64_t)expected->spin) {
		expected->elsewhere++;
		return;
	}
	if (is_expected(expected, record))
		expected->right++;
	else if (is_cut(expected, record))
		expected->cut++;
	else
		expected->wrong++;
	if (!is_expected(expected, record) || !expected->wrong)
		memcpy(&expected->last, record,
		       offsetof(struct walk_record, pc) + record->count * sizeof(record->pc[0]));
}

static inline void consume(struct fixture *fixture, struct expected *expected)
{
	fixture->expected = expected;
	ck_assert(!bpf_session_consume(fixture->session, on_record, fixture, &fixture->error));
}

/* Ends the expected process; all its stacks have been taken then. The kernel takes its memory
 * first, and samples go on: those are no stacks. */
static inline void end_process(struct fixture *fixture, struct expected *expected)
{
	kill(expected->pid, SIGKILL);
	ck_assert_int_eq(waitpid(expected->pid, NULL, 0), expected->pid);
	bpf_session_forget_process(fixture->session, expected->pid);
	consume(fixture, expected);
}

/* Until so many were taken in spin. */
static inline void consume_until(struct fixture *fixture, struct expected *expected, uint64_t count)
{
	uint64_t until = patience();

	while (expected->right + expected->cut + expected->wrong < count && waits(until, 10))
		consume(fixture, expected);
}

/* The file offset of the mapping at start. */
static inline uint64_t mapped_offset(uint64_t start)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t from, offset, found = UINT64_MAX;
	char line[4096];

	ck_assert(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64, &from, &offset) == 2 &&
		    from == start)
			found = offset;
	fclose(maps);
	ck_assert_uint_ne(found, UINT64_MAX);
	return found;
}

/* The test's own code, mapped count times more: executable mappings with a table. ret, unless it is
 * NULL, has where each copy's spin_rsp is. */
static inline void map_own_code(const struct fixture *fixture, uint32_t count, uint64_t *ret)
{
	const struct mapping *own = address_space_find(&fixture->space, (uint64_t)spin_rsp);
	uint64_t offset = mapped_offset(own->start);
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	ck_assert(file >= 0);
	for (uint32_t i = 0; i < count; i++) {
		char *copy = mmap(NULL, own->end - own->start, PROT_READ | PROT_EXEC, MAP_PRIVATE,
				  file, offset);

		ck_assert_msg(copy != MAP_FAILED, "copy %u: %s", i, strerror(errno));
		if (ret)
			ret[i] = (uint64_t)copy + ((uint64_t)spin_rsp - own->start);
	}
	close(file);
}

/* Samples in = stacks out + the losses with a name; to be called when nothing that the walk
 * knows is alive, and all has been taken. */
static inline struct walk_counters check_books(struct fixture *fixture)
{
	struct walk_counters counters;
	uint64_t stops = 0;

	ck_assert(!bpf_session_counters(fixture->session, false, &counters, &fixture->error));
	for (int stop = 0; stop < STOP_REASON_COUNT; stop++)
		stops += counters.stop[stop];
	ck_assert_uint_eq(counters.samples, counters.stacks + walk_losses(&counters));
	ck_assert_uint_eq(counters.stacks, fixture->records);
	ck_assert_uint_eq(stops, counters.stacks);
	ck_assert_uint_eq(counters.tail_failed, 0);
	return counters;
}

#endif
