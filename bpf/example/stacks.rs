// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// stacks.rs - stacks.c in Rust, by what bindgen makes of stackproof.h
//
//	bindgen --allowlist-item '(stackproof|STACKPROOF)_.*' stackproof.h >stackproof.rs
//	rustc stacks.rs -l stackproof && ./stacks PID
#[allow(dead_code, non_camel_case_types, non_upper_case_globals)]
mod stackproof;

use stackproof::*;
use std::collections::HashMap;
use std::ffi::{c_void, CStr};
use std::mem::{size_of, zeroed};
use std::ptr::{null, null_mut};

type Profile = HashMap<String, u64>;

fn check(status: i32, error: &stackproof_error) -> Result<(), String> {
	match status {
		0 => Ok(()),
		_ => Err(text(error.message.as_ptr())),
	}
}

fn text(bytes: *const std::os::raw::c_char) -> String {
	unsafe { CStr::from_ptr(bytes) }.to_string_lossy().into_owned()
}

fn frame(space: *const stackproof_space, pc: u64) -> String {
	let mut place: stackproof_place = unsafe { zeroed() };
	place.size = size_of::<stackproof_place>() as _;
	let status = unsafe { stackproof_space_find(space, pc, &mut place, null_mut()) };
	let name = text(place.function.as_ptr());
	if status != 0 || name.is_empty() {
		return format!("{:#x}", place.address);
	}
	name
}

unsafe extern "C" fn add_stack(context: *mut c_void, stack: *const stackproof_stack) {
	let (profile, stack) = (&mut *(context as *mut Profile), &*stack);
	let mut line = String::new();
	if stack.raced == 0 {
		for i in (0..stack.count as usize).rev() {
			// A return address lies behind its call.
			let pc = *stack.pc.add(i) - (i > 0) as u64;
			line += &(frame(stack.space, pc) + ";");
		}
		line += &text(stackproof_stop_name(stack.stop));
	} else {
		line += "raced";
	}
	*profile.entry(line).or_insert(0) += stack.times;
}

// Closed in the order that the manual wants, whatever failed.
struct Sampler {
	images: *mut stackproof_images,
	session: *mut stackproof_session,
	processes: *mut stackproof_processes,
}

impl Drop for Sampler {
	fn drop(&mut self) {
		unsafe {
			stackproof_processes_close(self.processes);
			stackproof_session_close(self.session);
			stackproof_images_destroy(self.images);
		}
	}
}

fn sample(pid: i32) -> Result<Profile, String> {
	let mut own = Sampler { images: null_mut(), session: null_mut(), processes: null_mut() };
	let mut profile = Profile::new();
	unsafe {
		let mut error: stackproof_error = zeroed();
		let mut wanted: stackproof_processes_options = zeroed();
		wanted.size = size_of::<stackproof_processes_options>() as _;
		wanted.pid = pid;
		check(stackproof_images_create(&mut own.images, &mut error), &error)?;
		check(stackproof_session_open(null(), &mut own.session, &mut error), &error)?;
		let status = stackproof_processes_open(own.session, own.images, &wanted,
			&mut own.processes, &mut error);
		check(status, &error)?;
		check(stackproof_processes_add_existing(own.processes, &mut error), &error)?;
		let status = stackproof_session_attach_samples(own.session, -1, -1, 999, &mut error);
		check(status, &error)?;
		for _ in 0..50 {
			std::thread::sleep(std::time::Duration::from_millis(20));
			let context = &mut profile as *mut Profile as *mut c_void;
			let status = stackproof_processes_consume(own.processes, Some(add_stack),
				context, &mut error);
			check(status, &error)?;
		}
	}
	Ok(profile)
}

fn main() {
	let pid = std::env::args().nth(1).and_then(|word| word.parse().ok());
	match sample(pid.unwrap_or(std::process::id() as i32)) {
		Ok(profile) => {
			let mut lines: Vec<_> = profile.into_iter().collect();
			lines.sort_by(|a, b| b.1.cmp(&a.1));
			for (stack, times) in lines {
				println!("{:7} {}", times, stack);
			}
		}
		Err(message) => {
			eprintln!("{}", message);
			std::process::exit(1);
		}
	}
}
