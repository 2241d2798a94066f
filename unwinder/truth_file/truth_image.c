/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth_image.c - whether a file is the one that ran
 *
 * A path says where the file was, and another may lie there now. The build-id tells, wherever the file is; of a file
 * without one, the digest of its code. Times and sizes are not asked: a copy has another time, and what was built anew
 * may have the old one (cp -p), and the same size.
 */
#include <string.h>
#include "truth_file.h"

enum truth_identity truth_image_identity(const struct truth_image *known, const struct image *image)
{
	struct code_digest digest;

	if (known->build_id_size && image->build_id_size)
		return known->build_id_size == image->build_id_size &&
				       !memcmp(known->build_id, image->build_id,
					       known->build_id_size)
			       ? TRUTH_SAME
			       : TRUTH_CHANGED;
	/* A build-id may have been taken out of the file, or put in. */
	if (!known->digest.code)
		return TRUTH_UNPROVEN;
	digest = image_code_digest(image);
	if (!digest.code)
		return TRUTH_UNPROVEN;
	return code_digest_is_same(&known->digest, &digest) ? TRUTH_SAME : TRUTH_CHANGED;
}

void truth_image_identify(struct truth_image *known, const struct image *image)
{
	known->build_id = image->build_id;
	known->build_id_size = image->build_id_size;
	if (!image->build_id_size)
		known->digest = image_code_digest(image);
}
