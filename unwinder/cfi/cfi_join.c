/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_join.c - an image's CFI: that of all its sections
 *
 * Several sections .eh_frame are read one by one, and are then as one that a linker has joined.
 * What they share of their code in a linked image is the first one's: a run-time reads one section,
 * or what its search table leads to. Beside them .debug_frame adds FDEs of code that they have
 * nothing of: what is loaded is what exceptions use, and .debug_frame may be stale.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cfi_section.h"

/* Room for what another section adds. */
static int make_room(struct cfi *cfi, const struct cfi *other, size_t fdes, struct error *error)
{
	struct cfi_cie *cie = realloc(cfi->cie,
				      (cfi->cie_count + other->cie_count + 1) * sizeof(*cie));
	if (cie)
		cfi->cie = cie;
	struct cfi_fde *fde = realloc(cfi->fde, (cfi->fde_count + fdes + 1) * sizeof(*fde));
	if (fde)
		cfi->fde = fde;
	return cie && fde ? 0
			  : error_set(error, ERROR_MEMORY, NULL, 0, "no memory for %s's FDEs",
				      other->section->name);
}

static void add_diagnostics(struct cfi *cfi, const struct cfi *other)
{
	for (size_t i = 0; i < other->diagnostics.count; i++)
		error_list_add(&cfi->diagnostics, &other->diagnostics.error[i]);
	cfi->diagnostics.dropped += other->diagnostics.dropped;
}

/* There is room. */
static void add_fde_of(struct cfi *cfi, const struct cfi_fde *from)
{
	struct cfi_fde *fde = &cfi->fde[cfi->fde_count++];

	*fde = *from;
	fde->cie += (uint32_t)cfi->cie_count;
}

/* The FDEs that use them are there already. */
static void add_cies(struct cfi *cfi, const struct cfi *other)
{
	memcpy(cfi->cie + cfi->cie_count, other->cie, other->cie_count * sizeof(*other->cie));
	cfi->cie_count += other->cie_count;
}

/* ---- several sections .eh_frame ---------------------------------------------------------- */

/* In a linked image the first section that has something to say of an address has the word: a
 * run-time reads one. In an object file all functions of all sections begin at 0. */
static bool is_said_already(const struct cfi *cfi, const struct cfi_fde *fde)
{
	return cfi->image->type != ET_REL && cfi_fde_covers(cfi->image, fde) &&
	       cfi_shares_code(cfi, fde);
}

static void say_again(struct cfi *cfi, const struct cfi *other, const struct cfi_fde *fde)
{
	struct error error;

	error_set(&error, ERROR_CFI_RANGE, other->section->name, fde->offset,
		  "the FDE of 0x%" PRIx64 "..0x%" PRIx64
		  " is left out: a section .eh_frame before it has that code",
		  fde->pc_begin, fde->pc_begin + fde->pc_range);
	error_list_add(&cfi->diagnostics, &error);
}

static int add_eh_frame(struct cfi *cfi, const struct cfi *other, struct error *error)
{
	size_t before = cfi->fde_count;

	add_diagnostics(cfi, other);
	if (make_room(cfi, other, other->fde_count, error))
		return -1;
	for (size_t i = 0; i < other->fde_count; i++) {
		if (!is_said_already(cfi, &other->fde[i]))
			add_fde_of(cfi, &other->fde[i]);
		else if (!image_eh_frame_is_added(cfi->image)) /* in their place, on purpose */
			say_again(cfi, other, &other->fde[i]);
	}
	add_cies(cfi, other);
	cfi->other_fde_count += cfi->fde_count - before;
	return cfi_order(cfi, error);
}

/* One that can't be read is a diagnostic, as an entry is that can't be. */
static int read_eh_frame(struct cfi *cfi, const struct image_section *section, unsigned int share,
			 struct error *error)
{
	struct cfi *other DEINIT(cfi_destroy_at) = NULL;
	struct error bad;

	if (cfi_create_alone(cfi->image, section, share, &other, &bad)) {
		if (bad.code != ERROR_MEMORY)
			error_list_add(&cfi->diagnostics, &bad);
		else
			*error = bad;
		return bad.code == ERROR_MEMORY ? -1 : 0;
	}
	return add_eh_frame(cfi, other, error);
}

/* All that .eh_frame stands for. */
static int create_eh_frames(const struct image *image, struct cfi **ret, struct error *error)
{
	const struct image_section *section;
	unsigned int share = 0;
	int result;

	while (image_eh_frame(image, share))
		share++;
	result = cfi_create_alone(image, &image->eh_frame, share, ret, error);
	for (unsigned int i = 1; !result && (section = image_eh_frame(image, i)); i++)
		if (section->data)
			result = read_eh_frame(*ret, section, share, error);
	if (result) {
		cfi_destroy(*ret);
		*ret = NULL;
		return -1;
	}
	image_eh_frame_errors(image, &(*ret)->diagnostics);
	return 0;
}

/* ---- what .debug_frame adds -------------------------------------------------------------- */

/* Leaves in by_pc what adds to cfi. */
static void keep_other_code(struct cfi *debug, const struct cfi *cfi)
{
	size_t kept = 0;
	for (size_t i = 0; i < debug->by_pc_count; i++)
		if (!cfi_shares_code(cfi, &debug->fde[debug->by_pc[i]]))
			debug->by_pc[kept++] = debug->by_pc[i];
	debug->by_pc_count = kept;
}

/* Adds the FDEs of .debug_frame whose code .eh_frame says nothing of. by_pc is left as it was. */
static int add_debug_frame(struct cfi *cfi, struct cfi *debug, struct error *error)
{
	add_diagnostics(cfi, debug);
	keep_other_code(debug, cfi);
	if (!debug->by_pc_count)
		return 0;
	if (make_room(cfi, debug, debug->by_pc_count, error))
		return -1;
	for (size_t i = 0; i < debug->by_pc_count; i++)
		add_fde_of(cfi, &debug->fde[debug->by_pc[i]]);
	add_cies(cfi, debug);
	cfi->debug_fde_count = debug->by_pc_count;
	return 0;
}

/* A .debug_frame that can't be read is one more diagnostic. */
static int read_debug_frame(struct cfi *cfi, struct error *error)
{
	struct cfi *debug = NULL;
	struct error bad;
	int result = 0;
	if (!cfi_create_section(cfi->image, ".debug_frame", &debug, &bad)) {
		result = add_debug_frame(cfi, debug, error);
	} else if (bad.code == ERROR_MEMORY) {
		*error = bad;
		result = -1;
	} else {
		error_list_add(&cfi->diagnostics, &bad);
	}
	cfi_destroy(debug); /* before there is more to be kept */
	return !result && cfi->debug_fde_count ? cfi_order(cfi, error) : result;
}

/* ---- by name ------------------------------------------------------------------------------ */

/* What can be asked for, and is empty: ret may be used and destroyed. */
static int no_section(const struct image *image, const char *name, struct cfi **ret,
		      struct error *error)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for CFI");
	(*ret)->image = image;
	(*ret)->is_eh_frame = strcmp(name, ".debug_frame") != 0;
	(*ret)->section = (*ret)->is_eh_frame ? &image->eh_frame : &image->debug_frame;
	return error_set(error, ERROR_NO_CFI, NULL, 0, "the image has no %s", name);
}

int cfi_create_section(const struct image *image, const char *name, struct cfi **ret,
		       struct error *error)
{
	bool debug = !strcmp(name, ".debug_frame");
	const struct image_section *section = debug ? &image->debug_frame
						    : image_cfi_section(image, name);

	*ret = NULL;
	if (debug && image->debug_frame_error.code) {
		*error = image->debug_frame_error;
		return -1;
	}
	if (!section || !section->data)
		return no_section(image, name, ret, error);
	return section == &image->eh_frame ? create_eh_frames(image, ret, error)
					   : cfi_create_alone(image, section, 1, ret, error);
}

int cfi_create(const struct image *image, struct cfi **ret, struct error *error)
{
	if (!image->eh_frame.data && has_debug_frame(image))
		return cfi_create_section(image, ".debug_frame", ret, error);
	if (cfi_create_section(image, ".eh_frame", ret, error)) {
		if (error->code == ERROR_NO_CFI)
			error_set(error, ERROR_NO_CFI, NULL, 0,
				  "the image has neither .eh_frame nor .debug_frame");
		return -1;
	}
	if (!has_debug_frame(image) || !read_debug_frame(*ret, error))
		return 0;
	cfi_destroy(*ret);
	*ret = NULL;
	return -1;
}
