// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// bench_gimli FILE RUNS - how long gimli takes to go over every row of FILE's .eh_frame
//
// No row is kept: what is measured is reading alone, the least that any builder of tables on top of
// gimli has to spend. The section is in memory before the clock starts. Each run begins with a new
// context, and parses a CIE once for all FDEs behind it that name it (gimli by itself parses it
// anew for each FDE). Before that, all rows are gone over once for a digest of what they say, by which
// bench sees that both sides read the same. One line of JSON is the result:
//
//      {"version":"0.34.0","rows":861000,"digest":"0123456789abcdef","best_ns":17000000,"median_ns":17100000}
//
// Section headers (gABI, "Sections") are read here, in thirty lines: a crate for that would be the
// only other dependency.

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, EhFrame, LittleEndian, RegisterRule, UnwindContext,
    UnwindSection, UnwindTableRow,
};
use std::convert::TryInto;
use std::process::ExitCode;
use std::time::Instant;

// The manifests say the same version of this package as of gimli.
const VERSION: &str = env!("CARGO_PKG_VERSION");

// Offsets in Elf64_Ehdr and Elf64_Shdr.
const E_SHOFF: usize = 0x28;
const E_SHENTSIZE: usize = 0x3a;
const E_SHNUM: usize = 0x3c;
const E_SHSTRNDX: usize = 0x3e;
const SH_ADDR: usize = 0x10;
const SH_OFFSET: usize = 0x18;
const SH_SIZE: usize = 0x20;

fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(
        bytes.get(at..at.checked_add(8)?)?.try_into().ok()?,
    ))
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(
        bytes.get(at..at.checked_add(4)?)?.try_into().ok()?,
    ))
}

fn read_u16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(
        bytes.get(at..at.checked_add(2)?)?.try_into().ok()?,
    ))
}

/// The bytes and the address of the section called `name`.
fn section<'a>(file: &'a [u8], name: &[u8]) -> Option<(&'a [u8], u64)> {
    if file.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let headers = read_u64(file, E_SHOFF)? as usize;
    let size = read_u16(file, E_SHENTSIZE)? as usize;
    let header = |index: usize| file.get(headers.checked_add(index.checked_mul(size)?)?..);
    let bytes = |header: &[u8]| {
        let begin = read_u64(header, SH_OFFSET)? as usize;
        file.get(begin..begin.checked_add(read_u64(header, SH_SIZE)? as usize)?)
    };
    let names = bytes(header(read_u16(file, E_SHSTRNDX)? as usize)?)?;

    for index in 0..read_u16(file, E_SHNUM)? as usize {
        let header = header(index)?;
        let this = names.get(read_u32(header, 0)? as usize..)?;
        if this.starts_with(name) && this.get(name.len()) == Some(&0) {
            return Some((bytes(header)?, read_u64(header, SH_ADDR)?));
        }
    }
    None
}

/// The same as in bench_gimli.c.
fn mix(a: u64, b: u64, c: u64) -> u64 {
    let mut hash = a.wrapping_mul(0x9e3779b97f4a7c15) ^ b;
    hash = (hash ^ hash >> 32).wrapping_mul(0xff51afd7ed558ccd) ^ c;
    hash = (hash ^ hash >> 29).wrapping_mul(0xc4ceb9fe1a85ec53);
    hash ^ hash >> 32
}

/// What a row says of its address, the CFA and the registers that bench knows: DWARF 0 to 16.
/// Expressions are only said to be some; no rule and undefined are one.
fn row_digest(row: &UnwindTableRow<usize>) -> u64 {
    let (register, offset) = match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => (register.0 as u64, *offset as u64),
        CfaRule::Expression(_) => (u64::MAX, 0),
    };
    let mut sum = mix(row.start_address(), register, offset);
    for (register, rule) in row.registers() {
        let (kind, value) = match rule {
            RegisterRule::SameValue => (1, 0),
            RegisterRule::Offset(offset) => (2, *offset as u64),
            RegisterRule::ValOffset(offset) => (3, *offset as u64),
            RegisterRule::Register(other) => (4, other.0 as u64),
            RegisterRule::Expression(_) => (5, 0),
            RegisterRule::ValExpression(_) => (6, 0),
            _ => continue,
        };
        if register.0 <= 16 {
            sum = sum.wrapping_add(mix(register.0 as u64, kind, value));
        }
    }
    mix(sum, 0, 0)
}

fn digest_row(row: &UnwindTableRow<usize>, sum: &mut u64) {
    *sum = sum.wrapping_add(row_digest(row));
}

/// A sum of addresses, so that none of the work can be left out.
fn add_row(row: &UnwindTableRow<usize>, sum: &mut u64) {
    *sum = sum.wrapping_add(row.start_address() ^ row.end_address());
}

/// The number of rows of all FDEs, and what `visit` made of them.
fn iterate(
    data: &[u8],
    address: u64,
    visit: impl Fn(&UnwindTableRow<usize>, &mut u64),
) -> Result<(u64, u64), gimli::Error> {
    let eh_frame = EhFrame::new(data, LittleEndian);
    let bases = BaseAddresses::default().set_eh_frame(address);
    let mut context = UnwindContext::new();
    let mut entries = eh_frame.entries(&bases);
    let mut last_cie = None;
    let (mut rows, mut sum) = (0u64, 0u64);

    while let Some(entry) = entries.next()? {
        let partial = match entry {
            CieOrFde::Cie(_) => continue,
            CieOrFde::Fde(partial) => partial,
        };
        let fde = partial.parse(|section, bases, offset| match &last_cie {
            Some((last, cie)) if *last == offset => Ok(gimli::CommonInformationEntry::clone(cie)),
            _ => {
                let cie = section.cie_from_offset(bases, offset)?;
                last_cie = Some((offset, cie.clone()));
                Ok(cie)
            }
        })?;
        let mut table = fde.rows(&eh_frame, &bases, &mut context)?;
        while let Some(row) = table.next_row()? {
            rows += 1;
            visit(row, &mut sum);
        }
    }
    Ok((rows, sum))
}

fn measure(path: &str, runs: usize) -> Result<String, String> {
    let file = std::fs::read(path).map_err(|error| error.to_string())?;
    let (data, address) =
        section(&file, b".eh_frame").ok_or("no .eh_frame in a 64-bit ELF file")?;
    let mut times = Vec::new();
    let mut first = None;
    let (_, digest) = iterate(data, address, digest_row).map_err(|error| error.to_string())?;

    for _ in 0..runs {
        let begin = Instant::now();
        let result = iterate(data, address, add_row).map_err(|error| error.to_string())?;
        times.push(begin.elapsed().as_nanos());
        if *first.get_or_insert(result) != result {
            return Err("two runs differ".to_string());
        }
    }
    times.sort_unstable();
    let (rows, _) = first.ok_or("no run")?;
    Ok(format!(
        "{{\"version\":\"{}\",\"rows\":{},\"digest\":\"{:016x}\",\"best_ns\":{},\"median_ns\":{}}}",
        VERSION,
        rows,
        digest,
        times[0],
        times[times.len() / 2]
    ))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let runs = arguments
        .get(2)
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);

    if arguments.len() != 3 || runs == 0 {
        eprintln!("usage: bench_gimli FILE RUNS");
        return ExitCode::from(2);
    }
    match measure(&arguments[1], runs) {
        Ok(line) => {
            println!("{}", line);
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("bench_gimli: {}: {}", arguments[1], message);
            ExitCode::from(1)
        }
    }
}
