/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stacks.c - the stacks of a process and its children in one second, with how often each was seen
 *
 *	cc stacks.c -o stacks $(pkg-config --cflags --libs stackproof) && ./stacks PID
 *
 * One line a stack, outermost function first, and why the walk ended: "complete" proves the whole.
 */
#include <stackproof.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void print_frame(FILE *output, const struct stackproof_space *space, uint64_t pc)
{
	struct stackproof_place place = STACKPROOF_INIT(struct stackproof_place);

	if (stackproof_space_find(space, pc, &place, NULL) || !place.function[0])
		fprintf(output, "0x%llx;", (unsigned long long)place.address);
	else
		fprintf(output, "%s;", place.function);
}

/* A return address lies behind its call. What a signal interrupted has called nothing. */
static bool is_return_address(const struct stackproof_stack *stack, uint32_t i)
{
	struct stackproof_place inner = STACKPROOF_INIT(struct stackproof_place);

	return i > 0 &&
	       (stackproof_space_locate(stack->space, stack->pc[i - 1] - (i > 1), &inner, NULL) ||
		!inner.signal_frame);
}

static void print_stack(void *context, const struct stackproof_stack *stack)
{
	/* Walked when the process had just mapped something: its frames may be wrong. */
	for (uint32_t i = stack->raced ? 0 : stack->count; i-- > 0;)
		print_frame(context, stack->space, stack->pc[i] - is_return_address(stack, i));
	fprintf(context, "%s\n", stack->raced ? "raced" : stackproof_stop_name(stack->stop));
}

/* What was lost is said, too: a profile without its losses is not whole. */
static int print_losses(const struct stackproof_session *session, struct stackproof_error *error)
{
	struct stackproof_session_counters counters =
		STACKPROOF_INIT(struct stackproof_session_counters);

	if (stackproof_session_counters(session, &counters, error))
		return -1;
	if (counters.samples != counters.stacks)
		fprintf(stderr, "%llu samples are lost\n",
			(unsigned long long)(counters.samples - counters.stacks));
	return 0;
}

int main(int argc, char **argv)
{
	struct stackproof_session_options options =
		STACKPROOF_INIT(struct stackproof_session_options);
	struct stackproof_processes_options wanted =
		STACKPROOF_INIT(struct stackproof_processes_options);
	FILE *output = popen("LC_ALL=C sort | uniq -c | sort -rn", "w");
	struct stackproof_processes *processes = NULL;
	struct stackproof_session *session = NULL;
	struct stackproof_images *images = NULL;
	struct stackproof_error error;
	int failed;

	if (!output)
		return 1;
	options.processes = 256;
	wanted.pid = argc > 1 ? atoi(argv[1]) : getpid();
	failed = stackproof_images_create(&images, &error) ||
		 stackproof_session_open(&options, &session, &error) ||
		 stackproof_processes_open(session, images, &wanted, &processes, &error) ||
		 stackproof_processes_add_existing(processes, &error) ||
		 /* Every CPU's clock; processes that were not given are passed over. */
		 stackproof_session_attach_samples(session, -1, -1, 999, &error);
	for (int i = 0; !failed && i < 50 && !usleep(20000); i++)
		failed = stackproof_processes_consume(processes, print_stack, output, &error);
	failed = failed || print_losses(session, &error);
	if (failed)
		fprintf(stderr, "%s: %s\n", argv[0], error.message);
	stackproof_processes_close(processes);
	stackproof_session_close(session);
	stackproof_images_destroy(images);
	return pclose(output) == 0 ? failed : 1;
}
