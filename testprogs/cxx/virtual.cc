/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * virtual.cc - virtual calls, a this-adjusting thunk, a pure chain through an interface
 *
 * Rule: thunks (`sub $8,%rdi; jmp`) have an FDE of their own and no frame; the call is indirect.
 * With a second base class the object pointer is moved on the way.
 */
#include "../c/testprog.h"

struct left {
	virtual int go_left(int depth) = 0;
	long pad = 1;
};

struct right {
	virtual int go_right(int depth) = 0;
	long pad = 2;
};

struct both : left, right {
	FRAME int go_left(int depth) override;
	FRAME int go_right(int depth) override;
};

static FRAME int top(int depth)
{
	KEEP(depth);
	return depth + 1;
}

int both::go_left(int depth)
{
	right *other = this;

	KEEP(other);
	depth = other->go_right(depth + 1);
	KEEP(depth);
	return depth;
}

int both::go_right(int depth)
{
	depth = top(depth + 1);
	KEEP(depth);
	return depth + static_cast<int>(left::pad + right::pad);
}

int main()
{
	both object;
	left *entry = &object;

	KEEP(entry);

	int depth = entry->go_left(1);

	KEEP(depth);
	return depth != 7;
}
