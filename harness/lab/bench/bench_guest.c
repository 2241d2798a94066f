/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_guest.c - from starting QEMU to the guest's first result
 *
 * The command is `true`: its exit is the first result. The reference is the time until the guest's
 * init reports, the part that the kernel and QEMU take; the ratio is what the harness adds.
 */
#include "bench.h"
#include "guests/vm/vm.h"

static void ignore_output(void *context, size_t index, enum guest_stream stream, const void *data,
			  size_t size)
{
}

static void ignore_exit(void *context, size_t index, int exit_code)
{
}

int bench_guest_start(const struct bench_options *options, struct bench_figure *ret,
		      struct error *error)
{
	double first[BENCH_RUNS_MAX], boot[BENCH_RUNS_MAX];
	char *const argv[] = { "/bin/true", NULL };
	struct guest_command command = { .argv = argv };
	struct guest_file file = { .host_path = "/bin/true" };
	struct guest_callbacks callbacks = { .on_output = ignore_output, .on_exit = ignore_exit };
	struct guest_options guest = {
		.files = &file, .file_count = 1, .commands = &command, .command_count = 1
	};
	struct guest_result result;
	struct kernel kernel;

	if (kernel_get(options->kernel, &kernel, error))
		return -1;
	guest.kernel_image = kernel.image;
	for (unsigned int i = 0; i < options->runs; i++) {
		if (guest_run(&guest, &callbacks, &result, error))
			return -1;
		if (result.outcome != GUEST_OK)
			return error_set(error, ERROR_PROTOCOL, "", 0, "the guest: %s",
					 result.sentence);
		first[i] = result.first_output_ms / 1000.0;
		boot[i] = result.boot_ms / 1000.0;
	}
	ret->value = bench_median(first, options->runs);
	ret->unit = "s";
	ret->reference = "start to init";
	ret->reference_value = bench_median(boot, options->runs);
	ret->ratio = ret->value / ret->reference_value;
	snprintf(ret->note, sizeof(ret->note), "%s, %s, start to first result", kernel.version,
		 result.kvm ? "KVM" : "TCG");
	return 0;
}
