/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * inlined_names.c - which functions are inlined at an address, as the image's DWARF says
 *
 * Only a file with the build-id of what ran is believed: the image's own, or its debug file below /usr/lib/debug. Units
 * are found by their ranges, once for each image; a unit's scopes are walked for each address.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "array.h"
#include "hex_text.h"
#include "image/image.h"
#include "record.h"

struct unit_range {
	uint64_t low, high; /* the first address behind it */
	Dwarf_Off die;
};

struct inlined_image {
	uint64_t image;
	int fd;
	Dwarf *dwarf; /* NULL: there is none to be believed */
	struct unit_range *range;
	size_t ranges;
};

struct inlined_names {
	struct inlined_image *image;
	size_t count;
};

struct inlined_names *inlined_names_create(void)
{
	return calloc(1, sizeof(struct inlined_names));
}

static void close_image(struct inlined_image *image)
{
	if (image->dwarf)
		dwarf_end(image->dwarf);
	if (image->fd >= 0)
		close(image->fd);
	free(image->range);
}

void inlined_names_destroy(struct inlined_names *names)
{
	if (!names)
		return;
	while (names->count)
		close_image(&names->image[--names->count]);
	free(names->image);
	free(names);
}

/* ---- a file ------------------------------------------------------------------------------- */

static bool is_build(Dwarf *dwarf, const struct stackproof_place *place)
{
	const void *id;
	ssize_t size = dwelf_elf_gnu_build_id(dwarf_getelf(dwarf), &id);

	return size > 0 && (size_t)size == place->build_id_size &&
	       !memcmp(id, place->build_id, size);
}

static bool has_units(Dwarf *dwarf)
{
	Dwarf_Off next;
	size_t head;

	return dwarf_nextcu(dwarf, 0, &next, &head, NULL, NULL, NULL) == 0;
}

/* False: nothing is open. */
static bool open_file(struct inlined_image *image, const char *path,
		      const struct stackproof_place *place)
{
	image->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	image->dwarf = image->fd < 0 ? NULL : dwarf_begin(image->fd, DWARF_C_READ);
	if (image->dwarf && is_build(image->dwarf, place) && has_units(image->dwarf))
		return true;
	close_image(image);
	image->dwarf = NULL;
	image->fd = -1;
	return false;
}

static void open_image(struct inlined_image *image, const struct stackproof_place *place)
{
	char id[2 * BUILD_ID_MAX + 1], path[64 + sizeof(id)];

	if (!place->build_id_size || place->build_id_size > BUILD_ID_MAX ||
	    open_file(image, place->path, place))
		return;
	hex_text(id, place->build_id, place->build_id_size);
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	open_file(image, path, place);
}

/* Without memory a unit is not found: its functions have no inlined ones. */
static void add_ranges(struct inlined_image *image, Dwarf_Die *unit)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &low, &high)) > 0) {
		if (low < high)
			ARRAY_ADD(image->range, image->ranges,
				  (struct unit_range) { low, high, dwarf_dieoffset(unit) });
	}
}

static void read_units(struct inlined_image *image)
{
	Dwarf_Off offset = 0, next;
	Dwarf_Die unit;
	size_t head;

	while (image->dwarf &&
	       dwarf_nextcu(image->dwarf, offset, &next, &head, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(image->dwarf, offset + head, &unit))
			add_ranges(image, &unit);
		offset = next;
	}
	if (image->ranges)
		qsort(image->range, image->ranges, sizeof(*image->range), array_order_u64);
}

static struct inlined_image *image_of(struct inlined_names *names,
				      const struct stackproof_place *place)
{
	struct inlined_image *image;

	for (size_t i = 0; i < names->count; i++)
		if (names->image[i].image == place->image)
			return &names->image[i];
	image = ARRAY_ADD(names->image, names->count,
			  (struct inlined_image) { .image = place->image, .fd = -1 });
	if (!image)
		return NULL;
	open_image(image, place);
	read_units(image);
	return image;
}

/* ---- an address --------------------------------------------------------------------------- */

static bool unit_of(struct inlined_image *image, uint64_t address, Dwarf_Die *ret)
{
	size_t before = ARRAY_BEFORE(image->ranges, i, image->range[i].low <= address);

	return before && address < image->range[before - 1].high &&
	       dwarf_offdie(image->dwarf, image->range[before - 1].die, ret);
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name =
		dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

	return name ? name : dwarf_diename(die);
}

unsigned int inlined_names_find(struct inlined_names *names, const struct stackproof_place *place,
				const char *ret[INLINED_MAX])
{
	struct inlined_image *image = image_of(names, place);
	Dwarf_Die unit, *scope = NULL, *nest = NULL;
	unsigned int count = 0;
	int nests = 0;

	if (!image || !image->dwarf || !unit_of(image, place->address, &unit))
		return 0;
	/* Around an inlined function dwarf_getscopes() has what is around its definition. */
	if (dwarf_getscopes(&unit, place->address, &scope) > 0)
		nests = dwarf_getscopes_die(&scope[0], &nest);
	for (int i = 0; i < nests && count < INLINED_MAX; i++) {
		if (dwarf_tag(&nest[i]) == DW_TAG_subprogram)
			break;
		if (dwarf_tag(&nest[i]) != DW_TAG_inlined_subroutine)
			continue;
		ret[count] = name_of(&nest[i]);
		count += ret[count] != NULL;
	}
	free(scope);
	free(nest);
	return count;
}
