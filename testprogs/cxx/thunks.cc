// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// thunks.cc - virtual bases, covariant results: code that no source function has
//
// Rules: a thunk changes `this` and jumps, with its caller's frame (Itanium C++ ABI 3.2.3); with a
// virtual base the amount is read from the vtable. A thunk for a covariant result must call, since
// the result is to be changed afterwards: it has a frame and an FDE of its own. No C++ library: no
// exceptions, no type information.
#include "../c/testprog.h"

extern "C" {
#include "../c/bare.h"
}

// Where a pure virtual function is; nobody calls it.
extern "C" void __cxa_pure_virtual()
{
	__builtin_trap();
}

struct base {
	int number = 1;

	virtual int get(int depth) = 0;
	virtual base *self(int depth) = 0;
};

struct other {
	int padding[4] = { 1, 2, 3, 4 };

	virtual int other_get(int depth)
	{
		return depth + padding[3];
	}
};

struct left : virtual base {
	int left_number = 10;
};

struct right : other, virtual base {
	int right_number = 100;
};

struct both : left, right {
	int both_number = 1000;

	int get(int depth) override;
	int other_get(int depth) override;
	both *self(int depth) override;
};

extern "C" FRAME int top(int depth)
{
	KEEP(depth);
	return depth + 1;
}

FRAME int both::get(int depth)
{
	depth = top(depth);
	KEEP(depth);
	return depth + number + left_number + right_number + both_number;
}

FRAME int both::other_get(int depth)
{
	depth = top(depth);
	KEEP(depth);
	return depth + both_number;
}

FRAME both *both::self(int depth)
{
	depth = top(depth);
	KEEP(depth);
	return depth ? this : nullptr;
}

extern "C" FRAME int call(base *object, other *second, int depth)
{
	int sum = object->self(depth)->get(depth) + second->other_get(depth);

	KEEP(sum);
	return sum;
}

int run(const unsigned long *stack)
{
	both object;
	base *first = &object;
	other *second = &object;

	KEEP(first);
	KEEP(second);
	return call(first, second, 1) - 2115;
}
