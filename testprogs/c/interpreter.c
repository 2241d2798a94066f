/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * interpreter.c - a loop that interprets: computed goto, calls out of it, and itself once more
 *
 * Rule: one large function with a frame of its own in which nearly all time goes by, left by calls
 * from everywhere in it. Its jumps are indirect, so a handler's row must be the loop's, whatever
 * block the compiler put before it; a part that never returns may lie behind the epilogue or in
 * another FDE. Nested evaluation stacks the same function's frame many times, with callee-saved
 * registers full of state between.
 *
 * The language: an opcode a byte, some with a byte for operand; a stack of longs. Its functions
 * have one argument; CALL evaluates one of them in a nested loop. The program is a factorial, a
 * Fibonacci number and a repeated sum of digits.
 */
#include "bare.h"
#include "bare_call.h"

#define STACK_LONGS 16
#define WRONG	    3 /* exit status */

struct machine {
	const unsigned char *const *functions;
	long evaluations, natives, depth, deepest;
};

/* A native function: changes the stack, says where its top is now. */
typedef long *(*native)(struct machine *machine, long *top);

enum opcode { PUSH, ARGUMENT, ADD, SUBTRACT, LESS, BRANCH, CALL_FUNCTION, CALL_NATIVE, RETURN };
enum { FACTORIAL, FIBONACCI, DIGITS };
enum { MULTIPLY, DIVIDE };

/* clang-format off */
static const unsigned char factorial[] = {
	ARGUMENT, PUSH, 2, LESS, BRANCH, 10,
	ARGUMENT, ARGUMENT, PUSH, 1, SUBTRACT, CALL_FUNCTION, FACTORIAL, CALL_NATIVE, MULTIPLY, RETURN,
	PUSH, 1, RETURN,
};

static const unsigned char fibonacci[] = {
	ARGUMENT, PUSH, 2, LESS, BRANCH, 14,
	ARGUMENT, PUSH, 1, SUBTRACT, CALL_FUNCTION, FIBONACCI,
	ARGUMENT, PUSH, 2, SUBTRACT, CALL_FUNCTION, FIBONACCI, ADD, RETURN,
	ARGUMENT, RETURN,
};

/* DIVIDE leaves the quotient below the remainder. */
static const unsigned char digits[] = {
	ARGUMENT, PUSH, 10, LESS, BRANCH, 9,
	ARGUMENT, PUSH, 10, CALL_NATIVE, DIVIDE, ADD, CALL_FUNCTION, DIGITS, RETURN,
	ARGUMENT, RETURN,
};
/* clang-format on */

static FRAME long *multiply(struct machine *machine, long *top)
{
	machine->natives++;
	top[-1] *= top[0];
	return top - 1;
}

/* The numbers here are small and positive: by subtraction, another loop with a frame. */
static FRAME long *divide(struct machine *machine, long *top)
{
	long divisor = top[0], quotient = 0;

	machine->natives++;
	while (top[-1] >= divisor * 10) {
		top[-1] -= divisor * 10;
		quotient += 10;
	}
	while (top[-1] >= divisor) {
		top[-1] -= divisor;
		quotient++;
	}
	top[0] = top[-1];
	top[-1] = quotient;
	return top;
}

static FRAME __attribute__((cold, noreturn)) void stop(struct machine *machine, int opcode)
{
	for (;;)
		CALL(__NR_exit, WRONG + opcode, 0, 0);
}

FRAME long evaluate(struct machine *machine, int function, long argument)
{
	static const void *const handler[] = { &&push,	   &&argument_,	  &&add,
					       &&subtract, &&less,	  &&branch,
					       &&call,	   &&call_native, &&return_ };
	static const native natives[] = { multiply, divide };
	const unsigned char *at = machine->functions[function];
	long stack[STACK_LONGS];
	long *top = stack - 1;

	machine->evaluations++;
	if (++machine->depth > machine->deepest)
		machine->deepest = machine->depth;
#define NEXT                                                                                       \
	do {                                                                                       \
		if (*at > RETURN || top + 1 == stack + STACK_LONGS)                                \
			stop(machine, *at);                                                        \
		goto *handler[*at++];                                                              \
	} while (0)
	NEXT;
push:
	*++top = *at++;
	NEXT;
argument_:
	*++top = argument;
	NEXT;
add:
	top--;
	top[0] += top[1];
	NEXT;
subtract:
	top--;
	top[0] -= top[1];
	NEXT;
less:
	top--;
	top[0] = top[0] < top[1];
	NEXT;
branch:
	at += 1 + (*top-- ? *at : 0);
	NEXT;
call:
	top[0] = evaluate(machine, *at++, top[0]);
	NEXT;
call_native:
	top = natives[*at++](machine, top);
	NEXT;
return_:
	machine->depth--;
	return top[0];
#undef NEXT
}

static const unsigned char *const functions[] = { factorial, fibonacci, digits };

int run(const unsigned long *stack)
{
	static struct machine machine = { .functions = functions };
	long product = evaluate(&machine, FACTORIAL, 10);
	long number = evaluate(&machine, FIBONACCI, 7);
	long sum = evaluate(&machine, DIGITS, 475); /* 47 + 5, 5 + 2, 7 */

	return product != 3628800 || number != 13 || sum != 7 || machine.depth != 0 ||
	       machine.deepest != 10 || machine.evaluations != 10 + 41 + 3 ||
	       machine.natives != 9 + 2;
}
