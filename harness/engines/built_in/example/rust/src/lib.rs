// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// The line protocol of docs/ENGINES.md for engines in Rust, and the sections of an ELF file
//
// An engine is told of mappings and asked for stacks; reading lines, memory and writing answers is
// done here. Memory is read by words: from the window that came with the point, or else asked for.

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead, Write};
use std::ops::Range;
use std::rc::Rc;

pub const RBP: usize = 6;
pub const RSP: usize = 7;
pub const RIP: usize = 16;
const WINDOW: u64 = 4096;
const PIECE: u64 = 1024;

pub struct Mapping {
    pub start: u64,
    pub end: u64,
    pub bias: u64,
    pub image: Option<Rc<Image>>,
}

/// Why a walk ended, and its frames.
pub struct Stack {
    pub stop: &'static str,
    pub pcs: Vec<u64>,
}

pub type ReadWord<'a> = dyn FnMut(u64) -> Option<u64> + 'a;

pub trait Engine {
    fn mappings(&mut self, mappings: Vec<Mapping>);
    fn walk(&mut self, regs: &[u64; 17], read: &mut ReadWord) -> Stack;
}

// ---- ELF ----------------------------------------------------------------------------------------

/// A section's bytes, and where they are by the file's own addresses.
#[derive(Clone)]
pub struct Section {
    pub range: Range<u64>,
    pub data: Vec<u8>,
}

#[derive(Default)]
pub struct Image {
    pub text: Option<Section>,
    pub got: Option<Section>,
    pub eh_frame: Option<Section>,
    pub eh_frame_hdr: Option<Section>,
}

fn number(file: &[u8], at: usize, bytes: usize) -> Option<u64> {
    let mut all = [0; 8];
    all[..bytes].copy_from_slice(file.get(at..at.checked_add(bytes)?)?);
    Some(u64::from_le_bytes(all))
}

/// Elf64_Shdr (gABI, "Sections"): name, address, offset and size are at 0, 0x10, 0x18 and 0x20.
fn section(file: &[u8], wanted: &[u8]) -> Option<Section> {
    const SHT_NOBITS: u64 = 8;
    let headers = number(file, 0x28, 8)? as usize;
    let size = number(file, 0x3a, 2)? as usize;
    let header = |index: u64| headers.checked_add(index as usize * size);
    let names = number(file, header(number(file, 0x3e, 2)?)? + 0x18, 8)? as usize;
    for index in 0..number(file, 0x3c, 2)? {
        let at = header(index)?;
        let name = file.get(names.checked_add(number(file, at, 4)? as usize)?..)?;
        let address = number(file, at + 0x10, 8)?;
        let offset = number(file, at + 0x18, 8)? as usize;
        let bytes = number(file, at + 0x20, 8)? as usize;
        if !name.starts_with(wanted) || name.get(wanted.len()) != Some(&0) {
            continue;
        }
        if number(file, at + 4, 4)? == SHT_NOBITS {
            return None;
        }
        return Some(Section {
            range: address..address.checked_add(bytes as u64)?,
            data: file.get(offset..offset.checked_add(bytes)?)?.to_vec(),
        });
    }
    None
}

impl Image {
    fn read(path: &str) -> Option<Image> {
        let file = fs::read(path).ok()?;
        if !file.starts_with(b"\x7fELF\x02\x01") {
            return None;
        }
        Some(Image {
            text: section(&file, b".text"),
            got: section(&file, b".got"),
            eh_frame: section(&file, b".eh_frame"),
            eh_frame_hdr: section(&file, b".eh_frame_hdr"),
        })
    }
}

// ---- the protocol -------------------------------------------------------------------------------

fn hex(word: &str) -> io::Result<u64> {
    u64::from_str_radix(word, 16).map_err(io::Error::other)
}

fn bytes(word: &str) -> Vec<u8> {
    (0..word.len() / 2)
        .map_while(|i| u8::from_str_radix(&word[2 * i..2 * i + 2], 16).ok())
        .collect()
}

struct Lines {
    input: io::StdinLock<'static>,
    output: io::Stdout,
    images: HashMap<String, Option<Rc<Image>>>,
    pieces: HashMap<u64, Vec<u8>>, // of the point at hand
}

impl Lines {
    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.input.read_line(&mut line)?;
        Ok(line.trim_end_matches('\n').to_string())
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    /// START END OFFSET BIAS BUILD-ID PATH
    fn mapping(&mut self) -> io::Result<Mapping> {
        let line = self.line()?;
        let words: Vec<&str> = line.splitn(7, ' ').collect();
        let path = words[6].to_string();
        let image = self
            .images
            .entry(path.clone())
            .or_insert_with(|| Image::read(&path).map(Rc::new))
            .clone();
        Ok(Mapping {
            start: hex(words[1])?,
            end: hex(words[2])?,
            bias: hex(words[4])?,
            image,
        })
    }

    fn ask(&mut self, id: &str, address: u64, count: u64) -> Option<Vec<u8>> {
        self.say(&format!("read {id} {address:x} {count}\n")).ok()?;
        self.line().ok()?.strip_prefix("memory ").map(bytes)
    }

    /// A word, and with it what lies around it: the next ones are likely there, too.
    fn word(&mut self, id: &str, address: u64) -> Option<u64> {
        let piece = address - address % PIECE;
        if !self.pieces.contains_key(&piece) {
            let data = self.ask(id, piece, PIECE).unwrap_or_default();
            self.pieces.insert(piece, data);
        }
        number(&self.pieces[&piece], (address - piece) as usize, 8)
            .or_else(|| number(&self.ask(id, address, 8)?, 0, 8))
    }

    fn point(&mut self, line: &str, engine: &mut dyn Engine) -> io::Result<()> {
        let words: Vec<&str> = line.split(' ').collect();
        let mut regs = [0; 17];
        for (reg, word) in regs.iter_mut().zip(&words[2..19]) {
            *reg = hex(word)?;
        }
        let window = bytes(words[19]);
        self.pieces.clear();
        let stack = engine.walk(&regs, &mut |address| {
            let at = usize::try_from(address.wrapping_sub(regs[RSP])).unwrap_or(usize::MAX);
            number(&window, at, 8).or_else(|| self.word(words[1], address))
        });
        let mut answer = format!("stack {} {}", words[1], stack.stop);
        for pc in stack.pcs {
            answer.push_str(&format!(" {pc:x}"));
        }
        answer.push('\n');
        self.say(&answer)
    }
}

/// Serves until the input ends.
pub fn serve(version: &str, engine: &mut dyn Engine) -> io::Result<()> {
    let mut lines = Lines {
        input: io::stdin().lock(),
        output: io::stdout(),
        images: HashMap::new(),
        pieces: HashMap::new(),
    };
    loop {
        let line = lines.line()?;
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("hello", _) => lines.say(&format!(
                "hello 1\nversion {version}\nwindow {WINDOW}\nready\n"
            ))?,
            ("mappings", count) => {
                let count = count.parse().map_err(io::Error::other)?;
                let all = (0..count)
                    .map(|_| lines.mapping())
                    .collect::<io::Result<_>>()?;
                engine.mappings(all);
            }
            ("points", _) => {
                let point = lines.line()?; /* one: no batch was asked for */
                lines.point(&point, engine)?;
            }
            _ => return Ok(()),
        }
    }
}
