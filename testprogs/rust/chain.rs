// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// chain.rs - main a1 b1 c1 top in Rust
//
// Rule: the plain case, with the tables that rustc's LLVM writes. The C library's main is defined here
// directly, so that the Rust runtime's start-up does not take part.
#![no_main]
use std::arch::asm;

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
    keep(depth) + 1
}

#[no_mangle]
#[inline(never)]
fn c1(depth: i32) -> i32 {
    keep(top(keep(depth + 1)))
}

#[no_mangle]
#[inline(never)]
fn b1(depth: i32) -> i32 {
    keep(c1(keep(depth + 1)))
}

#[no_mangle]
#[inline(never)]
fn a1(depth: i32) -> i32 {
    keep(b1(keep(depth + 1)))
}

#[no_mangle]
pub extern "C" fn main(_argc: i32, _argv: *const *const u8) -> i32 {
    (keep(a1(keep(1))) != 5) as i32
}
