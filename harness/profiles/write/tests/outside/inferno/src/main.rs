// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// inferno's readers, as programs: standard input to standard output
//
//	inferno_readers collapse-perf <perf-script >folded
//	inferno_readers flamegraph <folded >svg

use std::io::{stdin, stdout};

use inferno::collapse::{perf, Collapse};
use inferno::flamegraph;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("collapse-perf") => {
            perf::Folder::from(perf::Options::default()).collapse(stdin().lock(), stdout())?
        }
        Some("flamegraph") => flamegraph::from_reader(
            &mut flamegraph::Options::default(),
            stdin().lock(),
            stdout(),
        )?,
        _ => return Err("collapse-perf or flamegraph".into()),
    }
    Ok(())
}
