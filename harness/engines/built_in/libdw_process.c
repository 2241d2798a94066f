/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libdw_process.c - a stopped process as libdw has it: its files, and what libdw dies of
 *
 * Shared by the engines that walk by libdw. Which files are mapped where is asked of
 * /proc/PID/maps, or of what it said at a point that was kept; how memory and registers are read is
 * the engine's own.
 */
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "freed.h"
#include "libdw_process.h"

/*
 * The separate debug file is the one that our own reader has (images/debug_link.h), and only where it has
 * CFI of the image: else unwinding needs none, and libdw would look long, and far away. It is asked for once
 * of a module: what else libdw looks for by this is .gnu_debugaltlink's.
 */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **ret)
{
	const char *path = *data;
	int fd;

	*data = NULL;
	if (!path)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	*ret = fd < 0 ? NULL : strdup(path);
	return fd;
}

/* A module's data is the path of its debug file, as long as the mappings are the same. */
static int tell_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
			   void *context)
{
	const struct address_space *space = context;
	Dwarf_Addr end = 0;

	dwfl_module_info(module, NULL, NULL, &end, NULL, NULL, NULL, NULL);
	*data = NULL;
	for (size_t i = 0; i < space->mapping_count; i++) {
		const struct mapping *mapping = &space->mapping[i];
		const struct image *image = mapping->entry ? mapping->entry->image : NULL;

		if (mapping->start >= start && mapping->start < end && image && image->debug &&
		    image->debug_frame.data)
			*data = image->debug->path;
	}
	return DWARF_CB_OK;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = find_debuginfo,
};

void libdw_process_mappings(struct libdw_process *process)
{
	process->stale = true;
	memset(process->checked, 0, sizeof(process->checked));
}

/* What libdw's function returned: a positive number is an errno value, of which dwfl_errmsg()
 * knows nothing ("no error"). */
int libdw_fail(struct error *error, pid_t tid, const char *function, int status)
{
	int code = dwfl_errno();

	return error_set(error, ERROR_PROTOCOL, "", 0, "libdw: thread %d: %s: %s", tid, function,
			 status > 0 ? strerror(status)
			 : code	    ? dwfl_errmsg(code)
				    : "it failed and gives no reason");
}

static int report_maps(Dwfl *dwfl, const char *maps)
{
	FILE_CLOSED FILE *file = fmemopen((void *)maps, strlen(maps), "r");

	return file ? dwfl_linux_proc_maps_report(dwfl, file) : errno;
}

int libdw_process_report(struct libdw_process *process, const struct point *point,
			 struct error *error)
{
	pid_t tid = point->stop->tid;
	int status;

	dwfl_end(process->dwfl);
	process->dwfl = dwfl_begin(&callbacks);
	if (!process->dwfl)
		return libdw_fail(error, tid, "dwfl_begin", -1);
	status = point->maps ? report_maps(process->dwfl, point->maps)
			     : dwfl_linux_proc_report(process->dwfl, tid);
	if (status)
		return libdw_fail(error, tid, "dwfl_linux_proc_report", status);
	status = dwfl_report_end(process->dwfl, NULL, NULL);
	if (status)
		return libdw_fail(error, tid, "dwfl_report_end", status);
	dwfl_getmodules(process->dwfl, tell_debug_file, (void *)point->space, 0);
	return 0;
}

bool libdw_set_registers(Dwfl_Thread *thread, const struct point *point)
{
	Dwarf_Word value[REGISTER_COUNT];

	_Static_assert(sizeof(value) == sizeof(point->regs->value), "DWARF's numbers");
	memcpy(value, point->regs->value, sizeof(value));
	return dwfl_thread_state_registers(thread, 0, REGISTER_COUNT, value);
}

/* libdw reads the vDSO out of the memory of the thread that it was given, once it needs it: by
 * then that one may have ended. */
static int read_vdso(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
		     void *context)
{
	GElf_Addr bias;

	if (strncmp(name, "[vdso", strlen("[vdso")) == 0)
		dwfl_module_getelf(module, &bias);
	return DWARF_CB_OK;
}

void libdw_process_read_vdso(struct libdw_process *process)
{
	dwfl_getmodules(process->dwfl, read_vdso, NULL, 0);
}

pid_t libdw_next_thread(Dwfl *dwfl, void *context, void **thread)
{
	return 0;
}

static bool row_crashes(struct libdw_process *process, const struct address_space *space,
			uint64_t pc)
{
	typeof(&process->checked[0]) checked = &process->checked[pc % LIBDW_CHECKED_PCS];
	const struct mapping *mapping;
	struct error ignored;
	struct row row;

	if (checked->pc == pc)
		return checked->crashes;
	mapping = address_space_find(space, pc);
	checked->pc = pc;
	checked->crashes = false;
	if (mapping && mapping->entry &&
	    cfi_row_find(image_entry_cfi(mapping->entry), pc - mapping->bias, &row, &ignored) > 0 &&
	    row.cfa.kind == RULE_CFA_EXPRESSION)
		checked->crashes = expression_has(row.cfa.expression, row.cfa.expression_bytes,
						  DW_OP_deref_size);
	return checked->crashes;
}

/*
 * libdw (0.188) evaluates a CFA's expression without a frame, and its DW_OP_deref_size looks at
 * that frame (expr_eval() in libdwfl/frame_unwind.c). One row must not end the whole run: the walk
 * ends before.
 */
bool libdw_process_crashes(struct libdw_process *process, const struct address_space *space,
			   uint64_t pc)
{
	return row_crashes(process, space, pc) || row_crashes(process, space, pc - 1);
}
