// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// functional.rs - a larger program: an evaluator made of closures and trait objects, without std
//
// Rules: nearly every call goes through a vtable or a closure, to a function that was instantiated
// for it and whose name is long; iterators whose adaptors are not inlined stack up many small
// frames; a future is polled by hand through several others, each with a frame only while it runs.
// Compiled for panic=abort, where there are no landing pads but must be unwind tables.
#![no_std]
#![no_main]
use core::arch::{asm, global_asm};
use core::future::Future;
use core::panic::PanicInfo;
use core::pin::Pin;
use core::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

global_asm!(
    ".globl _start",
    ".type _start, @function",
    "_start:",
    ".cfi_startproc",
    ".cfi_undefined %rip",
    "call run",
    "mov %eax, %edi",
    "mov $60, %eax",
    "syscall",
    ".cfi_endproc",
    ".size _start, . - _start",
    options(att_syntax)
);

fn exit(status: i64) -> ! {
    // SAFETY: exit(2) does not return.
    unsafe { asm!("syscall", in("rax") 60i64, in("rdi") status, options(noreturn)) }
}

#[panic_handler]
fn on_panic(_: &PanicInfo) -> ! {
    exit(101)
}

/// Unoptimised functions of core name it in their tables, and only std has it. Nobody calls it: nothing unwinds.
#[no_mangle]
extern "C" fn rust_eh_personality() {}

/// What the compiler calls for large copies.
///
/// # Safety
/// As in C.
#[no_mangle]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    // The direction flag is clear (psABI 3.2.1).
    asm!("rep movsb", inout("rcx") size => _, inout("rdi") to => _, inout("rsi") from => _);
    to
}

/// The value is opaque from here on (core::hint::black_box is not stable in the oldest rustc used).
#[inline(always)]
fn keep(mut value: i64) -> i64 {
    // SAFETY: the template is a comment; value stays what it was.
    unsafe { asm!("/* {0} */", inout(reg) value) };
    value
}

// Trait objects: an expression is a tree of them.

trait Expression {
    fn value(&self, argument: i64) -> i64;
}

struct Argument;
struct Number(i64);
struct Binary<'a> {
    left: &'a dyn Expression,
    right: &'a dyn Expression,
    operation: &'a dyn Fn(i64, i64) -> i64,
}

impl Expression for Argument {
    #[inline(never)]
    fn value(&self, argument: i64) -> i64 {
        keep(argument)
    }
}

impl Expression for Number {
    #[inline(never)]
    fn value(&self, _: i64) -> i64 {
        keep(self.0)
    }
}

impl<'a> Expression for Binary<'a> {
    #[inline(never)]
    fn value(&self, argument: i64) -> i64 {
        let left = self.left.value(argument);
        let right = self.right.value(argument);
        keep((self.operation)(left, right))
    }
}

#[no_mangle]
#[inline(never)]
fn evaluate(expression: &dyn Expression, argument: i64) -> i64 {
    keep(expression.value(keep(argument)))
}

// (x + 3) * (x - count), where each use of `-` counts.
#[no_mangle]
#[inline(never)]
fn with_trees() -> i64 {
    let count = core::cell::Cell::new(0);
    let add = |left: i64, right: i64| left + right;
    let subtract = |left: i64, right: i64| {
        count.set(count.get() + 1);
        left - right
    };
    let multiply = |left: i64, right: i64| left * right;
    let sum = Binary {
        left: &Argument,
        right: &Number(3),
        operation: &add,
    };
    let difference = Binary {
        left: &Argument,
        right: &Number(1),
        operation: &subtract,
    };
    let product = Binary {
        left: &sum,
        right: &difference,
        operation: &multiply,
    };
    // If the compiler knew which type it is, it would make an evaluate for that alone, with another name.
    let chosen: &dyn Expression = if keep(0) == 0 { &product } else { &Argument };
    let mut total = 0;
    for argument in 0..8 {
        total += evaluate(chosen, argument);
    }
    total + 1000 * count.get()
}

// Generic functions, not inlined: one instance for each closure.

#[inline(never)]
fn compose<A, B, F: Fn(i64) -> A, G: Fn(A) -> B>(first: F, second: G, value: i64) -> B {
    second(first(value))
}

#[inline(never)]
fn fold<I: Iterator<Item = i64>>(items: I, step: &mut dyn FnMut(i64, i64) -> i64) -> i64 {
    let mut total = 0;
    for item in items {
        total = keep(step(total, item));
    }
    total
}

#[no_mangle]
#[inline(never)]
fn with_iterators(values: &[i64]) -> i64 {
    let mut calls = 0;
    let sum = fold(
        values
            .iter()
            .filter(|value| keep(**value) % 2 == 1)
            .map(|value| keep(value * value)),
        &mut |total, item| {
            calls += 1;
            total + item
        },
    );
    let composed = compose(
        |value| (value, keep(value + 1)),
        |pair: (i64, i64)| pair.0 * pair.1,
        sum,
    );
    composed + calls
}

// A future that is pending a number of times, and one that waits for two in turn.

struct Countdown(i64);

impl Future for Countdown {
    type Output = i64;

    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<i64> {
        if self.0 == 0 {
            return Poll::Ready(keep(7));
        }
        self.0 -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

async fn wait_twice(first: i64, second: i64) -> i64 {
    let one = Countdown(first).await;
    let two = Countdown(second).await;
    keep(one * 10 + two)
}

async fn wait_longer() -> i64 {
    wait_twice(2, 1).await + wait_twice(1, 0).await
}

fn clone_waker(data: *const ()) -> RawWaker {
    RawWaker::new(data, &WAKER)
}

#[inline(never)]
fn wake(data: *const ()) {
    // SAFETY: data is what run_future() gave, and lives as long as the waker.
    let woken = unsafe { &*(data as *const core::cell::Cell<i64>) };
    woken.set(woken.get() + 1);
}

static WAKER: RawWakerVTable = RawWakerVTable::new(clone_waker, wake, wake, |_| ());

#[no_mangle]
#[inline(never)]
fn run_future(mut future: Pin<&mut dyn Future<Output = i64>>) -> i64 {
    let woken = core::cell::Cell::new(0i64);
    // SAFETY: the functions of WAKER take what data is.
    let waker = unsafe { Waker::from_raw(RawWaker::new(&woken as *const _ as *const (), &WAKER)) };
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return keep(value) + 1000 * woken.get();
        }
    }
}

#[no_mangle]
#[inline(never)]
fn with_futures() -> i64 {
    let mut future = wait_longer();
    // SAFETY: future is not moved any more.
    run_future(unsafe { Pin::new_unchecked(&mut future) })
}

#[no_mangle]
pub extern "C" fn run() -> i64 {
    // The sum of (x + 3)(x - 1) over 0 to 7: 140 + 56 - 24
    if with_trees() != 8172 {
        return 1;
    }
    // 1 + 9 + 25 = 35; 35 * 36 + 3
    if with_iterators(&[1, 2, 3, 4, 5, 6]) != 1263 {
        return 2;
    }
    // 77 + 77, woken four times
    if with_futures() != 4154 {
        return 3;
    }
    0
}
