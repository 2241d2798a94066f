// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// terminate.cc - an exception that reaches a noexcept function
//
// Rule: the search for a handler ends at the function that forbids exceptions, and std::terminate
// is called: by the personality in the middle of the search, or from a landing pad that calls it
// (clang: __clang_call_terminate), a function that never returns. No frame was left: below the
// terminate handler the whole stack is still there, with the thrower's frames if it ended in the
// search. The handler ends the program with 0.
#include <exception>
#include <unistd.h>
#include "../c/testprog.h"

static volatile bool thrown;

extern "C" {

FRAME int top(int depth)
{
	KEEP(depth);
	if (depth > 0) {
		thrown = true;
		throw depth;
	}
	return depth;
}

FRAME int middle(int depth)
{
	depth = top(depth + 1);
	KEEP(depth);
	return depth;
}

FRAME int forbids(int depth) noexcept
{
	depth = middle(depth + 1);
	KEEP(depth);
	return depth;
}

FRAME void on_terminate()
{
	_exit(thrown ? 0 : 1);
}
}

int main()
{
	std::set_terminate(on_terminate);

	int depth = forbids(1);

	KEEP(depth);
	return 2;
}
