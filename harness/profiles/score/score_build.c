/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_build.c - whether a profile's image may be another build of the truth's
 *
 * A file is newer by its ctime: that is when it came to lie there, as it is. Its mtime, which cp -p and packages set, may be
 * long before. A profile's own time is its mtime, so one that was copied may only seem younger.
 */
#include <sys/stat.h>
#include "array.h"
#include "score_build.h"

static bool is_open(const struct score_image *image)
{
	return image->other_build || image->is_unproven || image->is_newer;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

void score_build_of_profile(struct score_truth *truth, const char *path)
{
	struct stat profile, file;
	bool is_file = !stat(path, &profile) && S_ISREG(profile.st_mode);
	const struct timespec *since = truth->same.since.tv_sec ? &truth->same.since
								: &profile.st_mtim;

	truth->has_open_build = false;
	for (size_t i = 0; i < truth_file_image_count(truth->file); i++) {
		struct score_image *image = &truth->image[i];

		image->is_newer = is_file && image->truth->kind == TRUTH_IMAGE_FILE &&
				  !stat(image->truth->path, &file) &&
				  is_before(since, &file.st_ctim);
		truth->has_open_build |= is_open(image);
	}
}

bool score_build_is_open(const struct score_truth *truth, const struct score_frame *frame)
{
	if (frame->by_build_id || !truth->has_open_build || frame->how == FRAME_ABSENT)
		return false;
	return !frame->has_image || is_open(&truth->image[frame->image]);
}

bool score_build_is_unsaid(const struct score_truth *truth, const struct score_frame *frame)
{
	if (truth->same.build || frame->by_build_id || frame->how == FRAME_ABSENT ||
	    frame->how == FRAME_FOREIGN)
		return false;
	return !frame->has_image || truth->image[frame->image].truth->kind == TRUTH_IMAGE_FILE ||
	       truth->image[frame->image].truth->kind == TRUTH_IMAGE_VDSO;
}

struct score_builds score_builds_of(const struct score_truth *truth)
{
	struct score_builds ret = { 0 };

	for (size_t i = 0; i < truth_file_image_count(truth->file); i++) {
		ret.changed += truth->image[i].other_build;
		ret.unproven += truth->image[i].is_unproven;
		ret.newer += truth->image[i].is_newer;
	}
	return ret;
}
