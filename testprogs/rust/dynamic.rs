// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// dynamic.rs - trait objects and closures: calls through vtables and FnMut
//
// Rule: the call's target is data; monomorphised functions with long mangled names each have an FDE.
#![no_main]
use std::arch::asm;

/// The value is opaque from here on (std::hint::black_box is not stable in the oldest rustc used).
#[inline(always)]
fn keep(mut value: i32) -> i32 {
    // SAFETY: the template is a comment; value stays what it was.
    unsafe { asm!("/* {0:e} */", inout(reg) value) };
    value
}

trait Step {
    fn go(&self, depth: i32) -> i32;
}

struct Leaf(i32);
struct Node<'a>(&'a dyn Step, i32);

impl Step for Leaf {
    #[inline(never)]
    fn go(&self, depth: i32) -> i32 {
        keep(depth) + self.0
    }
}

impl<'a> Step for Node<'a> {
    #[inline(never)]
    fn go(&self, depth: i32) -> i32 {
        let copy = [keep(self.1); 20];
        keep(self.0.go(depth + 1)) + copy[19]
    }
}

#[no_mangle]
#[inline(never)]
fn apply(step: &mut dyn FnMut(i32) -> i32, depth: i32) -> i32 {
    keep(step(keep(depth + 1)))
}

#[no_mangle]
pub extern "C" fn main(_argc: i32, _argv: *const *const u8) -> i32 {
    let leaf = Leaf(1);
    let inner = Node(&leaf, 1);
    let outer = Node(&inner, 2);
    let mut calls = 0;
    let depth = apply(
        &mut |depth| {
            calls += 1;
            (&outer as &dyn Step).go(depth + 1)
        },
        1,
    );
    (depth != 9 || calls != 1) as i32
}
