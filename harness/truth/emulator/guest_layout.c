/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_layout.c - where this kernel keeps a CPU's task, its process, and the process's mappings
 *
 * Members are found by name in the kernel's BTF, addresses in /proc/kallsyms. A CPU's task is at current_task, which
 * Linux 6.2 to 6.14 has as the first member of pcpu_hot. The mappings of a process are a red-black tree up to Linux 6.0,
 * then a maple tree (Documentation/core-api/maple_tree.rst; include/linux/maple_tree.h).
 */
#include <bpf/btf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "array.h"
#include "freed.h"
#include "guest_agent.h"

#define BITS_PER_BYTE 8

/* Offset in bytes of a member, looked for in nameless members, too. -1: there is none. *ret_type: its type. */
static long member_offset(const struct btf *btf, const struct btf_type *type, const char *name,
			  uint32_t *ret_type)
{
	const struct btf_member *member = btf_members(type);

	for (int i = 0; i < btf_vlen(type); i++, member++) {
		const char *member_name = btf__name_by_offset(btf, member->name_off);
		long at = btf_member_bit_offset(type, i) / BITS_PER_BYTE;
		const struct btf_type *inner = btf__type_by_id(btf, member->type);
		long inside;

		if (!strcmp(member_name, name)) {
			*ret_type = member->type;
			return at;
		}
		if (*member_name || !btf_is_composite(inner))
			continue;
		inside = member_offset(btf, inner, name, ret_type);
		if (inside >= 0)
			return at + inside;
	}
	return -1;
}

/* One member that is needed. */
struct wanted_member {
	const char *type, *name;
	size_t offset,
		count; /* where struct guest_layout has its offset, and how many elements it has; 0: not asked */
};

#define LAYOUT(member) offsetof(struct guest_layout, member)

static const struct wanted_member of_all[] = {
	{ "task_struct", "pid", LAYOUT(task_pid), 0 },
	{ "task_struct", "tgid", LAYOUT(task_tgid), 0 },
	{ "task_struct", "mm", LAYOUT(task_mm), 0 },
	{ "vm_area_struct", "vm_start", LAYOUT(vma_start), 0 },
	{ "vm_area_struct", "vm_end", LAYOUT(vma_end), 0 },
};
static const struct wanted_member of_red_black[] = {
	{ "mm_struct", "mm_rb", LAYOUT(mm_tree), 0 },
	{ "vm_area_struct", "vm_rb", LAYOUT(vma_rb), 0 },
	{ "rb_node", "rb_left", LAYOUT(rb_left), 0 },
	{ "rb_node", "rb_right", LAYOUT(rb_right), 0 },
};
static const struct wanted_member of_maple[] = {
	{ "mm_struct", "mm_mt", LAYOUT(mm_tree), 0 },
	{ "maple_tree", "ma_root", LAYOUT(tree_root), 0 },
	{ "maple_range_64", "pivot", LAYOUT(range_pivots), 0 },
	{ "maple_range_64", "slot", LAYOUT(range_slots), LAYOUT(range_count) },
	{ "maple_arange_64", "pivot", LAYOUT(arange_pivots), 0 },
	{ "maple_arange_64", "slot", LAYOUT(arange_slots), LAYOUT(arange_count) },
};

static int find_members(const struct btf *btf, const struct wanted_member *wanted, size_t count,
			struct guest_layout *ret, struct error *error)
{
	for (size_t i = 0; i < count; i++) {
		int id = btf__find_by_name_kind(btf, wanted[i].type, BTF_KIND_STRUCT);
		uint32_t type = 0;
		long at = id < 0 ? -1
				 : member_offset(btf, btf__type_by_id(btf, (uint32_t)id),
						 wanted[i].name, &type);

		if (at < 0 || (wanted[i].count && !btf_is_array(btf__type_by_id(btf, type))))
			return error_set(error, ERROR_UNAVAILABLE, NULL, 0,
					 "the kernel's BTF has no %s in struct %s", wanted[i].name,
					 wanted[i].type);
		*(uint32_t *)((char *)ret + wanted[i].offset) = (uint32_t)at;
		if (wanted[i].count)
			*(uint32_t *)((char *)ret + wanted[i].count) =
				btf_array(btf__type_by_id(btf, type))->nelems;
	}
	return 0;
}

static int read_layout(struct guest_layout *ret, struct error *error)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int status;

	if (!btf)
		return error_set(error, ERROR_UNAVAILABLE, NULL, 0,
				 "the kernel's BTF can't be read");
	ret->is_maple = btf__find_by_name_kind(btf, "maple_tree", BTF_KIND_STRUCT) >= 0;
	status = find_members(btf, of_all, ARRAY_COUNT(of_all), ret, error);
	if (!status)
		status = ret->is_maple
				 ? find_members(btf, of_maple, ARRAY_COUNT(of_maple), ret, error)
				 : find_members(btf, of_red_black, ARRAY_COUNT(of_red_black), ret,
						error);
	btf__free(btf);
	return status;
}

/* The addresses of these symbols, 0 where there is none. */
static int read_symbols(const char *const name[], uint64_t *const ret[], size_t count,
			struct error *error)
{
	FILE_CLOSED FILE *file = fopen("/proc/kallsyms", "re");
	FREED char *line = NULL;
	size_t capacity = 0;

	if (!file)
		return error_set_errno(error, "/proc/kallsyms");
	while (getline(&line, &capacity, file) >= 0) {
		uint64_t address;
		char said[64];

		if (sscanf(line, "%" SCNx64 " %*c %63s", &address, said) != 2)
			continue;
		for (size_t i = 0; i < count; i++)
			if (!*ret[i] && !strcmp(said, name[i]))
				*ret[i] = address;
	}
	return 0;
}

int guest_layout_read(struct guest_told *ret, struct error *error)
{
	static const char *const name[] = { "current_task", "pcpu_hot", "page_offset_base" };
	uint64_t current = 0, hot = 0;
	uint64_t *const value[] = { &current, &hot, &ret->page_offset_base };

	struct utsname system;

	ret->magic = GUEST_MAGIC;
	ret->bytes = sizeof(*ret);
	uname(&system);
	memcpy(ret->release, system.release, sizeof(ret->release));
	ret->page_offset_base = 0;
	if (read_layout(&ret->layout, error) || read_symbols(name, value, ARRAY_COUNT(name), error))
		return -1;
	ret->current_task = current ? current : hot;
	if (!ret->current_task || !ret->page_offset_base)
		return error_set(error, ERROR_UNAVAILABLE, NULL, 0,
				 "/proc/kallsyms doesn't say where the kernel has %s",
				 ret->current_task ? "page_offset_base" : "current_task");
	return 0;
}
