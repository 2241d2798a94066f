/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_build.h - whether a profile's image may be another build of the truth's
 *
 * A path says where a file was, and not which. Where the profile has the truth's build-id, they are one. Else it may be
 * another build of it if
 *
 *	changed		what is there now is not what the truth saw (truth_image_identity())
 *	unproven	nothing tells that: it has no build-id, and the truth no digest of it
 *	newer		what is there now came there after the profile was written
 *	unsaid		nothing says the profile's build. A profile that is younger than the file proves nothing: it
 *			may be a copy, or the text of older samples
 *
 * What agrees with such an image agrees all the same. What doesn't accuses nobody. Nothing is unsaid where the files are
 * the profiled ones for certain: we ran the profiler ourselves, or the user vouches for it (truth->same.build).
 */
#ifndef STACKPROOF_SCORE_BUILD_H
#define STACKPROOF_SCORE_BUILD_H

#include "score_frame.h"

/* Notes which images are newer than the profile at path. One that is no file is of now. */
void score_build_of_profile(struct score_truth *truth, const char *path);
/* A frame's image may be another build; or the frame does not say its image, and some image may be. */
bool score_build_is_open(const struct score_truth *truth, const struct score_frame *frame);
/* The profile does not say which build the frame's image was. */
bool score_build_is_unsaid(const struct score_truth *truth, const struct score_frame *frame);

/* How many of the truth's images are so. */
struct score_builds {
	size_t changed, unproven, newer;
};
struct score_builds score_builds_of(const struct score_truth *truth);

#endif
