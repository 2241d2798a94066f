/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_made.c - what `score --run` makes: a profile, and the program's truth
 *
 * Both are written into a folder of their own, which is gone again, with whatever else the command
 * has left there, before anything is read: an error, ^C or SIGTERM leaves nothing behind, and who
 * ends us later has nothing to clear away. The files live on as descriptors, and have paths in
 * /proc by which perf finds them, too.
 */
#include <errno.h>
#include <limits.h>
#include <unistd.h>
#include "array.h"
#include "base/cli/input_file.h"
#include "base/cli/own_folder.h"
#include "judge/compare/compare_contexts.h"
#include "score_drive.h"

struct workshop {
	char *folder, profile[PATH_MAX], truth[PATH_MAX];
	struct ending_signals signals;
};

static int workshop_init(struct workshop *workshop, struct error *error)
{
	if (ending_signals_hold(&workshop->signals, error))
		return -1;
	workshop->folder = own_folder_create("score", error);
	if (!workshop->folder) {
		ending_signals_release(&workshop->signals);
		return -1;
	}
	snprintf(workshop->profile, sizeof(workshop->profile), "%s/profile", workshop->folder);
	snprintf(workshop->truth, sizeof(workshop->truth), "%s/truth", workshop->folder);
	return 0;
}

/* A signal that came after the last who waited for one has ended the run, too. */
static int workshop_deinit(struct workshop *workshop, struct error *error)
{
	int number = ending_signals_take(&workshop->signals);

	own_folder_remove(workshop->folder);
	ending_signals_release(&workshop->signals);
	return number ? ending_signals_error(error, number) : 0;
}

static int make_profile(const struct score_making *making, const struct workshop *workshop,
			struct score_made *ret, struct error *error)
{
	FREED char *text = score_command_text(making->command, workshop->profile, making->program,
					      0, error);

	if (!text)
		return -1;
	return score_command_run(&(struct child_shell) { .command = text,
							 .timeout_ms = making->timeout_ms,
							 .signals = &workshop->signals },
				 workshop->profile, &ret->said, &ret->status, error);
}

int score_step(const struct contexts_options *contexts, struct contexts_result *ret,
	       struct error *error)
{
	contexts_step(contexts, ret);
	if (ret->written && ret->cut.early.system_errno != EINTR)
		return 0;
	*error = ret->cut.early;
	if (!error->code) /* a process that sleeps has none: nothing was checked */
		error_set(error, contexts->tracer->attach ? ERROR_UNAVAILABLE : ERROR_PROTOCOL, "",
			  0, "there is no point to be compared with");
	return -1;
}

static int make_truth(const struct score_making *making, const struct workshop *workshop,
		      struct contexts_result *ret, struct error *error)
{
	const struct tracer_options tracer = { .argv = making->program,
					       .attach = making->children,
					       .timeout_ms = making->timeout_ms,
					       .silence_output = true,
					       .ended_by_signals = true };
	const struct contexts_options contexts = { .tracer = &tracer,
						   .output = workshop->truth,
						   .version = making->version };

	return score_step(&contexts, ret, error);
}

/* Opens a file that will have no name. */
static int keep(const char *path, struct score_made_file *ret, struct error *error)
{
	ret->fd = input_file_descriptor(path, error);
	if (ret->fd < 0)
		return -1;
	snprintf(ret->path, sizeof(ret->path), "/proc/%d/fd/%d", getpid(), ret->fd);
	return 0;
}

static int keep_truths(const struct contexts_result *written, struct score_made *ret,
		       struct error *error)
{
	for (size_t i = 0; i < written->paths; i++) {
		if (!ARRAY_GROW(ret->truth, ret->truths))
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for truth files");
		if (keep(written->path[i], &ret->truth[ret->truths], error))
			return -1;
		ret->truths++;
	}
	return 0;
}

int score_make(const struct score_making *making, struct score_made *ret, struct error *error)
{
	struct contexts_result written = { .written = false };
	struct workshop workshop;
	int status;

	*ret = (struct score_made) { .profile.fd = -1 };
	if (workshop_init(&workshop, error))
		return -1;
	status = making->driving ? score_drive(making, workshop.profile, workshop.truth, ret,
					       &written, error)
				 : make_profile(making, &workshop, ret, error);
	if (!status && making->steps && !making->driving)
		status = make_truth(making, &workshop, &written, error);
	if (!status)
		status = keep(workshop.profile, &ret->profile, error);
	if (!status)
		status = keep_truths(&written, ret, error);
	ret->processes = written.processes;
	contexts_result_deinit(&written);
	if (workshop_deinit(&workshop, status ? &(struct error) { 0 } : error))
		status = -1;
	if (status)
		score_made_deinit(ret);
	return status ? -1 : 0;
}

void score_made_deinit(struct score_made *made)
{
	if (made->profile.fd >= 0)
		close(made->profile.fd);
	for (size_t i = 0; i < made->truths; i++)
		close(made->truth[i].fd);
	free(made->truth);
	made->profile.fd = -1;
	made->truth = NULL;
	made->truths = 0;
}
