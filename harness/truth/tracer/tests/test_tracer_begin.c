/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_begin.c - how a program is started, reaches its entry point, and is ended
 *
 * The children are real, and nobody traces them: ptrace, and what the tracer's other files do, are
 * made up and written down.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include "tests/suite.h"

static long say_ptrace(enum __ptrace_request request, ...);
static pid_t say_waitpid(pid_t pid, int *ret_status, int options);
static int say_kill(pid_t pid, int signal);

#define ptrace			say_ptrace
#define waitpid			say_waitpid
#define kill			say_kill
#define tracer_memory_open	say_memory
#define tracer_mappings_changed say_mappings
#define tracer_traps_begin	say_traps
#define target_auxv		say_auxv
#define watchdog_start		say_watch
#define watchdog_stop		say_unwatch
#define thread_is_of		say_is_of
#define thread_destroy		say_destroy
#include "truth/tracer/tracer_start.c"
#undef waitpid
#undef kill

#define ENTRY  0x100 /* in the tracee's memory, which is a file */
#define BYTE   0x55  /* there */
#define STATUS 55
#define PID    70
#define TID    77

static struct world {
	char said[300];
	const char *fails;
	int error; /* of what ptrace is asked, if that is what fails */
	struct {
		pid_t tid;
		int error, status;
	} wait[5];
	int waits;
} world;

static int __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
	size_t used = strlen(world.said), begin = used;
	va_list arguments;
	bool fails;

	va_start(arguments, format);
	vsnprintf(world.said + used, sizeof(world.said) - used, format, arguments);
	va_end(arguments);
	fails = world.fails && !strcmp(world.said + begin, world.fails);
	used = strlen(world.said);
	snprintf(world.said + used, sizeof(world.said) - used, " ");
	errno = fails ? world.error : errno;
	return fails ? -1 : 0;
}

static long say_ptrace(enum __ptrace_request request, ...)
{
	uint64_t first, second;
	va_list arguments;
	pid_t tid;

	va_start(arguments, request);
	tid = va_arg(arguments, pid_t);
	first = va_arg(arguments, uint64_t);
	second = va_arg(arguments, uint64_t);
	va_end(arguments);
	ck_assert_uint_eq(first, 0);
	switch (request) {
	case PTRACE_SEIZE:
		ck_assert_uint_eq(second, PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE |
						  PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK |
						  PTRACE_O_TRACEVFORK | PTRACE_O_TRACESYSGOOD);
		return say("seize");
	case PTRACE_INTERRUPT: return say("interrupt");
	case PTRACE_SETREGS:
		ck_assert_int_eq(tid, TID);
		return say("registers(0x%llx)", ((struct user_regs_struct *)second)->rip);
	case PTRACE_DETACH: return say("detach(%d,%d)", tid, (int)second);
	default: ck_abort_msg("request %d", request);
	}
	return 0;
}

static pid_t say_waitpid(pid_t pid, int *ret_status, int options)
{
	int at = world.waits++;

	ck_assert_int_lt(at, COUNT(world.wait));
	ck_assert_int_eq(options, __WALL | __WNOTHREAD);
	say("wait(%d)", pid);
	errno = world.wait[at].error;
	*ret_status = world.wait[at].status;
	return errno ? -1 : world.wait[at].tid;
}

static int say_kill(pid_t pid, int signal)
{
	return say("kill(%d,%d)", pid, signal);
}

int say_memory(struct tracer *tracer)
{
	return say("memory");
}

int say_mappings(struct tracer *tracer, bool replaced)
{
	return say(replaced ? "mappings" : "mappings(same)");
}

int say_traps(struct tracer *tracer, struct thread *thread)
{
	return say("traps");
}

uint64_t say_auxv(pid_t pid, uint64_t type)
{
	ck_assert_uint_eq(type, AT_ENTRY);
	return ENTRY;
}

int say_watch(struct tracer *tracer)
{
	return say("watch");
}

void say_unwatch(struct tracer *tracer)
{
	say("unwatch");
}

bool say_is_of(pid_t pid, pid_t tid)
{
	return tid != 99;
}

void say_destroy(struct thread *thread)
{
	say("destroy(%d)", thread->core.tid);
}

static struct error error;
static struct tracer_options options;

static void setup(struct tracer *tracer)
{
	memset(&world, 0, sizeof(world));
	memset(&error, 0, sizeof(error));
	options = (struct tracer_options) { 0 };
	*tracer = (struct tracer) { .core.error = &error,
				    .options = &options,
				    .core.pid = -1,
				    .memory_fd = -1,
				    .go_fd = -1,
				    .fail_fd = -1 };
}

/* ---- the start ----------------------------------------------------------------------------- */

static int answer(void *context)
{
	return *(int *)context;
}

static const struct {
	const char *name;
	bool function;
	const char *fails;
	int error;
	const char *said;
	enum error_code code;
	const char *words;
} start_cases[] = {
	{ "program", false, NULL, 0, "seize watch ", 0, "" },
	{ "function", true, NULL, 0, "seize interrupt memory watch ", 0, "" },
	{ "not_allowed", false, "seize", EPERM, "seize ", ERROR_UNAVAILABLE, "ptrace" },
	{ "not_there", false, "seize", ENOSYS, "seize ", ERROR_UNAVAILABLE, "ptrace" },
	{ "denied", false, "seize", EACCES, "seize ", ERROR_UNAVAILABLE, "ptrace" },
	{ "another_reason", false, "seize", ESRCH, "seize ", ERROR_SYSTEM, "ptrace" },
	{ "not_interrupted", true, "interrupt", EIO, "seize interrupt ", ERROR_SYSTEM,
	  "PTRACE_INTERRUPT" },
	{ "no_memory", true, "memory", 0, "seize interrupt memory ", 0, "" },
	{ "no_watchdog", false, "watch", 0, "seize watch ", 0, "" },
};

START_TEST(child_waits_until_it_is_let_go)
{
	char *argv[] = { "/bin/sh", "-c", "exit 55", NULL };
	bool starts = !start_cases[_i].fails;
	int status = STATUS, ended = 0;
	struct tracer tracer;
	cpu_set_t before, now;

	setup(&tracer);
	options.argv = argv;
	if (start_cases[_i].function) {
		options.function = answer;
		options.function_context = &status;
	}
	world.fails = start_cases[_i].fails;
	world.error = start_cases[_i].error;
	ck_assert_int_eq(sched_getaffinity(0, sizeof(before), &before), 0);
	ck_assert_msg(tracer_start(&tracer) == (starts ? 0 : -1), "%s: %s", start_cases[_i].name,
		      error.message);
	ck_assert_msg(!strcmp(world.said, start_cases[_i].said), "%s: %s", start_cases[_i].name,
		      world.said);
	ck_assert_int_eq(error.code, start_cases[_i].code);
	ck_assert_ptr_nonnull(strstr(error.message, start_cases[_i].words));
	ck_assert(tracer.core.pid > 0 && tracer.at == tracer.core.pid && tracer.pinned);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(now), &now), 0);
	ck_assert_int_eq(CPU_COUNT(&now), 1);
	close(tracer.go_fd); /* who was not let go gives up then */
	tracer.go_fd = -1;
	ck_assert_int_eq(waitpid(tracer.core.pid, &ended, 0), tracer.core.pid);
	ck_assert_msg(WIFEXITED(ended) && WEXITSTATUS(ended) == (starts ? STATUS : 127), "%s: 0x%x",
		      start_cases[_i].name, ended);
	tracer.finished = true;
	tracer_end(&tracer);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(now), &now), 0);
	ck_assert(CPU_EQUAL(&now, &before));
}
END_TEST

/* Exec's errno comes through the pipe; nothing does where it succeeds. */
START_TEST(exec_says_why_not)
{
	char *argv[] = { _i ? "/bin/true" : "/nowhere/at/all", NULL };
	int failure = 0, ended;
	struct tracer tracer;
	ssize_t size;

	setup(&tracer);
	options.argv = argv;
	ck_assert_int_eq(tracer_start(&tracer), 0);
	size = read(tracer.fail_fd, &failure, sizeof(failure));
	ck_assert_int_eq(size, _i ? 0 : sizeof(failure));
	ck_assert_int_eq(failure, _i ? 0 : ENOENT);
	ck_assert_int_eq(waitpid(tracer.core.pid, &ended, 0), tracer.core.pid);
	ck_assert_int_eq(WEXITSTATUS(ended), _i ? 0 : CHILD_NOT_RUN);
	tracer.finished = true;
	tracer_end(&tracer);
}
END_TEST

/* What the program finds, as it says itself. */
static const struct {
	const char *name;
	char *argv[4];
	bool silence, randomize, env;
	bool closed[3]; /* before: one of the three that all programs have */
	const char *output;
} child_cases[] = {
	{ "addresses_repeat", { "/bin/cat", "/proc/self/personality" }, .output = "00040000\n" },
	{ "addresses_are_random",
	  { "/bin/cat", "/proc/self/personality" },
	  .randomize = true,
	  .output = "00000000\n" },
	{ "silenced", { "/bin/sh", "-c", "echo a; echo b >&2" }, .silence = true, .output = "" },
	{ "silenced_without_an_input",
	  { "/bin/sh", "-c", "echo a; echo b >&2" },
	  .silence = true,
	  .closed = { true, false, false },
	  .output = "" },
	{ "silenced_without_an_error_output", /* it has one then */
	  { "/bin/sh", "-c", "echo b >&2" },
	  .silence = true,
	  .closed = { false, false, true },
	  .output = "" },
	{ "heard", { "/bin/sh", "-c", "echo a; echo b >&2" }, .output = "a\nb\n" },
	{ "its_own_environment", { "/usr/bin/env" }, .env = true, .output = "A=b\n" },
	{ "this_environment", { "/bin/sh", "-c", "echo $TEST_BEGIN" }, .output = "c\n" },
};

START_TEST(program_is_executed)
{
	char *environment[] = { "A=b", NULL };
	int go[2], fail[2], out[2], ended;
	char text[64] = "";
	size_t used = 0;
	ssize_t size;
	pid_t pid;

	options = (struct tracer_options) { .argv = child_cases[_i].argv,
					    .silence_output = child_cases[_i].silence,
					    .randomize = child_cases[_i].randomize,
					    .envp = child_cases[_i].env ? environment : NULL };
	setenv("TEST_BEGIN", "c", 1);
	if (!_i && personality(ADDR_NO_RANDOMIZE) < 0) {
		printf("SKIP: addresses can't be kept from being random\n");
		return;
	}
	personality(0);
	ck_assert(!pipe(go) && !pipe(fail) && !pipe(out));
	ck_assert_int_eq(write(go[1], "", 1), 1);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		dup2(out[1], 1);
		dup2(out[1], 2);
		for (int i = 0; i < 3; i++)
			if (child_cases[_i].closed[i])
				close(i);
		run_child(&options, go[0], fail[1]);
	}
	close(out[1]);
	while ((size = read(out[0], text + used, sizeof(text) - 1 - used)) > 0)
		used += size;
	ck_assert_int_eq(waitpid(pid, &ended, 0), pid);
	ck_assert_int_eq(ended, 0);
	ck_assert_msg(!strcmp(text, child_cases[_i].output), "%s: %s", child_cases[_i].name, text);
	close(go[0]);
	close(go[1]);
	close(fail[0]);
	close(fail[1]);
	close(out[0]);
}
END_TEST

/* Who is not let go gives up, whatever was interrupted before. */
START_TEST(child_is_not_let_go)
{
	int go[2], fail[2], ended;
	pid_t pid;

	ck_assert(!pipe(go) && !pipe(fail));
	close(go[1]);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		alarm(60);
		errno = EINTR;
		run_child(&options, go[0], fail[1]);
	}
	ck_assert_int_eq(waitpid(pid, &ended, 0), pid);
	ck_assert_msg(WIFEXITED(ended) && WEXITSTATUS(ended) == 127, "0x%x", ended);
	close(go[0]);
	close(fail[0]);
	close(fail[1]);
}
END_TEST

/* ---- the entry point ------------------------------------------------------------------------- */

static int read_file(void *context, uint64_t address, void *ret, size_t size)
{
	const struct tracer *tracer = context;

	return pread(tracer->memory_fd, ret, size, (off_t)address) == (ssize_t)size ? 0 : -1;
}

static void setup_memory(struct tracer *tracer, size_t bytes)
{
	const uint8_t byte = BYTE;

	setup(tracer);
	tracer->core.pid = getpid();
	tracer->memory_fd = memfd_create("test_tracer_begin", MFD_CLOEXEC);
	ck_assert_int_ge(tracer->memory_fd, 0);
	ck_assert_int_eq(pwrite(tracer->memory_fd, &byte, 1, bytes), 1);
	tracer->core.memory = (struct memory_reader) { read_file, tracer };
}

static uint8_t byte_at(const struct tracer *tracer, uint64_t address)
{
	uint8_t byte = 0;

	pread(tracer->memory_fd, &byte, 1, (off_t)address);
	return byte;
}

static const struct {
	const char *name;
	const char *from;
	uint64_t cs;
	size_t bytes; /* of memory, to here */
	pid_t pid;    /* 0: this one */
	uint64_t execs;
	int result;
	enum thread_state state;
	enum error_code code;
	const char *words;
	bool resolved, once;
} enter_cases[] = {
	{ "from_the_first_instruction", NULL, 0x33, ENTRY, 0, 0, 0, THREAD_ENTERING, 0, "", false,
	  false },
	{ "of_32_bits", NULL, 0x23, ENTRY, 0, 0, -1, THREAD_STARTING, ERROR_UNAVAILABLE, "64-bit",
	  false, false },
	{ "from_the_entry", "_start", 0x33, ENTRY, 0, 0, 0, THREAD_TO_ENTRY, 0, "", false, false },
	{ "from_a_symbol", "main", 0x33, ENTRY, 0, 0, 0, THREAD_TO_ENTRY, 0, "", true, false },
	{ "from_no_symbol", "no_such_name", 0x33, ENTRY, 0, 0, -1, THREAD_STARTING, ERROR_SYSTEM,
	  "no function \"no_such_name\"", false, false },
	{ "from_no_symbol_after_another_exec", "no_such_name", 0x33, ENTRY, 0, 1, 0,
	  THREAD_TO_ENTRY, 0, "", false, false },
	{ "of_the_first_program_only", "_start", 0x33, ENTRY, 0, 0, 0, THREAD_TO_ENTRY, 0, "",
	  false, true },
	{ "and_not_of_the_next", "_start", 0x33, ENTRY, 0, 1, 0, THREAD_ENTERING, 0, "", false,
	  true },
	{ "of_no_process", "main", 0x33, ENTRY, 0x3fffffff, 0, -1, THREAD_STARTING, ERROR_SYSTEM,
	  "No such file", false, false },
	{ "entry_is_not_there", "_start", 0x33, ENTRY - 1, 0, 0, -1, THREAD_STARTING,
	  ERROR_PROTOCOL, "entry point 0x100", false, false },
};

START_TEST(entry_is_broken_at)
{
	struct thread thread = { .core.tid = TID };
	struct tracer tracer;

	setup_memory(&tracer, enter_cases[_i].bytes);
	if (enter_cases[_i].pid)
		tracer.core.pid = enter_cases[_i].pid;
	options.from = enter_cases[_i].from;
	options.from_once = enter_cases[_i].once;
	tracer.counters.execs = enter_cases[_i].execs;
	tracer.from_pc = 7; /* of the program before */
	thread.core.regs.cs = enter_cases[_i].cs;
	ck_assert_msg(tracer_enter_program(&tracer, &thread) == enter_cases[_i].result, "%s: %s",
		      enter_cases[_i].name, error.message);
	ck_assert_int_eq(error.code, enter_cases[_i].code);
	ck_assert_msg(strstr(error.message, enter_cases[_i].words) != NULL, "%s: %s",
		      enter_cases[_i].name, error.message);
	ck_assert_int_eq(thread.state, enter_cases[_i].state);
	if (thread.state == THREAD_TO_ENTRY) {
		ck_assert(tracer.to_entry && tracer.entry == ENTRY && tracer.entry_byte == BYTE);
		ck_assert_uint_eq(byte_at(&tracer, ENTRY), 0xcc);
		ck_assert_msg((tracer.from_pc != 0) == enter_cases[_i].resolved, "%s",
			      enter_cases[_i].name);
	} else if (enter_cases[_i].bytes == ENTRY) {
		ck_assert_uint_eq(byte_at(&tracer, ENTRY), BYTE);
	}
	if (enter_cases[_i].resolved) {
		struct image *image;

		ck_assert_int_eq(image_create("/proc/self/exe", &image, &error), 0);
		ck_assert_uint_eq(tracer.from_pc,
				  image_symbol_address(image, "main") + ENTRY - image->entry);
		image_destroy(image);
	}
	close(tracer.memory_fd);
}
END_TEST

START_TEST(breakpoint_that_can_not_be_set)
{
	struct thread thread = { .core.regs = { .cs = 0x33 } };
	struct tracer tracer;
	char path[32];
	int file;

	setup_memory(&tracer, ENTRY);
	options.from = "_start";
	file = tracer.memory_fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	tracer.memory_fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(tracer_enter_program(&tracer, &thread), -1);
	ck_assert_ptr_nonnull(strstr(error.message, "breakpoint"));
	close(tracer.memory_fd);
	close(file);
}
END_TEST

static const struct {
	const char *name;
	const char *fails, *said;
	bool readonly;
	int result;
} leave_cases[] = {
	{ "left", NULL, "registers(0x100) traps mappings(same) ", false, 0 },
	{ "no_registers", "registers(0x100)", "registers(0x100) ", false, -1 },
	{ "no_memory", NULL, "registers(0x100) ", true, -1 },
	{ "no_traps", "traps", "registers(0x100) traps ", false, -1 },
	{ "no_mappings", "mappings(same)", "registers(0x100) traps mappings(same) ", false, -1 },
};

START_TEST(entry_is_left_as_it_was)
{
	struct thread thread = { .core.tid = TID, .core.regs = { .rip = ENTRY + 1 } };
	struct tracer tracer;

	setup_memory(&tracer, ENTRY);
	tracer.to_entry = true;
	tracer.entry = ENTRY;
	tracer.entry_byte = 0x77;
	world.fails = leave_cases[_i].fails;
	world.error = EIO;
	if (leave_cases[_i].readonly) {
		close(tracer.memory_fd);
		tracer.memory_fd = -1;
	}
	ck_assert_int_eq(tracer_leave_entry(&tracer, &thread), leave_cases[_i].result);
	ck_assert_msg(!strcmp(world.said, leave_cases[_i].said), "%s: %s", leave_cases[_i].name,
		      world.said);
	ck_assert(!tracer.to_entry && thread.core.regs.rip == ENTRY);
	if (leave_cases[_i].result == 0)
		ck_assert_uint_eq(byte_at(&tracer, ENTRY), 0x77);
	if (tracer.memory_fd >= 0)
		close(tracer.memory_fd);
}
END_TEST

/* ---- the end ----------------------------------------------------------------------------------- */

#define STOPPED 0x137f
#define KILLED	9

#define WAITS(...) .wait = { __VA_ARGS__ }

static const struct {
	const char *name;
	pid_t pid;
	bool finished;
	struct {
		pid_t tid;
		int error, status;
	} wait[5];
	const char *said;
	bool ended;
} end_cases[] = {
	{ "never_started", .pid = -1, .said = "unwatch destroy(1) destroy(2) " },
	{ "number_0_is_no_program", .said = "unwatch destroy(1) destroy(2) " },
	{ "has_ended", .pid = PID, .finished = true, .said = "unwatch destroy(1) destroy(2) ",
	  .ended = true },
	{ "lives", .pid = PID, WAITS({ PID, 0, KILLED }),
	  .said = "kill(70,9) wait(-1) unwatch destroy(1) destroy(2) ", .ended = true },
	{ "interrupted", .pid = PID, WAITS({ 0, EINTR, 0 }, { PID, 0, KILLED }),
	  .said = "kill(70,9) wait(-1) wait(-1) unwatch destroy(1) destroy(2) ", .ended = true },
	{ "is_gone", .pid = PID, WAITS({ 0, ECHILD, 0 }),
	  .said = "kill(70,9) wait(-1) unwatch destroy(1) destroy(2) " },
	{ "its_threads_end_first", .pid = PID,
	  WAITS({ TID, 0, KILLED }, { PID, 0, STOPPED }, { PID, 0, KILLED }),
	  .said = "kill(70,9) wait(-1) wait(-1) wait(-1) unwatch destroy(1) destroy(2) ",
	  .ended = true },
	{ "process_that_it_made", .pid = PID,
	  WAITS({ 99, 0, STOPPED }, { 99, 0, KILLED }, { PID, 0, KILLED }),
	  .said = "kill(70,9) wait(-1) detach(99,0) wait(-1) wait(-1) unwatch destroy(1) "
		  "destroy(2) ",
	  .ended = true },
};

START_TEST(nothing_is_left)
{
	struct thread one = { .core.tid = 1 }, two = { .core.tid = 2 }, behind = { .core.tid = 3 };
	struct tracer tracer;
	int fds[4];

	setup(&tracer);
	tracer.core.pid = end_cases[_i].pid;
	tracer.finished = end_cases[_i].finished;
	tracer.thread = calloc(3, sizeof(*tracer.thread));
	tracer.thread[0] = &one;
	tracer.thread[1] = &two;
	tracer.thread[2] = &behind;
	tracer.thread_count = 2;
	ck_assert(!pipe(fds) && !pipe(fds + 2));
	tracer.go_fd = fds[0];
	tracer.fail_fd = fds[1];
	tracer.memory_fd = fds[2];
	for (int i = 0; i < COUNT(world.wait); i++) {
		world.wait[i].tid = end_cases[_i].wait[i].tid;
		world.wait[i].error = end_cases[_i].wait[i].error;
		world.wait[i].status = end_cases[_i].wait[i].status;
	}
	tracer_end(&tracer);
	ck_assert_msg(!strcmp(world.said, end_cases[_i].said), "%s: %s", end_cases[_i].name,
		      world.said);
	ck_assert_int_eq(tracer.finished, end_cases[_i].ended);
	ck_assert_int_eq(tracer.status,
			 end_cases[_i].ended && !end_cases[_i].finished ? KILLED : 0);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(fcntl(fds[i], F_GETFD), -1);
	ck_assert_int_ne(fcntl(fds[3], F_GETFD), -1);
	close(fds[3]);
}
END_TEST

/* Of what was never opened nothing is closed, and a descriptor of 0 is one. */
START_TEST(descriptors_are_closed_from_0_on)
{
	struct tracer tracer;

	setup(&tracer);
	tracer.go_fd = 0;
	dup2(open("/dev/null", O_RDONLY), 0);
	tracer_end(&tracer);
	ck_assert_int_eq(fcntl(0, F_GETFD), -1);
	ck_assert_int_ne(fcntl(1, F_GETFD), -1);
}
END_TEST

SUITE(tracer_begin, LOOP(child_waits_until_it_is_let_go, start_cases), TIMES(exec_says_why_not, 2),
      LOOP(program_is_executed, child_cases), TEST(child_is_not_let_go),
      LOOP(entry_is_broken_at, enter_cases), TEST(breakpoint_that_can_not_be_set),
      LOOP(entry_is_left_as_it_was, leave_cases), LOOP(nothing_is_left, end_cases),
      TEST(descriptors_are_closed_from_0_on))
