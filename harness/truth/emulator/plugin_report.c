/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plugin_report.c - what the witness says: NDJSON, a line for each process, and one for the whole
 */
#include <inttypes.h>
#include <stdio.h>
#include "plugin_watch.h"
#include "walk.h"

#define FRAMES_SHOWN 32

static FILE *out;

int watch_report_open(const char *path)
{
	out = path ? fopen(path, "we") : stderr;
	if (!out)
		perror(path);
	return out ? 0 : -1;
}

/* A JSON string of any bytes; what is not printable ASCII becomes \u00NN. */
static void put_string(const char *text)
{
	fputc('"', out);
	for (const uint8_t *byte = (const uint8_t *)text; *byte; byte++) {
		if (*byte < ' ' || *byte > '~' || *byte == '"' || *byte == '\\')
			fprintf(out, "\\u%04x", *byte);
		else
			fputc(*byte, out);
	}
	fputc('"', out);
}

void watch_report_process(const struct watched_process *process, const char *truth)
{
	fputs("{\"type\": \"watch_process\", \"program\": ", out);
	put_string(process->truth.program ? process->truth.program : "");
	fputs(", \"truth\": ", out);
	put_string(truth);
	fprintf(out,
		", \"process\": %zu, \"pid\": %d, \"root\": %s, "
		"\"threads\": %zu, \"stacks\": %" PRIu64 ", \"stacks_digest\": \"0x%" PRIx64
		"\", \"proven\": %" PRIu64 ", \"unproven\": %" PRIu64
		", \"contradictions\": %" PRIu64 ", \"returns\": %" PRIu64
		", \"returns_replaced\": %" PRIu64 ", \"returns_stray\": %" PRIu64
		", \"returns_doubled\": %" PRIu64 ", \"call_mismatches\": %" PRIu64
		", \"untold\": %" PRIu64 ", \"stack_switches\": %" PRIu64 ", \"signals\": %" PRIu64
		", \"entries\": %" PRIu64 ", \"entries_digest\": \"0x%" PRIx64 "\"",
		process->number, process->pid, process->root ? "true" : "false",
		process->threads_made, process->counters.stacks, process->counters.stacks_digest,
		process->truth.proven, process->truth.unproven, process->truth.contradictions,
		process->counters.returns, process->counters.returns_replaced,
		process->counters.returns_stray, process->counters.returns_doubled,
		process->counters.call_mismatches, process->untold,
		process->counters.stack_switches, process->counters.signals,
		process->counters.entries, process->counters.entries_digest);
	if (watch.walks)
		walks_print(out, &process->walks);
	fprintf(out, "}\n");
	fflush(out);
}

static void print_pcs(const char *name, const void *pcs, size_t count, uint32_t stop)
{
	const uint64_t *pc = pcs;

	fprintf(out, ", \"%s\": {\"stop\": \"%s\", \"frames\": %zu, \"innermost\": [", name,
		stop_reason_name(stop), count);
	for (size_t i = 0; i < count && i < FRAMES_SHOWN; i++)
		fprintf(out, "%s\"0x%" PRIx64 "\"", i ? ", " : "", pc[i]);
	fprintf(out, "]}");
}

static void print_stack(const char *name, const struct watched_thread *thread, size_t count)
{
	const struct shadow_stack *shadow = &thread->steps.shadow;

	fprintf(out, ", \"%s\": {\"rooted\": %s, \"frames\": %zu, \"innermost\": [", name,
		shadow->rooted ? "true" : "false", count);
	for (size_t i = 0; i < count && i < FRAMES_SHOWN; i++)
		fprintf(out, "%s\"0x%" PRIx64 "\"", i ? ", " : "",
			shadow->frame[count - 1 - i].return_address);
	fprintf(out, "]}");
}

void watch_report_difference(const struct watched_thread *thread, size_t open, bool doubtful)
{
	fprintf(out,
		"{\"type\": \"watch_difference\", \"pid\": %d, \"tid\": %d, \"pc\": \"0x%llx\", "
		"\"entry\": %s, \"doubtful\": %s",
		thread->process->pid, thread->steps.tid, thread->steps.regs.rip,
		thread->in_kernel ? "true" : "false", doubtful ? "true" : "false");
	print_stack("exact", thread, thread->steps.shadow.count);
	print_stack("fast", thread->twin, open);
	fprintf(out, "}\n");
}

void watch_report_wrong(const struct watched_thread *thread, const struct walk_record *record,
			const struct stack *table, uint64_t pc)
{
	fprintf(out,
		"{\"type\": \"watch_wrong\", \"pid\": %d, \"tid\": %d, \"pc\": \"0x%" PRIx64 "\"",
		thread->process->pid, thread->steps.tid, pc);
	print_stack("true", thread, thread->steps.shadow.count);
	print_pcs("bpf", record->pc, record->count, record->stop);
	print_pcs("table", table->pc, table->count, table->stop);
	fprintf(out, "}\n");
}

static void print_fast(const struct watch_counters *counters)
{
	fprintf(out,
		", \"calls\": %" PRIu64 ", \"returns\": %" PRIu64 ", \"remapped\": %" PRIu64
		", \"overwritten\": %" PRIu64 ", \"late\": %" PRIu64 ", \"doubtful\": %" PRIu64,
		counters->calls, counters->returns, counters->remapped, counters->overwritten,
		counters->late, counters->doubtful);
	if (watch.check)
		fprintf(out,
			", \"checked\": %" PRIu64 ", \"unsettled\": %" PRIu64
			", \"different\": %" PRIu64 ", \"different_doubtful\": %" PRIu64
			", \"different_entries\": %" PRIu64,
			counters->checked, counters->unsettled, counters->different,
			counters->different_doubtful, counters->different_entries);
}

static void print_rows(void)
{
	uint64_t checked, elsewhere, facts;

	rows_sums(&checked, &elsewhere, &facts);
	fprintf(out,
		", \"rows\": true, \"rows_checked\": %" PRIu64 ", \"rows_elsewhere\": %" PRIu64
		", \"row_facts\": %" PRIu64,
		checked, elsewhere, facts);
}

void watch_report_end(void)
{
	struct watch_counters *counters = &watch.counters;
	bool partial = watch.processes > 0 || counters->agents_lost;

	watch_fast_sum(counters);
	watch_forget_all();
	if (watch.rows &&
	    rows_write(watch.rows, watch.fast ? watch.first : 0, partial, &watch.error))
		watch.failed = true;
	fprintf(out,
		"{\"type\": \"watch_summary\", \"wrong\": \"%s\", \"error\": \"%s\", "
		"\"processes\": %zu, \"instructions\": %" PRIu64 ", \"entries\": %" PRIu64
		", \"restarted\": %" PRIu64 ", \"lost_events\": %" PRIu64
		", \"unread_rings\": %" PRIu64 ", \"unread_tasks\": %" PRIu64
		", \"strangers\": %" PRIu64 ", \"impostors\": %" PRIu64
		", \"agents_lost\": %" PRIu64 ", \"truth_files\": %zu, \"unwritten\": %zu"
		", \"missing_files\": %zu, \"given_bytes\": %" PRIu64,
		watch.wrong ? watch.wrong : "", watch.failed ? watch.error.message : "", watch.made,
		counters->instructions, counters->entries, counters->restarted,
		counters->lost_events, counters->unread_rings, counters->unread_tasks,
		counters->strangers, counters->impostors, counters->agents_lost, watch.written,
		watch.unwritten, code_files_missing(), counters->given);
	if (watch.unwritten) {
		fputs(", \"unwritten_error\": ", out);
		put_string(watch.unwritten_error.message);
	}
	if (watch.fast)
		print_fast(counters);
	if (watch.rows)
		print_rows();
	fprintf(out, "}\n");
	if (out != stderr && (ferror(out) | fclose(out)))
		perror("watch");
}
