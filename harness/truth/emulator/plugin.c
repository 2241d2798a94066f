/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin.c - what differs between QEMU's plugin interfaces 4 and 7
 *
 * Callbacks that belong to the plugin as a whole have other parameters in each: here they become those of struct
 * plugin. Whether the program has a function is asked by its symbol, and how long an entry is of the array: a program
 * may accept an object of API 4 and have more than that.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "plugin.h"

#ifndef PLUGIN_API
#define PLUGIN_API 4
#endif
#define EXPORTED __attribute__((visibility("default")))

#if PLUGIN_API < 7
#define PARAMETERS(...)	    uint64_t plugin_id, __VA_ARGS__
#define OF_PLUGIN(callback) callback
#else
#define PARAMETERS(...)	    __VA_ARGS__, void *userdata
#define OF_PLUGIN(callback) callback, NULL
#endif

typedef void vcpu_callback(PARAMETERS(unsigned vcpu));
typedef void tb_callback(PARAMETERS(struct qemu_plugin_tb *tb));
typedef void discon_callback(PARAMETERS(unsigned vcpu, enum qemu_plugin_discon_type type,
					uint64_t from_pc, uint64_t to_pc));

#if PLUGIN_API < 7
void qemu_plugin_register_vcpu_init_cb(uint64_t id, vcpu_callback *callback);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, tb_callback *callback);
__attribute__((weak)) void qemu_plugin_register_vcpu_discon_cb(uint64_t id,
							       enum qemu_plugin_discon_type types,
							       discon_callback *callback);
typedef void end_callback(uint64_t plugin_id, void *userdata);
#else
void qemu_plugin_register_vcpu_init_cb(uint64_t id, vcpu_callback *callback, void *userdata);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, tb_callback *callback, void *userdata);
__attribute__((weak)) void qemu_plugin_register_vcpu_discon_cb(uint64_t id,
							       enum qemu_plugin_discon_type types,
							       discon_callback *callback,
							       void *userdata);
typedef void end_callback(void *userdata);
#endif
void qemu_plugin_register_atexit_cb(uint64_t id, end_callback *callback, void *userdata);

EXPORTED extern int qemu_plugin_version;
EXPORTED int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

int qemu_plugin_version = PLUGIN_API;

static void on_vcpu_init(PARAMETERS(unsigned vcpu))
{
	plugin.vcpu_init(vcpu);
}

static void on_translated(PARAMETERS(struct qemu_plugin_tb *tb))
{
	plugin.translated(tb);
}

static void on_discontinuity(PARAMETERS(unsigned vcpu, enum qemu_plugin_discon_type type,
					uint64_t from_pc, uint64_t to_pc))
{
	plugin.discontinuity(vcpu, type, from_pc, to_pc);
}

#if PLUGIN_API < 7
static void on_end(uint64_t plugin_id, void *userdata)
#else
static void on_end(void *userdata)
#endif
{
	plugin.end();
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	int status;

	if (argc == 1 && !strcmp(argv[0], "probe=on")) {
		printf("plugin API %d\n", PLUGIN_API);
		fflush(stdout);
		_exit(0);
	}
	status = plugin.start ? plugin.start(info, argc, argv) : 0;
	if (status)
		return status;
	if (plugin.vcpu_init)
		qemu_plugin_register_vcpu_init_cb(id, OF_PLUGIN(on_vcpu_init));
	if (plugin.translated)
		qemu_plugin_register_vcpu_tb_trans_cb(id, OF_PLUGIN(on_translated));
	if (plugin.discontinuity && plugin_has_discontinuities())
		qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_ALL,
						    OF_PLUGIN(on_discontinuity));
	if (plugin.end)
		qemu_plugin_register_atexit_cb(id, on_end, NULL);
	return 0;
}

bool plugin_has_discontinuities(void)
{
	return qemu_plugin_register_vcpu_discon_cb != NULL;
}

/* ---- registers and memory ----------------------------------------------------------------- */

/* A buffer for each thread: vCPUs have their own, and run at the same time. */
static struct g_byte_array *empty_buffer(void)
{
	static __thread struct g_byte_array *buffer;

	if (!buffer)
		buffer = g_byte_array_new();
	return g_byte_array_set_size(buffer, 0);
}

size_t plugin_registers(const char *const names[], size_t count, struct qemu_plugin_register *ret[])
{
	struct g_array *list = qemu_plugin_get_registers();
	unsigned size = g_array_get_element_size(list);
	size_t found = 0;

	memset(ret, 0, count * sizeof(*ret));
	for (unsigned i = 0; i < list->length; i++) {
		const struct qemu_plugin_reg_descriptor *one =
			(const void *)(list->data + (size_t)i * size);

		for (size_t k = 0; k < count; k++) {
			if (names[k] && !ret[k] && !strcmp(names[k], one->name)) {
				ret[k] = one->handle;
				found++;
			}
		}
	}
	g_array_free(list, 1);
	return found;
}

bool plugin_register_read(struct qemu_plugin_register *handle, uint64_t *ret)
{
	struct g_byte_array *buffer = empty_buffer();

	*ret = 0;
	qemu_plugin_read_register(handle, buffer); /* nothing is appended if it fails */
	if (!buffer->length || buffer->length > sizeof(*ret))
		return false;
	memcpy(ret, buffer->data, buffer->length);
	return true;
}

bool plugin_memory_read(uint64_t address, void *ret, size_t size)
{
	struct g_byte_array *buffer = empty_buffer();

	if (!qemu_plugin_read_memory_vaddr(address, buffer, size) || buffer->length != size)
		return false;
	memcpy(ret, buffer->data, size);
	return true;
}

bool plugin_physical_read(uint64_t address, void *ret, size_t size)
{
	struct g_byte_array *buffer = empty_buffer();

	if (!qemu_plugin_read_memory_hwaddr ||
	    qemu_plugin_read_memory_hwaddr(address, buffer, size) || buffer->length != size)
		return false;
	memcpy(ret, buffer->data, size);
	return true;
}

/* A message-signalled interrupt is a write of its vector to where the CPU's local APIC is (Intel SDM volume 3, 12.11). */
#define MESSAGE_ADDRESS	  0xfee00000ull
#define MESSAGE_CPU_SHIFT 12

bool plugin_interrupt(unsigned vcpu, uint8_t vector)
{
	uint64_t address = MESSAGE_ADDRESS | (uint64_t)vcpu << MESSAGE_CPU_SHIFT;
	uint32_t data = vector;

	if (qemu_plugin_write_memory_hwaddr) {
		struct g_byte_array *buffer = g_byte_array_set_size(empty_buffer(), sizeof(data));

		memcpy(buffer->data, &data, sizeof(data));
		return !qemu_plugin_write_memory_hwaddr(address, buffer);
	}
	if (!cpu_physical_memory_rw)
		return false;
	cpu_physical_memory_rw(address, &data, sizeof(data), true);
	return true;
}

bool plugin_leaves_blocks(void)
{
	return cpu_loop_exit_restore && qemu_get_cpu;
}

void plugin_leave_block(unsigned vcpu, void *callback_return)
{
	cpu_loop_exit_restore(qemu_get_cpu((int)vcpu), (uintptr_t)callback_return);
}
