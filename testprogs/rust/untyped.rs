// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// untyped.rs - a function of global_asm! without CFI, .type and .size
//
// Rule: its symbol is of no type and says no size, yet it is the function that has no CFI. It stands first
// in its object, behind crtbegin.o's frame_dummy, whose symbol has no size either: called frame_dummy
// it would be filed with the start-up code, which nobody looks at.
#![no_main]
use std::arch::{asm, global_asm};

global_asm!(
    ".pushsection .text",
    ".globl by_hand",
    "by_hand:",
    "push %rbx",
    "lea 1(%rdi), %edi",
    "call top",
    "pop %rbx",
    "ret",
    ".popsection",
    options(att_syntax)
);

extern "C" {
    fn by_hand(depth: i32) -> i32;
}

/// The value is opaque from here on (std::hint::black_box is not stable in the oldest rustc used).
#[inline(always)]
fn keep(mut value: i32) -> i32 {
    // SAFETY: the template is a comment; value stays what it was.
    unsafe { asm!("/* {0:e} */", inout(reg) value) };
    value
}

#[no_mangle]
#[inline(never)]
extern "C" fn top(depth: i32) -> i32 {
    keep(depth) + 1
}

#[no_mangle]
pub extern "C" fn main() -> i32 {
    // SAFETY: by_hand keeps the psABI's registers and calls top alone.
    let result = unsafe { by_hand(keep(1)) };
    keep(result) - 3
}
