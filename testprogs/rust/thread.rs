// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// thread.rs - a thread that runs a closure
//
// Rule: between the C library's start_thread and the closure lie the standard library's frames: a
// function of its own for each thread, a boxed FnOnce, __rust_begin_short_backtrace, catch_unwind's
// frame.
#![no_main]
use std::arch::asm;
use std::thread::spawn;

/// The value is opaque from here on (std::hint::black_box is not stable in the oldest rustc used).
#[inline(always)]
fn keep(mut value: i32) -> i32 {
    // SAFETY: the template is a comment; value stays what it was.
    unsafe { asm!("/* {0:e} */", inout(reg) value) };
    value
}

#[no_mangle]
#[inline(never)]
fn top(depth: i32) -> i32 {
    keep(depth + 1)
}

#[no_mangle]
#[inline(never)]
fn bottom(depth: i32) -> i32 {
    keep(top(keep(depth + 1)))
}

#[no_mangle]
pub extern "C" fn main(_argc: i32, _argv: *const *const u8) -> i32 {
    let base = keep(10);
    let thread = spawn(move || keep(bottom(base)));
    match thread.join() {
        Ok(depth) => (depth != 12) as i32,
        Err(_) => 1,
    }
}
