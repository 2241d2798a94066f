/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * doctor_kernel.c - what the kernel permits, by trying it
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "doctor.h"
#include "guests/vm/accelerator.h"
#include "session.h"
#include "truth/tracer/truth.h"

void doctor_ask_bpf(const struct ability *ability, struct doctor_found *ret)
{
	const struct bpf_session_options options = { .page_capacity = 1,
						     .entry_capacity = 8,
						     .shape_capacity = 8,
						     .rule_capacity = 8,
						     .place_capacity = 8,
						     .process_capacity = 1,
						     .mapping_capacity = 64 };
	struct bpf_session *session;
	struct error error;

	(void)ability;
	if (bpf_session_open(&options, &session, &error)) {
		doctor_say(ret, DOCTOR_MISSING, "%s", error.message);
		return;
	}
	doctor_say(ret, DOCTOR_THERE, "the walk is loaded, by %s",
		   bpf_session_method_name(session));
	bpf_session_close(session);
}

void doctor_ask_perf(const struct ability *ability, struct doctor_found *ret)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.disabled = 1 };
	int own = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), all;

	(void)ability;
	if (own < 0) {
		doctor_say(ret, DOCTOR_MISSING,
			   "perf_event_open: %s (kernel.perf_event_paranoid, or a seccomp filter)",
			   strerror(errno));
		return;
	}
	all = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	doctor_say(ret, DOCTOR_THERE, "%s",
		   all < 0 ? "of own processes; not of the whole machine" : "of the whole machine");
	if (all >= 0)
		close(all);
	close(own);
}

static int stand_still(void *context)
{
	(void)context;
	return 0;
}

/* One instruction, as the truth is made. */
void doctor_ask_step(const struct ability *ability, struct doctor_found *ret)
{
	const struct tracer_options options = { .function = stand_still, .point_limit = 1 };
	const struct tracer_callbacks callbacks = { 0 };
	struct tracer_counters counters;
	struct error error;
	int status;

	(void)ability;
	if (tracer_run(&options, &callbacks, &counters, &status, &error))
		doctor_say(
			ret, DOCTOR_MISSING,
			"%s (kernel.yama.ptrace_scope, a container without SYS_PTRACE, a seccomp "
			"filter)",
			error.message);
	else
		doctor_say(ret, DOCTOR_THERE, "a child was stepped");
}

void doctor_ask_kvm(const struct ability *ability, struct doctor_found *ret)
{
	int file = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	(void)ability;
	if (file < 0) {
		doctor_say(ret, DOCTOR_SLOW, "/dev/kvm: %s; guests are emulated", strerror(errno));
		return;
	}
	close(file);
	if (accelerator_choose() == ACCELERATOR_TCG)
		doctor_say(ret, DOCTOR_SLOW,
			   "guests are emulated: " ACCELERATOR_VARIABLE
			   ", or one failed with KVM since this boot");
	else
		doctor_say(ret, DOCTOR_THERE, "/dev/kvm can be opened");
}
