// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// framehop as an engine: its iterator of frames, with a module for each mapping
//
// What framehop guesses by the frame pointer where there is no CFI is its users' experience, and
// is scored as such. Its end is `complete` where it says so itself.

use engines::{Engine, Mapping, ReadWord, Stack, RBP, RIP, RSP};
use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{Error, ExplicitModuleSectionInfo, Module, Unwinder};

const FRAMES_MAX: usize = 1 << 16;

struct Framehop {
    unwinder: UnwinderX86_64<Vec<u8>>,
    cache: CacheX86_64,
}

impl Engine for Framehop {
    fn mappings(&mut self, mappings: Vec<Mapping>) {
        self.unwinder = UnwinderX86_64::new();
        for mapping in mappings {
            let Some(image) = mapping.image else { continue };
            let of = |section: &Option<engines::Section>| section.as_ref().map(|s| s.range.clone());
            let data =
                |section: &Option<engines::Section>| section.as_ref().map(|s| s.data.clone());
            self.unwinder.add_module(Module::new(
                String::new(),
                mapping.start..mapping.end,
                mapping.bias,
                ExplicitModuleSectionInfo {
                    base_svma: 0,
                    text_svma: of(&image.text),
                    text: data(&image.text),
                    got_svma: of(&image.got),
                    eh_frame_svma: of(&image.eh_frame),
                    eh_frame: data(&image.eh_frame),
                    eh_frame_hdr_svma: of(&image.eh_frame_hdr),
                    eh_frame_hdr: data(&image.eh_frame_hdr),
                    ..Default::default()
                },
            ));
        }
    }

    fn walk(&mut self, regs: &[u64; 17], read: &mut ReadWord) -> Stack {
        let mut pcs = Vec::new();
        let mut read = |address| read(address).ok_or(());
        let first = UnwindRegsX86_64::new(regs[RIP], regs[RSP], regs[RBP]);
        let mut frames = self
            .unwinder
            .iter_frames(regs[RIP], first, &mut self.cache, &mut read);
        let stop = loop {
            if pcs.len() == FRAMES_MAX {
                break "depth";
            }
            match frames.next() {
                Ok(Some(frame)) => pcs.push(frame.address()),
                Ok(None) => break "complete",
                Err(Error::CouldNotReadStack(_)) => break "read_fault",
                Err(Error::ReturnAddressIsNull) => break "zero_return",
                Err(Error::DidNotAdvance) => break "no_progress",
                Err(_) => break "foreign",
            }
        };
        Stack { stop, pcs }
    }
}

fn main() -> std::io::Result<()> {
    engines::serve(
        "framehop 0.16.0",
        &mut Framehop {
            unwinder: UnwinderX86_64::new(),
            cache: CacheX86_64::new(),
        },
    )
}
