// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// panic.rs - a panic that unwinds through three frames with a Drop, and is caught
//
// Rules: Rust's landing pads and personality, the panic runtime's frames in libstd and the unwinder's in
// libgcc_s. `resume_unwind` raises the panic without its hook, whose formatting and locks would
// be most of the run and are not the case here.
#![no_main]
use std::arch::asm;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicI32, Ordering};

/// The value is opaque from here on (std::hint::black_box is not stable in the oldest rustc used).
#[inline(always)]
fn keep(mut value: i32) -> i32 {
    // SAFETY: the template is a comment; value stays what it was.
    unsafe { asm!("/* {0:e} */", inout(reg) value) };
    value
}

static DROPPED: AtomicI32 = AtomicI32::new(0);

struct Cleaner;

impl Drop for Cleaner {
    #[inline(never)]
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::Relaxed);
    }
}

#[no_mangle]
#[inline(never)]
fn top(depth: i32) -> i32 {
    if keep(depth) > 0 {
        resume_unwind(Box::new(depth));
    }
    depth
}

#[no_mangle]
#[inline(never)]
fn b1(depth: i32) -> i32 {
    let _cleaner = Cleaner;
    keep(top(keep(depth + 1)))
}

#[no_mangle]
#[inline(never)]
fn a1(depth: i32) -> i32 {
    keep(b1(keep(depth + 1)))
}

#[no_mangle]
pub extern "C" fn main(_argc: i32, _argv: *const *const u8) -> i32 {
    let caught = match catch_unwind(|| a1(keep(1))) {
        Ok(_) => -1,
        Err(payload) => *payload.downcast::<i32>().unwrap_or(Box::new(-2)),
    };
    (caught != 3 || DROPPED.load(Ordering::Relaxed) != 1) as i32
}
