/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * load_program.c - one program into the kernel, and what the kernel says of it
 *
 * A program is loaded alone, from a fresh copy of its object, with the statistics of the verifier
 * asked for. If it is refused it is tried once more with the whole log, of which the last lines are
 * kept: the instructions that lead to the one that was refused.
 *
 * Maps have the sizes that the object gives them, not those that session.c would: the verifier
 * looks at the size of an array only where the index is a constant, and there it is 0 in all our
 * programs. (Tried: with session.c's sizes each count is the same.)
 *
 * The *method* is how the program goes from frame to frame, told from the helper functions that it
 * calls, not from its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "clock.h"
#include "load.h"

/* kernel/bpf: include/linux/bpf_verifier.h */
#define BPF_LOG_LEVEL1 1
#define BPF_LOG_STATS  4

#define STATISTICS_BYTES (256u << 10)
/* The last path of a program alone: what went well is taken out of the log again. */
#define LOG_BYTES (15u << 20)

const char *load_outcome_name(enum load_outcome outcome)
{
	static const char *const name[LOAD_OUTCOME_COUNT] = { "yes", "no", "no_helper" };

	return outcome < LOAD_OUTCOME_COUNT ? name[outcome] : "?";
}

enum load_outcome load_outcome_of(const char *name)
{
	enum load_outcome outcome = 0;

	while (outcome < LOAD_OUTCOME_COUNT && strcmp(name, load_outcome_name(outcome)))
		outcome++;
	return outcome;
}

int load_possible(struct error *error)
{
	const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd;

	load_warning_reset();
	/* Not a socket filter: those may be for everybody. */
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", nothing, 2, NULL);
	if (fd < 0 && errno_is_want(errno))
		return error_set_errno(error, "loading a BPF program");
	if (fd < 0)
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "this machine loads no BPF program: %s", strerror(errno));
	close(fd);
	return 0;
}

/* ---- one attempt ------------------------------------------------------------------------ */

/* One program of one object, and the verifier's log of it. */
struct attempt {
	struct bpf_object *object;
	struct bpf_program *program;
	char *log;
	uint64_t load_ns;
	int status; /* bpf_object__load's, or why it could not be opened */
};

static void attempt_deinit(struct attempt *attempt)
{
	bpf_object__close(attempt->object);
	free(attempt->log);
}

/* -1: not even opened. ret->status says whether it loaded. */
static int attempt_init(struct attempt *ret, const struct load_object *object, size_t i,
			uint32_t log_level, size_t log_bytes)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = object->name);
	struct bpf_program *program;
	uint64_t begin;

	*ret = (struct attempt) { .log = malloc(log_bytes) };
	load_warning_reset();
	ret->object = ret->log ? bpf_object__open_mem(object->data, object->size, &options) : NULL;
	if (!ret->object) {
		ret->status = -errno;
		return -1;
	}
	ret->log[0] = '\0';
	bpf_object__for_each_program(program, ret->object)
	{
		bool chosen = !strcmp(bpf_program__name(program), object->program[i]);

		bpf_program__set_autoload(program, chosen);
		if (!chosen)
			continue;
		ret->program = program;
		bpf_program__set_log_buf(program, ret->log, log_bytes);
		bpf_program__set_log_level(program, log_level);
	}
	if (!ret->program)
		return -1;
	begin = monotonic_ns();
	ret->status = bpf_object__load(ret->object);
	ret->load_ns = monotonic_ns() - begin;
	return 0;
}

/* ---- results ---------------------------------------------------------------------------- */

/* After loading: only then the instructions hold those of the functions that it calls. */
static const char *method_of(const struct bpf_program *program)
{
	const struct bpf_insn *insn = bpf_program__insns(program);
	size_t count = bpf_program__insn_cnt(program);
	bool tail = false;

	for (size_t i = 0; i < count; i++) {
		/* src_reg 0: a helper function, and no function of the program or the kernel's. */
		if (insn[i].code != (BPF_JMP | BPF_CALL) || insn[i].src_reg)
			continue;
		if (insn[i].imm == BPF_FUNC_loop)
			return "bpf_loop";
		tail = tail || insn[i].imm == BPF_FUNC_tail_call;
	}
	return tail ? "tail_calls" : "plain";
}

static void read_info(const struct bpf_program *program, struct load_result *ret)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
		return;
	ret->verified = info.verified_insns;
	ret->translated_bytes = info.xlated_prog_len;
	ret->jited_bytes = info.jited_prog_len;
	if (!ret->statistics.instructions)
		ret->statistics.instructions = info.verified_insns;
}

/* The end of the log with the instructions in it; leaves ret if there is no such log. */
static void read_whole_log(const struct load_object *object, size_t i, struct load_result *ret)
{
	struct attempt whole;

	/* ENOSPC: the log had no room for all, and what it lacks is the end. */
	if (!attempt_init(&whole, object, i, BPF_LOG_LEVEL1 | BPF_LOG_STATS, LOG_BYTES) &&
	    whole.status && whole.status != -ENOSPC)
		load_log_tail(whole.log, ret->log, sizeof(ret->log));
	attempt_deinit(&whole);
}

static void read_refusal(const struct load_object *object, size_t i, struct load_result *ret,
			 const struct attempt *attempt)
{
	load_log_tail(attempt->log, ret->log, sizeof(ret->log));
	if (!ret->log[0]) { /* it did not get as far as the verifier */
		snprintf(ret->log, sizeof(ret->log), "%s%s%s", strerror(-attempt->status),
			 load_warning()[0] ? ": " : "", load_warning());
	} else if (load_log_helper(attempt->log) >= 0) {
		ret->outcome = LOAD_NO_HELPER;
	} else {
		read_whole_log(object, i, ret);
	}
}

/* More than an object's maps and programs take. */
static bool lacks_descriptors(void)
{
	int fd[64], count = 0;
	bool lacks;

	while (count < 64 && (fd[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		count++;
	lacks = count < 64 && errno_is_want(errno);
	while (count)
		close(fd[--count]);
	return lacks;
}

/* Of whatever goes wrong with the kernel's own BTF, libbpf says ESRCH alone. */
static bool lacks_room_for_btf(void)
{
	struct btf *btf;
	bool lacks;

	errno = 0;
	btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	lacks = !btf && errno_is_want(errno);
	btf__free(btf);
	return lacks;
}

/* Is it this process that can't, and not the kernel that refuses? libbpf asks the kernel what it can, and takes a
 * question that could not be asked for a no: so even the verifier's refusal proves nothing then. */
static bool is_in_want(const struct attempt *attempt)
{
	if (!attempt->status)
		return false;
	return errno_is_want(-attempt->status) || lacks_descriptors() || lacks_room_for_btf();
}

static void take_result(const struct load_object *object, size_t i, struct load_result *ret,
			const struct attempt *attempt)
{
	ret->load_ns = attempt->load_ns;
	load_statistics_parse(attempt->log, &ret->statistics);
	strcpy(ret->method, method_of(attempt->program));
	if (attempt->status) {
		read_refusal(object, i, ret, attempt);
	} else {
		ret->outcome = LOAD_YES;
		read_info(attempt->program, ret);
	}
}

int load_program(const struct load_object *object, size_t i, struct load_result *ret,
		 struct error *error)
{
	struct attempt attempt;
	int opened, status = 0;

	strcpy(ret->object, object->name);
	strcpy(ret->program, object->program[i]);
	strcpy(ret->compiler, object->compiler);
	strcpy(ret->version, object->version);
	ret->outcome = LOAD_NO;
	opened = attempt_init(&attempt, object, i, BPF_LOG_STATS, STATISTICS_BYTES);
	if (is_in_want(&attempt)) {
		status = error_set(error, ERROR_MEMORY, "", 0,
				   "no memory, or no file descriptor: %s",
				   strerror(-attempt.status));
	} else if (opened) {
		strcpy(ret->method, "plain");
		snprintf(ret->log, sizeof(ret->log), "%s", strerror(-attempt.status));
	} else {
		take_result(object, i, ret, &attempt);
	}
	attempt_deinit(&attempt);
	return status;
}
