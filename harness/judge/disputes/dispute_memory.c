/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * dispute_memory.c - a dispute's memory, page by page
 *
 * What an engine reads at the point is kept, so that it finds the same when it is asked again. That a
 * page could not be read is kept, too: an engine that runs into it must run into it again. What is
 * neither nobody has looked at; who reads it elsewhere is told that it is not there, and it is counted,
 * for the thread may have had it.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "disputes.h"

static uint64_t page_of(uint64_t address)
{
	return address & ~(uint64_t)(PAGE_SET_PAGE - 1);
}

bool dispute_add_page(struct dispute *dispute, uint64_t address, const void *bytes)
{
	uint8_t *copy;

	if (dispute->memory.count == DISPUTE_PAGES_MAX)
		return false;
	copy = malloc(PAGE_SET_PAGE);
	if (copy)
		memcpy(copy, bytes, PAGE_SET_PAGE);
	if (copy && page_set_add(&dispute->memory, address, copy))
		return true;
	free(copy);
	return false;
}

static bool is_unreadable(const struct dispute *dispute, uint64_t page)
{
	return ARRAY_ANY(dispute->unreadable_count, i, dispute->unreadable[i] == page);
}

/* The page's bytes, which are kept from now on; NULL: it can't be read. */
static const uint8_t *record_page(struct dispute_recorder *recorder, uint64_t page)
{
	struct dispute *dispute = recorder->dispute;
	const uint8_t *known = page_set_find(&dispute->memory, page);
	uint8_t bytes[PAGE_SET_PAGE];

	if (known)
		return known;
	if (is_unreadable(dispute, page))
		return NULL;
	if (recorder->from.read(recorder->from.context, page, bytes, sizeof(bytes))) {
		if (dispute->unreadable_count >= DISPUTE_PAGES_MAX ||
		    !ARRAY_ADD(dispute->unreadable, dispute->unreadable_count, page))
			dispute->cut = true;
		return NULL;
	}
	if (!dispute_add_page(dispute, page, bytes)) {
		dispute->cut = true;
		return NULL;
	}
	return page_set_find(&dispute->memory, page);
}

/* Copies size bytes at address out of pages, which page gives. -1: one is not there. */
static int copy_pages(const uint8_t *(*page_at)(void *context, uint64_t page), void *context,
		      uint64_t address, void *ret, size_t size)
{
	uint8_t *to = ret;

	if (address + size < address)
		return -1;
	while (size) {
		uint64_t offset = address % PAGE_SET_PAGE;
		size_t part = PAGE_SET_PAGE - offset < size ? PAGE_SET_PAGE - offset : size;
		const uint8_t *page = page_at(context, page_of(address));

		if (!page)
			return -1;
		memcpy(to, page + offset, part);
		to += part;
		address += part;
		size -= part;
	}
	return 0;
}

static const uint8_t *recorded_page(void *context, uint64_t page)
{
	return record_page(context, page);
}

static int recorder_read(void *context, uint64_t address, void *ret, size_t size)
{
	return copy_pages(recorded_page, context, address, ret, size);
}

struct memory_reader dispute_recorder_reader(struct dispute_recorder *recorder)
{
	return (struct memory_reader) { .read = recorder_read, .context = recorder };
}

void dispute_record(struct dispute_recorder *recorder, uint64_t start, uint64_t end)
{
	for (uint64_t page = page_of(start); page < end; page += PAGE_SET_PAGE) {
		record_page(recorder, page);
		if (page + PAGE_SET_PAGE < page)
			return;
	}
}

static const uint8_t *kept_page(void *context, uint64_t page)
{
	struct dispute_memory *memory = context;
	const uint8_t *bytes = page_set_find(&memory->dispute->memory, page);

	if (!bytes && !is_unreadable(memory->dispute, page))
		memory->missed++;
	return bytes;
}

static int kept_read(void *context, uint64_t address, void *ret, size_t size)
{
	return copy_pages(kept_page, context, address, ret, size);
}

struct memory_reader dispute_memory_reader(struct dispute_memory *memory)
{
	return (struct memory_reader) { .read = kept_read, .context = memory };
}
