/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * witness.c - `stackproof witness`: is the truth true? Others who saw the same run are asked
 *
 * Engines are held against the shadow stack, so a fault of the shadow stack would accuse them. Here
 * it is held itself against what an instrumented program says of its own functions, and against the
 * CPU's shadow stack where there is one (harness/judge/witness/witness.h). Whatever differs is our fault.
 */
#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include "base/cli/exit_status.h"
#include "base/cases/cases.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "base/gate/gate.h"
#include "base/cli/command_line.h"
#include "commands.h"
#include "base/cli/json_counts.h"
#include "judge/witness/witness.h"
#include "plain_text.h"
#include "judge/stepping/stepping.h"

#define FINDINGS_SHOWN 10

enum { OPTION_BIND_NOW = 256, OPTION_OUTPUT };

struct arguments {
	struct witness_options witness;
	bool json;
	struct gate gate;
	struct cases_options cases;
	uint64_t shown; /* findings printed */
};

static const struct argp_option options[] = {
	{ "bind-now", OPTION_BIND_NOW, NULL, 0,
	  "the dynamic loader resolves every symbol before the program begins (LD_BIND_NOW)", 0 },
	{ "json", INTO_FLAG(arguments, json), NULL, 0, "NDJSON on standard output", 0 },
	{ "output", OPTION_OUTPUT, NULL, 0, "let the program's own output through", 0 },
	{ "timeout", INTO_SECONDS(arguments, witness.tracer.timeout_ms), "SECONDS", 0,
	  "give up after so long (default 600)", 0 },
	{ NULL },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct tracer_options *tracer = &arguments->witness.tracer;

	switch (key) {
	case OPTION_BIND_NOW: option_bind_now(state); return 0;
	case OPTION_OUTPUT: tracer->silence_output = false; return 0;
	case ARGP_KEY_ARGS: tracer->argv = state->argv + state->next; return 0;
	case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
	default: return option_into(key, argument, state, options);
	}
}

static const struct argp argp = {
	.children = cases_children,
	.options = options,
	.parser = parse,
	.args_doc = "-- PROGRAM [ARGUMENT...]",
	.doc = "Steps PROGRAM from its entry point on and holds the shadow stack against what the "
	       "program itself reports of its functions (compiled with -finstrument-functions -pg "
	       "-mfentry -fno-omit-frame-pointer and linked to testprogs/witness/hooks.S), and "
	       "against the CPU's shadow stack.",
};

/* ---- findings --------------------------------------------------------------------------- */

static const char *event_name(const struct witness_event *event)
{
	static const char *const names[] = {
		[WITNESS_ENTRY] = "entry",   [WITNESS_ENTER] = "enter",	  [WITNESS_EXIT] = "exit",
		[WITNESS_RESUME] = "resume", [WITNESS_CHANGE] = "change",
	};

	return event ? names[event->kind] : "cpu";
}

/* One word that a witness has: a slot, and what it says is there. */
struct said {
	uint64_t slot, pc;
	bool exact; /* pc is no return address */
};

static size_t said_count(const struct witness_finding *finding)
{
	return finding->log ? finding->log->now.count : finding->word_count;
}

/* The index-th, the innermost first. */
static struct said said_at(const struct witness_finding *finding, size_t index)
{
	if (!finding->log)
		return (struct said) { .pc = finding->word[index] };

	const struct witness_open *open =
		&finding->log->now.open[finding->log->now.count - 1 - index];

	return (struct said) { open->slot, open->function, true };
}

static void describe(const struct witness_finding *finding, uint64_t pc, bool exact, char *text,
		     size_t size)
{
	address_space_describe(finding->space, pc - (pc && !exact), text, size);
}

static void print_text(const struct witness_finding *finding)
{
	const struct witness_difference *difference = &finding->difference;
	const struct shadow_stack *truth = finding->stop->shadow;
	char text[256];

	describe(finding, finding->stop->regs.value[REGISTER_RIP], true, text, sizeof(text));
	printf("difference %s at %s of thread %d, %s", witness_difference_name(difference->kind),
	       event_name(finding->event), finding->stop->tid, PLAIN_TEXT(text));
	if (finding->event)
		printf(", event %" PRIu64, finding->event->number);
	printf("\n    slot 0x%" PRIx64 ": the truth has 0x%" PRIx64 ", the witness 0x%" PRIx64
	       "\n    the truth\n",
	       difference->slot, difference->truth, difference->said);
	for (size_t i = truth->count; i-- > 0;) {
		describe(finding, truth->frame[i].return_address, truth->frame[i].interrupted, text,
			 sizeof(text));
		printf("        %2zu  0x%012" PRIx64 "  returns to %s%s\n", i, truth->frame[i].slot,
		       PLAIN_TEXT(text), truth->frame[i].interrupted ? ", interrupted" : "");
	}
	printf("    the witness\n");
	for (size_t i = 0; i < said_count(finding); i++) {
		struct said said = said_at(finding, i);

		describe(finding, said.pc, said.exact, text, sizeof(text));
		printf("            0x%012" PRIx64 "  %s\n", said.slot, PLAIN_TEXT(text));
	}
}

static json_t *frame_json(const struct witness_finding *finding, struct said frame)
{
	char text[256];

	describe(finding, frame.pc, frame.exact, text, sizeof(text));
	return JSON_NEW("slot", json_hex(frame.slot), "pc", json_hex(frame.pc), "place", text);
}

static void print_json(const struct witness_finding *finding, const char *program)
{
	const struct witness_difference *difference = &finding->difference;
	const struct shadow_stack *truth = finding->stop->shadow;
	json_t *frames = json_array(), *said = json_array();
	char text[256];

	describe(finding, finding->stop->regs.value[REGISTER_RIP], true, text, sizeof(text));
	for (size_t i = truth->count; i-- > 0;)
		json_array_append_new(
			frames, frame_json(finding, (struct said) { truth->frame[i].slot,
								    truth->frame[i].return_address,
								    truth->frame[i].interrupted }));
	for (size_t i = 0; i < said_count(finding); i++)
		json_array_append_new(said, frame_json(finding, said_at(finding, i)));
	json_line(stdout,
		  JSON_NEW("type", "difference", "program", program, "kind",
			   witness_difference_name(difference->kind), "event",
			   event_name(finding->event), "number",
			   finding->event ? finding->event->number : 0, "thread",
			   finding->stop->tid, "place", text, "slot", json_hex(difference->slot),
			   "truth", json_hex(difference->truth), "said", json_hex(difference->said),
			   "truth_frames", frames, "said_frames", said));
}

static void on_finding(void *context, const struct witness_finding *finding)
{
	struct arguments *arguments = context;

	if (arguments->shown++ >= FINDINGS_SHOWN)
		return;
	if (arguments->json)
		print_json(finding, arguments->witness.tracer.argv[0]);
	else
		print_text(finding);
}

/* ---- the result ------------------------------------------------------------------------- */

static const char *skip_of_log(const struct witness_result *result)
{
	if (!result->instrumented)
		return "the program is not linked to testprogs/witness/hooks.S";
	return result->event[WITNESS_ENTRY] ? NULL : "the program reported nothing";
}

static const char *skip_of_cpu(const struct witness_result *result)
{
	if (result->cpu)
		return NULL;
	return witness_cpu_available() ? "the program did not ask for a shadow stack"
				       : "this kernel and CPU have no shadow stacks";
}

static void print_skip_json(const char *program, const char *witness, const char *reason,
			    const char *message)
{
	json_line(stdout, JSON_NEW("type", "skip", "program", program, "witness", witness, "reason",
				   reason, "message", message));
}

static json_t *differences_json(const struct witness_result *result)
{
	json_t *object = json_object();

	for (size_t i = WITNESS_AGREES + 1; i < WITNESS_DIFFERENCE_COUNT; i++)
		JSON_SET(object, witness_difference_name(i), result->differences[i]);
	return object;
}

static void print_result_json(const char *program, const struct witness_result *result,
			      const struct gate *gate)
{
	if (skip_of_log(result))
		print_skip_json(program, "log", "not_instrumented", skip_of_log(result));
	if (skip_of_cpu(result))
		print_skip_json(program, "cpu",
				witness_cpu_available() ? "not_asked" : "unavailable",
				skip_of_cpu(result));
	json_t *object = JSON_NEW(
		"type", "witness", "program", program, "status", result->status, "steps",
		result->truth.steps, "threads", result->truth.threads, "entries",
		result->event[WITNESS_ENTRY], "enters", result->event[WITNESS_ENTER], "exits",
		result->event[WITNESS_EXIT], "resumes", result->event[WITNESS_RESUME], "changes",
		result->event[WITNESS_CHANGE], "mute", result->mute, "handlers", result->handlers,
		"frames", result->frames, "programs", result->programs, "lost", result->lost,
		"cpu_points", result->cpu_points, "cpu_words", result->cpu_words, "differences",
		differences_json(result));

	run_cut_json(object, &result->cut);
	gate_json(gate, object);
	json_line(stdout, object);
}

static void print_result_text(const char *program, const struct witness_result *result)
{
	if (run_cut_word(&result->cut))
		printf("PARTIAL (%s): %s; what follows was found until then\n",
		       run_cut_word(&result->cut), PLAIN_TEXT(result->cut.early.message));
	printf("%s: %" PRIu64 " steps, %" PRIu64 " threads; %" PRIu64 " entries (%" PRIu64
	       " of handlers), %" PRIu64 " enters, %" PRIu64 " exits, %" PRIu64 " mute, %" PRIu64
	       " lost; %" PRIu64 " frames confirmed, %" PRIu64 " findings\n",
	       PLAIN_TEXT(program), result->truth.steps, result->truth.threads,
	       result->event[WITNESS_ENTRY], result->handlers, result->event[WITNESS_ENTER],
	       result->event[WITNESS_EXIT], result->mute, result->lost, result->frames,
	       witness_findings(result));
	if (result->cpu)
		printf("cpu: %" PRIu64 " points, %" PRIu64 " words\n", result->cpu_points,
		       result->cpu_words);
	for (size_t i = WITNESS_AGREES + 1; i < WITNESS_DIFFERENCE_COUNT; i++)
		if (result->differences[i])
			printf("differences: %s %" PRIu64 "\n", witness_difference_name(i),
			       result->differences[i]);
	if (skip_of_log(result))
		printf("log: skipped: %s\n", skip_of_log(result));
	if (skip_of_cpu(result))
		printf("cpu: skipped: %s\n", skip_of_cpu(result));
}

/* A witness that could not be asked was skipped. */
static void gate_result(struct gate *gate, const struct witness_result *result)
{
	gate_leave(gate, GATE_SKIPPED,
		   (skip_of_log(result) != NULL) + (skip_of_cpu(result) != NULL));
	gate->findings = witness_findings(result);
	if (!skip_of_log(result))
		gate->checked += result->event[WITNESS_ENTRY] + result->event[WITNESS_ENTER] +
				 result->event[WITNESS_EXIT];
	if (result->cpu)
		gate->checked += result->cpu_points;
}

/* Each witness is a case: what it said, or why it was not asked. */
static void add_cases(struct arguments *arguments, const char *program,
		      const struct witness_result *result)
{
	struct cases *cases = &arguments->cases.cases;
	uint64_t findings = witness_findings(result);
	char message[128];

	snprintf(message, sizeof(message), "%" PRIu64 " differences, %" PRIu64 " lost", findings,
		 result->lost);
	if (skip_of_log(result))
		cases_add(cases, "witness.log", program, CASE_SKIPPED, skip_of_log(result));
	else
		cases_add(cases, "witness.log", program, findings ? CASE_FAILED : CASE_PASSED,
			  message);
	if (skip_of_cpu(result))
		cases_add(cases, "witness.cpu", program, CASE_SKIPPED, skip_of_cpu(result));
	else
		cases_add(cases, "witness.cpu", program, findings ? CASE_FAILED : CASE_PASSED,
			  message);
}

int command_witness(int argc, char **argv)
{
	struct arguments arguments = {
		.gate = { .unit = "reports" },
		.witness = { .tracer = { .timeout_ms = 600000,
					 .silence_output = true,
					 .ended_by_signals = true,
					 .from = "_start" },
			     .on_finding = on_finding },
	};
	struct witness_result result;
	struct ending_signals signals;
	const char *program;
	int failed;
	struct error error;

	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &arguments, &arguments.gate,
		      &arguments.cases);
	arguments.witness.context = &arguments;
	program = arguments.witness.tracer.argv[0];
	if (output_files_are_program(FILE_NAMES(CASES_FILES(arguments.cases)), program))
		return EXIT_USAGE;
	cases_begin(&arguments.cases, "witness");
	stepping_hold(&signals);
	failed = witness_run(&arguments.witness, &result, &error);
	ending_signals_release(&signals);
	if (failed) {
		error_print(stderr, program, &error);
		cases_add(&arguments.cases.cases, "witness", program, CASE_ERROR, error.message);
		if (!run_cut_from_outside(&result.cut))
			return cases_finish(&arguments.cases, exit_status_of_error(&error));
		arguments.gate.environment = true;
	}
	gate_result(&arguments.gate, &result);
	if (!arguments.gate.environment)
		add_cases(&arguments, program, &result);
	if (arguments.json)
		print_result_json(program, &result, &arguments.gate);
	else
		print_result_text(program, &result);
	if (!arguments.json && !gate_is_clean(&arguments.gate))
		gate_print(&arguments.gate, stdout);
	return cases_finish(&arguments.cases, gate_status(&arguments.gate));
}
