/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_object.c - bytes as an object file, laid out (harness/analysis/objects/object.h)
 *
 * Whatever the bytes are, sections have places that don't overlap, and bytes of the file; each field
 * that a relocation fills in lies in one of them, and those whose value is not known are listed in order; no
 * more than the file's bytes become the image; and its CFI and symbols can be read as any other image's.
 */
#include <elf.h>
#include <inttypes.h>
#include <string.h>
#include "fuzz.h"
#include "analysis/objects/object.h"

static void check_sections(const struct object *object, const uint8_t *file, size_t size)
{
	for (size_t i = 0; i < object->section_count; i++) {
		const struct object_section *section = &object->section[i];

		fuzz_require(section->bytes >= file && section->size <= size &&
				     (size_t)(section->bytes - file) <= size - section->size,
			     "section %zu is not in the file", i);
		fuzz_require(section->name && memchr(section->name, '\0', size + 1),
			     "section %zu has no name", i);
		fuzz_require(!i || section->vaddr - section[-1].vaddr >= section[-1].size,
			     "section %zu begins in the one before", i);
		fuzz_require(object_section_find(object, section->vaddr) == section,
			     "section %zu is not found", i);
		fuzz_require(image_bytes(object->image, section->vaddr, section->size) != NULL,
			     "section %zu is not in the image", i);
	}
}

static void check_fields(const struct object *object)
{
	size_t unknown = 0;

	for (size_t i = 0; i < object->field_count; i++) {
		const struct object_field *field = &object->field[i];
		const struct object_section *section = object_section_find(object, field->vaddr);

		fuzz_require(section && field->vaddr < section->vaddr + section->size,
			     "field %zu lies in no section", i);
		fuzz_require(!i || field->vaddr >= field[-1].vaddr, "field %zu is not in order", i);
		fuzz_require(!field->symbol || *field->symbol, "field %zu has an empty name", i);
		if (!field->unknown)
			continue;
		fuzz_require(unknown < object->unknown_count &&
				     object->unknown[unknown] == field->vaddr,
			     "field %zu is not listed as unknown", i);
		unknown++;
	}
	fuzz_require(unknown == object->unknown_count, "%zu unknown, and %zu are listed", unknown,
		     object->unknown_count);
}

static void check_object(const struct object *object, const struct image *file)
{
	size_t file_size, size;
	const uint8_t *bytes = image_file_bytes(file, &file_size);
	uint64_t sum = 0;
	struct cfi *cfi = NULL;
	struct error error;

	image_file_bytes(object->image, &size);
	fuzz_require(size <= OBJECT_BYTES_MAX, "an image of %zu bytes", size);
	check_sections(object, bytes, file_size);
	check_fields(object);
	for (int i = 0; i < OBJECT_RELOCATION_COUNT; i++)
		sum += object->relocations[i];
	fuzz_require(sum <= file_size / 24, "%" PRIu64 " relocations in %zu bytes", sum, file_size);
	if (cfi_create(object->image, &cfi, &error))
		fuzz_check_error(&error, NULL, size);
	for (size_t i = 0; cfi && i < cfi->by_pc_count; i++)
		cfi_fde_symbol(cfi, &cfi->fde[cfi->by_pc[i]]);
	cfi_destroy(cfi);
}

int fuzz_object(const uint8_t *data, size_t size)
{
	struct image *image;
	struct object *object;
	struct error error;

	if (image_create_memory(data, size, "fuzz", &image, &error))
		return 0; /* fuzz_image.c */
	if (image->type != ET_REL) {
		image_destroy(image);
		return 0;
	}
	if (object_create(image, &object, &error))
		fuzz_require((error.code == ERROR_RELOCATION || error.code == ERROR_ELF_BOUNDS ||
			      error.code == ERROR_TABLE_LIMIT || error.code == ERROR_NOT_ELF) &&
				     *error.message && !object,
			     "%s: %s", error_code_name(error.code), error.message);
	else
		check_object(object, image);
	object_destroy(object);
	image_destroy(image);
	return 0;
}
