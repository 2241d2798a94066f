/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_ids.c - what findings are called, what they mean, and their order
 *
 * An id never changes its meaning, and is never given to another: lists of known findings name it.
 */
#include <string.h>
#include <strings.h>
#include "lint.h"

static const char cfa_text[] =
	"On some way to the instruction the stack pointer, or the register that the\n"
	"row counts from, is not where the row says. Whoever unwinds there reads the\n"
	"return address from the wrong word.\n\n"
	"	push rbx\n"
	"	call f			# no .cfi_adjust_cfa_offset 8 before it\n"
	"	pop rbx\n\n"
	"Assembly without a directive behind each push; an addition to rsp that was moved\n"
	"before a branch, while its directive was not (LLVM issue 220720); a restored\n"
	"state that is another block's.\n";
static const char return_text[] =
	"The CFA is right, and the word where the row has the return address holds\n"
	"something else, or the row has it elsewhere than where the call put it, and there\n"
	"it is still (a CIE's rule is missing, or its data alignment wrong); or the row says\n"
	"that there is no caller, and the function returns to one, or is called, and has the\n"
	"address in its word still.\n";
static const char not_saved_text[] =
	"The word holds something else, or nobody has written it yet.\n\n"
	"	.cfi_offset rbx, -16	# before the push, not behind it\n"
	"	push rbx\n\n"
	"The caller's register is then recovered with a wrong value. If the caller's\n"
	"CFA hangs on it, as on rbp, its frame is lost as well.\n";
static const char overwritten_text[] =
	"rbx, rbp and r12 to r15 are the caller's (psABI, 3.2.1). The row says that\n"
	"one of them is unchanged, or has no rule for it, while the function uses it.\n\n"
	"Without a rule it is a finding only if the function keeps the caller's value,\n"
	"and has it back at each return: languages with another convention don't.\n\n"
	"Assembly that saves registers without .cfi_offset (OpenSSL issue 8853).\n";
static const char entry_text[] =
	"The code is called, so its CFA is rsp+8 there, and the row says something\n"
	"else. Or nothing was seen to call it, and it returns as if it was.\n";
static const char uncovered_text[] =
	"A call, a jump or an exception leads there; or it has a function's symbol; or\n"
	"its address is kept, and it is a function. Unwinders end at it, or guess.\n\n"
	"Start-up code of the C run-time (crtstuff); assembly without\n"
	".cfi_startproc. A file without any FDE has it for each function: there its\n"
	"symbols say which they are.\n";
static const char row_inside_text[] =
	"No address where execution can stop lies there: the row was meant for\n"
	"another, a length was computed wrongly.\n";
static const char overlap_text[] = "Unwinders take one of them, and not all the same.\n";
static const char search_table_text[] =
	"Unwinders look FDEs up in .eh_frame_hdr, which the linker makes. What is\n"
	"not there is not found (lld and mold: an FDE of length 0 hid another).\n";
static const char lost_text[] =
	"The row says that the caller's register can't be recovered (.cfi_undefined),\n"
	"while it is still there. No stack becomes wrong by it, unless the caller's CFA\n"
	"hangs on that register: then it ends.\n";
static const char broken_off_text[] =
	"One of them restores a state that was not remembered, or changes the offset of\n"
	"a CFA that hangs on no register, and no other rule follows at the same address,\n"
	"or ends in the middle. There are no rows from there on: some unwinders end,\n"
	"some guess.\n\n"
	"	.cfi_restore_state	# and no .cfi_remember_state before it\n";
static const char beyond_text[] =
	"Its function ends, by its symbol, and the FDE goes on: into another function\n"
	"that has an FDE of its own, or that has other rows; behind the end of the\n"
	"code; or nothing of the file is there. Who looks the address up gets the wrong\n"
	"rows, or another function's name.\n\n"
	"One FDE for several functions is no finding as long as its rows are right.\n\n"
	"	.cfi_endproc		# forgotten, or behind the next function\n";
static const char section_text[] =
	"A second .eh_frame in a linked image: a run-time begins at the one that\n"
	"PT_GNU_EH_FRAME leads to, and many readers stop at its end. Or there is no such\n"
	"header in an image that is loaded beside others, or its address leads elsewhere:\n"
	"then an unwinder in the process finds none of its FDEs.\n\n"
	"objcopy --add-section; linker scripts; --no-eh-frame-hdr.\n";

const struct lint_words lint_ids[LINT_ID_COUNT] = {
	[LINT_NONE] = { "", "", "", "none", true },
	[LINT_CFA] = { "SP001", "the CFA is elsewhere", cfa_text, "error", false },
	[LINT_RETURN] = { "SP002", "the return address is elsewhere", return_text, "error", false },
	[LINT_NOT_SAVED] = { "SP003", "a register is declared saved where it is not",
			     not_saved_text, "error", false },
	[LINT_OVERWRITTEN] = { "SP004", "a register is declared unchanged, and was overwritten",
			       overwritten_text, "error", false },
	[LINT_ENTRY] = { "SP005", "the first row is not that of a function that was called",
			 entry_text, "error", false },
	[LINT_UNCOVERED] = { "SP006", "code that is reached, and no FDE covers it", uncovered_text,
			     "warning", false },
	[LINT_ROW_INSIDE] = { "SP007", "a row begins inside an instruction", row_inside_text,
			      "warning", false },
	[LINT_OVERLAP] = { "SP008", "two FDEs cover the same code", overlap_text, "warning", true },
	[LINT_SEARCH_TABLE] = { "SP009", "the search table differs from the FDEs",
				search_table_text, "warning", true },
	[LINT_LOST] = { "SP010", "a register is declared lost that is not", lost_text, "note",
			true },
	[LINT_BROKEN_OFF] = { "SP011", "the FDE's instructions break off", broken_off_text,
			      "warning", false },
	[LINT_BEYOND] = { "SP012", "an FDE reaches beyond its function", beyond_text, "warning",
			  true },
	[LINT_SECTION] = { "SP013", "a section .eh_frame that unwinders are not led to",
			   section_text, "warning", true },
};

#define REASON(named, titled)                                                                      \
	{                                                                                          \
		.name = named, .title = titled                                                     \
	}

const struct lint_words lint_reasons[FLOW_REASON_COUNT] = {
	[FLOW_REACHED_BY_NONE] = REASON("not_reached", "code that no way leads to"),
	[FLOW_JUMP_UNKNOWN] = REASON("jump_unknown", "behind a jump whose targets are not known"),
	[FLOW_VALUE_UNKNOWN] = REASON("value_unknown", "a value that can't be followed"),
	[FLOW_BEHIND_CALL] = REASON("behind_call", "behind a call that perhaps never returns"),
	[FLOW_UNDECODED] = REASON("undecoded", "instructions that can't be decoded"),
	[FLOW_SIGNAL_FRAME] = REASON("signal_frame", "signal frames"),
	[FLOW_RULE_UNKNOWN] = REASON("rule_unknown", "rules that are not understood here"),
	[FLOW_NO_ENTRY] = REASON("no_entry", "parts that nothing was seen to lead to"),
	[FLOW_MALFORMED] = REASON("malformed", "malformed CFI"),
	[FLOW_TOO_LARGE] = REASON("too_large", "larger than is followed"),
	[FLOW_THROW_UNKNOWN] = REASON("throw_unknown",
				      "where a call lands that perhaps never throws"),
	[FLOW_NOT_KEPT] = REASON("not_kept",
				 "overwriting a register that callees keep, without a rule "
				 "for it, or where it was saved"),
};

enum lint_id lint_id_of(enum flow_fault fault)
{
	switch (fault) {
	case FLOW_CFA: return LINT_CFA;
	case FLOW_RETURN: return LINT_RETURN;
	case FLOW_NOT_SAVED: return LINT_NOT_SAVED;
	case FLOW_OVERWRITTEN: return LINT_OVERWRITTEN;
	case FLOW_LOST: return LINT_LOST;
	}
	return LINT_NONE;
}

enum lint_id lint_id_find(const char *name)
{
	for (int i = LINT_NONE + 1; i < LINT_ID_COUNT; i++)
		if (!strcasecmp(lint_ids[i].name, name))
			return (enum lint_id)i;
	return LINT_NONE;
}

int lint_finding_compare(const struct lint_finding *a, const struct lint_finding *b)
{
	int order;

	if (a->pc != b->pc)
		return a->pc < b->pc ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->pc_end != b->pc_end)
		return a->pc_end < b->pc_end ? -1 : 1;
	order = strcmp(a->actual, b->actual);
	return order ? order : strcmp(a->table ? a->table : "", b->table ? b->table : "");
}
