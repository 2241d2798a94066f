/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stacks.c - the stacks of a process and its children in one second, with how often each was seen
 *
 *	cc stacks.c -o stacks $(pkg-config --cflags --libs stackproof) && ./stacks PID
 *
 * One line a stack, outermost function first, and why the walk ended: "complete" proves the whole.
 */
#include <stackproof.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_stack(void *context, const struct process_stack *stack)
{
	const struct walk_record *record = stack->record;
	char frame[256];

	/* Walked when the process had just mapped something: its frames may be wrong. */
	for (uint32_t i = stack->raced ? 0 : record->count; i-- > 0;) {
		/* A return address lies behind its call. */
		address_space_describe(stack->space, record->pc[i] - (i > 0), frame, sizeof(frame));
		*strchrnul(frame + 1, '+') = '\0'; /* the function without the offset in it */
		fprintf(context, "%s;", frame);
	}
	fprintf(context, "%s\n", stack->raced ? "raced" : stop_reason_name(record->stop));
}

int main(int argc, char **argv)
{
	struct process_events_options wanted = { .pid = argc > 1 ? atoi(argv[1]) : getpid() };
	struct bpf_session_options options = { .process_capacity = 256 };
	struct image_store *store = image_store_create();
	FILE *output = popen("LC_ALL=C sort | uniq -c | sort -rn", "w");
	struct process_events *events = NULL;
	struct bpf_session *session = NULL;
	struct error error;
	int failed;

	if (!store || !output)
		return 1;
	failed = bpf_session_open(&options, &session, &error) ||
		 process_events_open(session, store, &wanted, &events, &error) ||
		 process_events_add_existing(events, &error);
	/* Every CPU's clock; the walk passes over processes that it was not given. */
	for (int cpu = 0; !failed && cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		failed = bpf_session_attach_samples(session, -1, cpu, 999, &error);
	for (int i = 0; !failed && i < 50 && !usleep(20000); i++)
		failed = process_events_consume(events, print_stack, output, &error);
	if (failed)
		error_print(stderr, argv[0], &error);
	process_events_close(events);
	bpf_session_close(session);
	image_store_destroy(store);
	return pclose(output) == 0 ? failed : 1;
}
