// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// nested_throw.cc - an exception while one is handled, thrown on from its handler through frames
// with clean-ups
//
// Rules: a handler is left by `throw;` with the frame that caught still there; a destructor on the
// way of one exception throws and catches another of its own, so the runtime unwinds by these
// tables while it is unwinding by them.
#include "../c/testprog.h"

static int cleaned, caught_inside;

extern "C" {

FRAME int top(int depth)
{
	KEEP(depth);
	if (depth > 0)
		throw depth;
	return depth;
}

}

struct throwing_cleaner {
	// Throws and catches while another exception passes.
	FRAME ~throwing_cleaner()
	{
		try {
			int depth = top(100);

			KEEP(depth);
		} catch (int thrown) {
			caught_inside += thrown;
		}
		cleaned++;
	}
};

extern "C" {

FRAME int throws_on(int depth)
{
	try {
		throwing_cleaner local;

		depth = top(depth + 1);
		KEEP(depth);
	} catch (int thrown) {
		if (thrown == 3)
			throw;
		depth = -1;
	}
	return depth;
}

FRAME int catches(int depth)
{
	try {
		depth = throws_on(depth + 1);
		KEEP(depth);
	} catch (int thrown) {
		depth = thrown * 10;
	}
	return depth;
}
}

int main()
{
	int depth = catches(1);

	return depth != 30 || cleaned != 1 || caught_inside != 100;
}
