/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_executed_step.c - programs that are stepped, and what is kept of each instruction's row
 *
 * A place is written as "pc<from points right doubted", counted from the code's begin, with the registers
 * that varied (~) and those that had a value of their own; a fault as "! pc<from kind registers count doubted".
 * What was there once, and was neither right nor in doubt, is "pc<from" alone.
 */
#include <inttypes.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/folder_shell.h"
#include "judge/compare/compare.h"
#include "truth/tracer/tests/stepped_program.h"
#include "judge/stepping/executed_options.h"

static char program[FOLDER_PATH], other[FOLDER_PATH];

static void begin(void)
{
	folder_make();
	folder_path(program, "program");
	folder_path(other, "other");
}

/* Behind a signal's handler: where each register is in its frame (struct ucontext), by expressions. */
#define AT(reg, low, high) ".cfi_escape 0x10, " #reg ", 3, 0x77, " #low ", " #high "\n"
#define RESTORE                                                                                    \
	".cfi_startproc\n.cfi_signal_frame\n.cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 6\n" AT(           \
		3, 0x80, 1) AT(6, 0xf8, 0) AT(7, 0xa0, 1) AT(12, 0xc8, 0) AT(13, 0xd0, 0)          \
		AT(14, 0xd8, 0) AT(15, 0xe0, 0)                                                    \
			AT(16, 0xa8, 1) "nop\nrestore:\nmov eax, 15\nsyscall\n.cfi_endproc\n"

/* f is SIGUSR1's handler, and returns to restore (SA_RESTORER); and the signal is sent. */
#define SIGNAL(rbx)                                                                                \
	"mov eax, 13\nmov edi, 10\nlea rsi, act[rip]\nxor edx, edx\nmov r10d, 8\nsyscall\n"        \
	"mov eax, 39\nsyscall\nmov edi, eax\nmov esi, 10\nmov eax, 62\nmov ebx, " rbx              \
	"\nsyscall\n"
#define ACTION ".data\nact: .quad f, 0x04000000, restore, 0\n.text\n"
/* A page of memory for code. */
#define MAP                                                                                        \
	"mov eax, 9\nxor edi, edi\nmov esi, 4096\nmov edx, 7\nmov r10d, 0x22\nmov r8, -1\n"        \
	"xor r9d, r9d\nsyscall\n"

static const struct step_case {
	const char *rule, *text;
	uint64_t every;
	const char *expected;
	uint64_t points, doubted;
} step_cases[] = {
	{ "rows that are right",
	  START "mov ebx, 5\ncall f\nmov ebx, 6\ncall f\n" EXIT F
		"push rbx\n.cfi_def_cfa_offset 16\n"
		".cfi_offset rbx, -16\nxor ebx, ebx\npop rbx\n.cfi_def_cfa_offset 8\n.cfi_restore "
		"rbx\nret\n" END_F,
	  1,
	  "0, 5<0, 10<33, 15<10, 20<33, 25<20, 27<25, 29<5 1 1 0 rbx=5, 29<15 1 1 0 rbx=6, "
	  "30<29 2 2 0 rbx=5 ~ rbx, 32<30 2 2 0 rbx=5 ~ rbx, 33<32 2 2 0 rbx=5 ~ rbx",
	  15, 0 },
	{ "a row that is wrong", START "call f\n" EXIT F "push rbx\nnop\npop rbx\nret\n" END_F, 1,
	  "0, 5<17, 10<5, 12<10, 14<0 1 1 0, 15<14, 16<15, 17<16 1 1 0, ! 15<14 wrong rip 1 0, "
	  "! 16<15 wrong rip 1 0",
	  8, 0 },
	{ "of every second instruction no way is known",
	  START "call f\n" EXIT F "push rbx\nnop\npop rbx\nret\n" END_F, 2,
	  "0, 10, 15, 17 1 1 0, ! 15 wrong rip 1 0", 4, 0 },
	{ "each time for 0", START "call f\n" EXIT F "push rbx\nnop\npop rbx\nret\n" END_F, 0,
	  "0, 5<17, 10<5, 12<10, 14<0 1 1 0, 15<14, 16<15, 17<16 1 1 0, ! 15<14 wrong rip 1 0, "
	  "! 16<15 wrong rip 1 0",
	  8, 0 },
	{ "a register that is wrong, and one that is lost",
	  START
	  "mov ebx, 5\nmov ebp, 6\nmov r12d, 7\ncall f\n" EXIT F
	  "push rbx\n.cfi_def_cfa_offset 16\nxor ebx, ebx\nnop\npop rbx\n.cfi_def_cfa_offset 8\n"
	  ".cfi_undefined r12\nnop\n.cfi_restore r12\nret\n" END_F,
	  1,
	  "0, 5<0, 10<5, 16<10, 21<36, 26<21, 28<26, 30<16 1 1 0 rbx=5 rbp=6 r12=7, "
	  "31<30 1 1 0 rbx=5 rbp=6 r12=7, 33<31, 34<33, 35<34, 36<35 1 1 0 rbx=5 rbp=6 r12=7, "
	  "! 33<31 register rbx 1 0, ! 34<33 register rbx 1 0, ! 35<34 register lost r12 1 0",
	  13, 0 },
	{ "a caller's row is accused where it was asked",
	  START "call f\n" EXIT F "push rbx\ncall g\npop rbx\nret\n" END_F
		"g:\n.cfi_startproc\nnop\nret\n.cfi_endproc\n",
	  1,
	  "0, 5<21, 10<5, 12<10, 14<0 1 1 0, 15<14, 20<23, 21<20 1 1 0, 22<15 1 1 0, "
	  "23<22 1 1 0, ! 15<14 wrong rip 1 0, ! 19 wrong rsp rip 2 0, ! 20<23 wrong rip 1 0",
	  10, 0 },
	{ "a caller's register",
	  START "mov ebx, 5\ncall f\n" EXIT F
		"push rbx\n.cfi_def_cfa_offset 16\nxor ebx, ebx\ncall g\npop rbx\n"
		".cfi_def_cfa_offset 8\nret\n" END_F "g:\n.cfi_startproc\nnop\nret\n.cfi_endproc\n",
	  1,
	  "0, 5<0, 10<28, 15<10, 17<15, 19<5 1 1 0 rbx=5, 20<19 1 1 0 rbx=5, 22<20, 27<30, "
	  "28<27 1 1 0 rbx=5, 29<22 1 1 0, 30<29 1 1 0, ! 22<20 register rbx 1 0, "
	  "! 26 register rbx 2 0, ! 27<30 register rbx 1 0",
	  12, 0 },
	{ "what never returns is in doubt",
	  START "call f\n" EXIT F "push rbx\nnop\nmov eax, 60\nxor edi, edi\nsyscall\n" END_F, 1,
	  "0, 14<0 1 1 0, 15<14 1 0 1, 16<15 1 0 1, 21<16 1 0 1, 23<21 1 0 1, "
	  "! 15<14 wrong rip 0 1, ! 16<15 wrong rip 0 1, ! 21<16 wrong rip 0 1, "
	  "! 23<21 wrong rip 0 1",
	  6, 4 },
	{ "code of no file", START MAP "mov word ptr [rax], 0xc390\ncall rax\n" EXIT, 1,
	  "0, 5<0, 7<5, 12<7, 17<12, 23<17, 30<23, 33<30, 35<33, 40<35, 42, 47<42, 49<47", 15, 0 },
	{ "what a signal's handler interrupted",
	  START SIGNAL("5") EXIT F "call g\nret\n" END_F
				   "g:\n.cfi_startproc\nret\n.cfi_endproc\n" RESTORE ACTION,
	  1,
	  "0, 5<0, 10<5, 17<10, 19<17, 25<19, 27<25, 32<27, 34<32, 36<34, 41<36, 46<41, 51<46, "
	  "53<51, 53<75, 58<53, 60<58, 62<53, 67<68, 68<62 1 1 0 rbx=5, 70<67, 75<70",
	  22, 0 },
	{ "of a row that was wrong at first the first right value counts",
	  START "mov ebx, 5\nmov edi, 1\ncall f\nxor edi, edi\ncall f\n" EXIT F
		"test edi, edi\nje 1f\npush rbx\n1: nop\nnop\ntest edi, edi\nje 2f\npop rbx\n"
		"2: ret\n" END_F,
	  1,
	  "0, 5<0, 10<5, 15<43, 17<15, 22<43, 27<22, 29<27, 31<10 1 1 0 rbx=5, "
	  "31<17 1 1 0 rbx=5, 33<31 2 2 0 rbx=5, 35<33 1 1 0 rbx=5, 36<33 1 1 0 rbx=5, 36<35, "
	  "37<36 2 1 0 rbx=5, 38<37 2 1 0 rbx=5, 40<38 2 1 0 rbx=5, 42<40, 43<40 1 1 0 rbx=5, "
	  "43<42 1 1 0 rbx=5, ! 36<35 wrong rsp rip 1 0, ! 37<36 wrong rsp rip 1 0, "
	  "! 38<37 wrong rsp rip 1 0, ! 40<38 wrong rsp rip 1 0, ! 42<40 wrong rsp rip 1 0",
	  24, 0 },
	{ "a handler's row, and a row of what it returns to",
	  START SIGNAL("5") EXIT F "push rbx\nnop\npop rbx\nret\n" END_F
				   "nop\nrestore:\nmov eax, 15\nsyscall\n" ACTION,
	  1,
	  "0, 5<0, 10<5, 17<10, 19<17, 25<19, 27<25, 32<27, 34<32, 36<34, 41<36, 46<41, 51<46, "
	  "53<51, 53<72, 58<53, 60<58, 62<53, 63<62, 64<63, 65<64, 67<65, 72<67, "
	  "! 63<62 wrong rsp rip 1 0, ! 64<63 wrong rsp rip 1 0, ! 66 missing rsp rip 2 0, "
	  "! 67<65 missing rsp rip 1 0, ! 72<67 missing rsp rip 1 0",
	  23, 0 },
	{ "a frame that was left without a return",
	  START "call e\n" EXIT "e:\n.cfi_startproc\ncall f\n9: ret\n.cfi_endproc\n" F
		"lea rdx, 9b[rip]\nlea rsp, [rsp+8]\nnop\njmp rdx\n" END_F,
	  1,
	  "0, 5<19, 10<5, 12<10, 14<0 1 1 0, 19<33 1 1 0, 20<14 1 1 0, 27<20 1 1 0, 32<27, 33<32",
	  10, 0 },
	{ "registers are lost at once",
	  START "mov r12d, 7\nmov r13d, 8\ncall f\n" EXIT F
		".cfi_undefined r12\n.cfi_undefined r13\n.cfi_undefined r14\nnop\n.cfi_same_value "
		"r12\n.cfi_same_value r13\n.cfi_same_value r14\n"
		".cfi_undefined rsp\nnop\n.cfi_restore rsp\nret\n" END_F,
	  1,
	  "0, 6<0, 12<6, 17<28, 22<17, 24<22, 26<12, 27<26, 28<27 1 1 0 r12=7 r13=8, "
	  "! 26<12 register lost r12 r13 r14 1 0",
	  9, 0 },
	{ "a caller's code that is gone",
	  START MAP "mov dword ptr [rax], 0xd3ff\nlea rbx, f[rip]\ncall rax\n" EXIT F
		    "lea rdi, [rax]\nmov esi, 4096\nmov eax, 11\nsyscall\nnop\nmov eax, 60\nxor "
		    "edi, edi\nsyscall\n" END_F,
	  1,
	  "0, 5<0, 7<5, 12<7, 17<12, 23<17, 30<23, 33<30, 35<33, 41<35, 48<41, "
	  "59 1 1 0 rbx=4198459, 62<59 1 1 0 rbx=4198459, 67<62 1 1 0 rbx=4198459, "
	  "72<67 1 1 0 rbx=4198459, 74<72 1 0 1 rbx=4198459, 75<74 1 0 1 rbx=4198459, "
	  "80<75 1 0 1 rbx=4198459, 82<80 1 0 1 rbx=4198459",
	  20, 4 },
	{ "a return address that is replaced: the row was right",
	  START "call f\nnop\n1: nop\n" EXIT F "lea rdx, 1b[rip]\nmov [rsp], rdx\nnop\nret\n" END_F,
	  1,
	  "0, 6<28, 7<6, 12<7, 14<12, 16<0 1 1 0, 23<16 1 1 0, 27<23 1 0 1, 28<27 1 0 1, "
	  "! 27<23 overwritten rip 0 1, ! 28<27 overwritten rip 0 1",
	  9, 2 },
	{ "a return address that was copied: it goes back by the copy",
	  START "call f\n" EXIT F "push qword ptr [rsp]\nret\n" END_F, 1,
	  "0, 5<17, 10<5, 12<10, 14<0 1 1 0, 17<14 1 1 0", 6, 0 },
	{ "in doubt again and again",
	  START "call f\n" EXIT F "push rbx\nmov ecx, 3\n1: nop\ndec ecx\njne 1b\nmov eax, 60\nxor "
		"edi, edi\nsyscall\n" END_F,
	  1,
	  "0, 14<0 1 1 0, 15<14 1 0 1, 20<15 1 0 1, 20<23 2 0 2, 21<20 3 0 3, 23<21 3 0 3, "
	  "25<23 1 0 1, 30<25 1 0 1, 32<30 1 0 1, ! 15<14 wrong rip 0 1, ! 20<15 wrong rip 0 1, "
	  "! 20<23 wrong rip 0 2, ! 21<20 wrong rip 0 3, ! 23<21 wrong rip 0 3, "
	  "! 25<23 wrong rip 0 1, ! 30<25 wrong rip 0 1, ! 32<30 wrong rip 0 1",
	  15, 13 },
	{ "two images at one place, one after the other",
	  START "mov rdi, [rsp+16]\nxor esi, esi\nmov eax, 2\nsyscall\nmov [rsp-64], eax\n"
		"mov rdi, [rsp+8]\nmov eax, 2\nsyscall\nmov r8, rax\ncall map\ncall rax\n"
		"mov r8d, [rsp-64]\ncall map\ncall rax\n" EXIT
		"map:\n.cfi_startproc\nmov eax, 9\nmov edi, 0x10000000\nmov esi, 4096\nmov edx, "
		"5\nmov r10d, 0x12\nmov r9d, 0x1000\nsyscall\n"
		"mov eax, offset f + 0x10000000 - 0x401000\nret\n.cfi_endproc\n" F
		"nop\nret\n" END_F,
	  1,
	  "0, 5<0, 7<5, 12<7, 14<12, 18<14, 23<18, 28<23, 30<28, 33<30, 38<100, 40<102, 45<40, "
	  "50<100, 52, 57<52, 59<57, 61<33 1 1 0, 61<45 1 1 0, 66<61 2 2 0, 71<66 2 2 0, "
	  "76<71 2 2 0, 81<76 2 2 0, 87<81 2 2 0, 93<87 2 2 0, 95<93 2 2 0, 100<95 2 2 0, "
	  "101<38 1 1 0, 102<101 1 1 0, 1:101, ! 1:101 wrong rsp rip 1 0",
	  38, 0 },
	{ "each thread comes from where it was",
	  START "mov eax, 56\nmov edi, 0x210f00\nlea rsi, top[rip]\nxor edx, edx\nlea r10, "
		"lives[rip]\nxor r8d, r8d\nsyscall\n"
		"test eax, eax\nje 1f\ncall f\nlea rdi, lives[rip]\nxor esi, esi\nmov edx, "
		"1\nxor "
		"r10d, r10d\nmov eax, 202\nsyscall\n"
		"call f\nmov eax, 231\nxor edi, edi\nsyscall\n"
		"1: call f\ncall f\nmov eax, 60\nsyscall\n.cfi_endproc\n" F "nop\nret\n" END_F
		".data\nlives: .quad 1\n.bss\n.space 4096\ntop:\n.text\n",
	  1,
	  "0, 5<0, 10<5, 17<10, 19<17, 26<19, 29<26, 31, 31<29, 33<31 2 0 0, 35<33, 40<96, "
	  "47<40, 49<47, 54<49, 57<54, 62<57, 64<62, 69<96, 74<69, 76<74, 78<33, 83<96, 88<96, "
	  "93<88, 95<35 1 1 0, 95<64 1 1 0, 95<78 1 1 0, 95<83 1 1 0, 96<95 4 4 0",
	  34, 0 },
};

static void say_registers(FILE *file, uint32_t registers)
{
	for (unsigned int reg = 0; reg <= REGISTER_RIP; reg++)
		if (registers >> reg & 1)
			fprintf(file, " %s", register_name(reg));
}

static void say_way(FILE *file, uint32_t image, uint64_t pc, uint64_t from)
{
	if (image)
		fprintf(file, "%u:", image);
	fprintf(file, "%" PRIu64, pc - STEPPED_TEXT);
	if (from)
		fprintf(file, "<%" PRIu64, from - STEPPED_TEXT);
}

static void say_place(FILE *file, const struct executed_place *place)
{
	static const unsigned int callee_saved[CALLEE_SAVED_COUNT] = {
		REGISTER_RBX, REGISTER_RBP, REGISTER_R12, REGISTER_R13, REGISTER_R14, REGISTER_R15,
	};

	say_way(file, place->image, place->pc, place->from);
	if (place->points != 1 || place->right || place->doubted)
		fprintf(file, " %" PRIu64 " %" PRIu64 " %" PRIu64, place->points, place->right,
			place->doubted);
	for (unsigned int i = 0; i < CALLEE_SAVED_COUNT; i++)
		if (place->value[i])
			fprintf(file, " %s=%" PRIu64, register_name(callee_saved[i]),
				place->value[i]);
	fputs(place->varied ? " ~" : "", file);
	say_registers(file, place->varied);
}

static void say_fault(FILE *file, const struct executed_fault *fault)
{
	fputs(", ! ", file);
	say_way(file, fault->image, fault->pc, fault->from);
	fprintf(file, " %s%s", fault_kind_name(fault->kind), fault->lost ? " lost" : "");
	say_registers(file, fault->registers);
	fprintf(file, " %" PRIu64 " %" PRIu64, fault->count, fault->doubted);
}

static void count_point(void *context)
{
	++*(uint64_t *)context;
}

START_TEST(a_program_is_stepped)
{
	const struct step_case *test = &step_cases[_i];
	char *argv[] = { program, other, NULL };
	const struct tracer_options tracer = { .argv = argv,
					       .every = test->every,
					       .timeout_ms = 60000 };
	uint64_t told = 0;
	const struct executed_options options = { &tracer, count_point, &told };
	struct executed executed;
	struct error error;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	make_program(other, START EXIT F ".cfi_def_cfa_offset 16\n.fill 200, 1, 0xc3\n" END_F);
	make_program(program, test->text);
	ck_assert_msg(!executed_step(&options, &executed, &error), "%s: %s", test->rule,
		      error.message);
	for (uint32_t i = 0; i < executed.place_count; i++) {
		fputs(i ? ", " : "", file);
		say_place(file, &executed.place[i]);
	}
	for (uint32_t i = 0; i < executed.fault_count; i++)
		say_fault(file, &executed.fault[i]);
	fclose(file);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s\nexpected:\n%s", test->rule, text,
		      test->expected);
	ck_assert_uint_eq(executed.points, test->points);
	ck_assert_uint_eq(executed.doubted, test->doubted);
	ck_assert_uint_eq(executed.every, test->every ? test->every : 1);
	ck_assert_uint_eq(told, test->points);
	ck_assert(executed.stepped && !executed.recorded && !executed.partial);
	executed_deinit(&executed);
	free(text);
}
END_TEST

/* What there is of it is kept, and why there is no more is said. */
START_TEST(a_run_may_end_early)
{
	char *argv[] = { program, NULL };
	struct tracer_options tracer = { .argv = argv, .timeout_ms = 60000 };
	const struct executed_options options = { &tracer, NULL, NULL };
	struct executed executed;
	struct error error;

	ck_assert_int_eq(executed_step(&options, &executed, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert(executed.stepped && executed.partial && !executed.points);
	executed_deinit(&executed);
	make_program(program, START "1: jmp 1b\n" EXIT);
	tracer.timeout_ms = 300; /* it never ends */
	ck_assert_int_eq(executed_step(&options, &executed, &error), -1);
	ck_assert_int_eq(error.code, ERROR_TIMEOUT);
	ck_assert(executed.stepped && executed.partial);
	executed_deinit(&executed);
}
END_TEST

/* A run that is cut short is used as far as it came, and is no success; what did not begin is none at all. */
START_TEST(a_run_that_is_cut_short_fails_the_gate)
{
	char *loops[] = { (char *)"sh", (char *)"-c", (char *)"while :; do :; done", NULL };
	char *none[] = { (char *)"/no/such/program", NULL };
	const struct executed_wish wish = {
		.confirm = true,
		.tracer = { .argv = _i ? none : loops, .timeout_ms = 300, .silence_output = true }
	};
	struct gate gate = { .unit = "rows" };
	struct executed executed;
	enum exit_status status = executed_open(&wish, &executed, &gate);

	ck_assert(gate.environment && executed.partial);
	ck_assert_uint_eq(status, executed.points ? EXIT_OK
				  : _i		  ? EXIT_BAD_INPUT
						  : EXIT_ENVIRONMENT);
	executed_deinit(&executed);
}
END_TEST

SUITE(executed_step, FIXTURE(begin, folder_remove), LOOP(a_program_is_stepped, step_cases),
      TEST(a_run_may_end_early), TIMES(a_run_that_is_cut_short_fails_the_gate, 2))
