/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_unmapped.c - addresses that a profiler could place in no image, though they may be the program's
 *
 * perf learns from events what is mapped, and when its buffer is full it loses them. What lies there is in no image
 * then, and so in none of the truth's. A leaf's address is the CPU's own: code is there, whatever perf knows of it. A
 * caller's may be data that the walk took for an address; so it is the lost mapping's only if one was lost: perf's
 * events name no mapping of some file that the program has. Who has no such events (the text of `perf script` alone)
 * can't tell, and what is in no mapping stays a wrong caller.
 *
 * "[uprobes]" is where the kernel executes the instructions that it has replaced, and where functions with a uretprobe
 * return to. No other run of the program has it.
 */
#include <string.h>
#include "array.h"
#include "score.h"
#include "score_subject.h"

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Some file of the truth is none that perf's events say is mapped in the process. */
static bool lacks_image(const struct score *score, int32_t pid)
{
	const struct profile_texts *mapped = &score->profile.mapped;
	char key[32];
	int size = snprintf(key, sizeof(key), "%d ", pid);

	for (size_t i = 0; mapped->count && i < truth_file_image_count(score->truth->file); i++) {
		const struct score_image *image = &score->truth->image[i];

		if (image->truth->kind == TRUTH_IMAGE_FILE &&
		    !ARRAY_ANY(mapped->count, j,
			       !strncmp(profile_texts_get(mapped, j + 1), key, size) &&
				       !strcmp(last_part(profile_texts_get(mapped, j + 1) + size),
					       image->name)))
			return true;
	}
	return false;
}

enum score_reason score_subject_unmapped(struct score *score, const struct score_subject *subject,
					 uint32_t at, bool is_leaf)
{
	const struct profile *profile = &score->profile;
	const struct profile_frame *in = profile_frame(profile, subject->frame[at]);
	const char *image = profile_text(profile, in->image);
	bool is_perf = profile->format == PROFILE_PERF_SCRIPT ||
		       profile->format == PROFILE_PERF_DATA;

	if (!strcmp(image, "[uprobes]") ||
	    (profile->format == PROFILE_FOLDED && !strcmp(image, "uprobes")))
		return SCORE_UPROBES;
	if (!is_perf || in->kind != PROFILE_RUNTIME || in->image)
		return SCORE_NO_REASON;
	if (is_leaf)
		return SCORE_UNMAPPED;
	if (score->asked_pid != subject->pid || score->asked_mapped != profile->mapped.count) {
		score->asked_pid = subject->pid;
		score->asked_mapped = profile->mapped.count;
		score->lacks_image = lacks_image(score, subject->pid);
	}
	return score->lacks_image ? SCORE_UNMAPPED : SCORE_NO_REASON;
}
