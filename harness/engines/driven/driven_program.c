/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * driven_program.c - a BPF program that somebody else has loaded, attached to a stepped process as well
 *
 * Its own agent goes on reading its maps. Nothing of the program is changed: it gets one more event.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "array.h"
#include "driven.h"
#include "proc_file.h"

struct driven_program {
	int fd;
	int stats; /* as long as it is open, the kernel counts run time; or -1 */
	int *event;
	size_t events;
	uint64_t runs, ns; /* before it was attached here */
};

/* ---- an event at each stop ------------------------------------------------------------------ */

int driven_event_open(pid_t tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.sample_period = 1,
		.inherit = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* ---- which program -------------------------------------------------------------------------- */

static int refuse(int status, const char *what, struct error *error)
{
	bool denied = status == EPERM || status == ENOSYS || status == EACCES;

	return error_set(error, denied ? ERROR_UNAVAILABLE : ERROR_PROTOCOL, "", 0,
			 "BPF programs: %s: %s", what, strerrordesc_np(status) ?: "it fails");
}

static bool info_of(uint32_t id, struct bpf_prog_info *ret)
{
	__u32 size = sizeof(*ret);
	FD_CLOSED int fd = bpf_prog_get_fd_by_id(id);

	memset(ret, 0, sizeof(*ret));
	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, ret, &size); /* else gone meanwhile */
}

/* The kernel keeps the first 15 bytes of a name. */
static bool has_name(const struct bpf_prog_info *info, const char *name)
{
	return info->type == BPF_PROG_TYPE_PERF_EVENT &&
	       !strncmp(info->name, name, sizeof(info->name) - 1);
}

/* Of all programs of that name the one that was loaded last, and the one before. -1: errno. */
static int find_by_name(const char *name, uint32_t *ret_last, uint32_t *ret_before)
{
	uint32_t id = 0;

	*ret_last = *ret_before = 0;
	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info;

		if (!info_of(id, &info) || !has_name(&info, name))
			continue;
		*ret_before = *ret_last;
		*ret_last = id;
	}
	return errno == ENOENT ? 0 : -1;
}

uint32_t driven_program_last(void)
{
	uint32_t id = 0;

	while (!bpf_prog_get_next_id(id, &id))
		;
	return id;
}

int driven_program_find(const char *text, uint32_t after, uint32_t *ret, struct error *error)
{
	uint32_t before;
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (!*end && number && number < UINT32_MAX) {
		struct bpf_prog_info info;

		*ret = number;
		if (info_of(number, &info) && info.type != BPF_PROG_TYPE_PERF_EVENT)
			return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
					 "BPF program %lu (%s) is not of type perf_event", number,
					 info.name);
		return info.id ? 0 : 1;
	}
	if (find_by_name(text, ret, &before))
		return refuse(errno, "they can't be listed", error);
	if (!*ret || *ret <= after)
		return 1;
	if (before > after)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "several BPF programs of type perf_event are called %s (%u and "
				 "%u, say): say which, by its number",
				 text, before, *ret);
	return 0;
}

/* ---- attached ------------------------------------------------------------------------------- */

bool driven_runs(int program, uint64_t *ret_runs, uint64_t *ret_ns)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(program, &info, &size))
		return false;
	*ret_runs = info.run_cnt;
	*ret_ns = info.run_time_ns;
	return true;
}

int driven_program_open(uint32_t id, struct driven_program **ret, struct error *error)
{
	struct driven_program *program = calloc(1, sizeof(*program));

	*ret = NULL;
	if (!program)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a BPF program");
	program->stats = -1;
	program->fd = bpf_prog_get_fd_by_id(id);
	if (program->fd < 0) {
		free(program);
		return refuse(errno, "it can't be opened", error);
	}
	program->stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	driven_runs(program->fd, &program->runs, &program->ns);
	*ret = program;
	return 0;
}

static int attach_thread(struct driven_program *program, pid_t tid, struct error *error)
{
	int event = driven_event_open(tid);

	if (event < 0 && errno == ESRCH)
		return 0; /* it has ended */
	if (event < 0)
		return refuse(errno, "no event at each stop", error);
	if (!ARRAY_ADD(program->event, program->events, event)) {
		close(event);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for events");
	}
	if (ioctl(event, PERF_EVENT_IOC_SET_BPF, program->fd))
		return refuse(errno, "it can't be attached to one more event", error);
	return 0;
}

int driven_program_attach(struct driven_program *program, pid_t pid, struct error *error)
{
	DIR_CLOSED DIR *threads = proc_threads_open(pid);
	int status = 0;
	pid_t tid;

	if (!threads)
		return error_set_errno(error, "/proc/%d/task", pid);
	while (!status && (tid = proc_threads_next(threads)))
		status = attach_thread(program, tid, error);
	return status;
}

bool driven_program_cost(const struct driven_program *program, uint64_t *ret_runs, uint64_t *ret_ns)
{
	if (program->stats < 0 || !driven_runs(program->fd, ret_runs, ret_ns))
		return false;
	*ret_runs -= program->runs;
	*ret_ns -= program->ns;
	return true;
}

void driven_program_close(struct driven_program *program)
{
	if (!program)
		return;
	for (size_t i = 0; i < program->events; i++)
		close(program->event[i]);
	free(program->event);
	if (program->stats >= 0)
		close(program->stats);
	close(program->fd);
	free(program);
}
