// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
//
// A walk by the rows of .eh_frame as gimli reads them: what DWARF says, no guess, no cache
//
// DWARF 5, 6.4: the row of a PC says where the caller's CFA, its registers and its return address
// are. A return address is looked up one byte before, in its call, but not below a signal's frame.
// It ends where the return address is undefined (psABI 6.2.1).

use engines::{Engine, Mapping, ReadWord, Stack, RIP, RSP};
use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, EvaluationResult, LittleEndian,
    Location, Register, RegisterRule, UnwindContext, UnwindExpression, UnwindSection,
    UnwindTableRow, Value,
};
use std::rc::Rc;

const FRAMES_MAX: usize = 1 << 16;
type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Regs = [Option<u64>; 17];

struct Gimli {
    mappings: Vec<Mapping>,
}

/// The state of a frame: registers, as far as they are known.
struct Frame<'a, 'b> {
    regs: Regs,
    read: &'a mut ReadWord<'b>,
}

impl Frame<'_, '_> {
    fn evaluate(
        &mut self,
        expression: &UnwindExpression<usize>,
        section: &EhFrame<Slice>,
        encoding: gimli::Encoding,
        cfa: Option<u64>,
    ) -> Result<u64, &'static str> {
        let code = expression.get(section).map_err(|_| "malformed")?;
        let mut evaluation = code.evaluation(encoding);
        if let Some(cfa) = cfa {
            evaluation.set_initial_value(cfa);
        }
        let mut result = evaluation.evaluate();
        loop {
            result = match result.map_err(|_| "malformed")? {
                EvaluationResult::Complete => break,
                EvaluationResult::RequiresRegister { register, .. } => {
                    let value = self.register(register)?;
                    evaluation.resume_with_register(Value::Generic(value))
                }
                EvaluationResult::RequiresMemory { address, size, .. } => {
                    let word = (self.read)(address).ok_or("read_fault")?;
                    let unused = 64 - 8 * u32::from(size.clamp(1, 8));
                    evaluation.resume_with_memory(Value::Generic(word << unused >> unused))
                }
                _ => return Err("unsupported"),
            };
        }
        match evaluation.result().first().map(|piece| piece.location) {
            Some(Location::Address { address }) => Ok(address),
            _ => Err("unsupported"),
        }
    }

    fn register(&self, register: Register) -> Result<u64, &'static str> {
        let value = self.regs.get(usize::from(register.0)).copied();
        value.flatten().ok_or("register_unknown")
    }

    fn memory(&mut self, address: u64) -> Result<u64, &'static str> {
        (self.read)(address).ok_or("read_fault")
    }

    /// Makes it the caller's.
    fn step(
        &mut self,
        row: &UnwindTableRow<usize>,
        section: &EhFrame<Slice>,
        encoding: gimli::Encoding,
    ) -> Result<(), &'static str> {
        let cfa = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                self.register(*register)?.wrapping_add_signed(*offset)
            }
            CfaRule::Expression(expression) => {
                self.evaluate(expression, section, encoding, None)?
            }
        };
        let mut caller = self.regs;
        caller[RSP] = Some(cfa);
        caller[RIP] = None; // it is where the CFI says, or nowhere
        for index in 0..17 {
            let Some(rule) = row.register(Register(index)) else {
                continue; // no rule: what it was, but for the return address
            };
            let value = match rule {
                RegisterRule::Undefined if usize::from(index) == RIP => return Err("complete"),
                RegisterRule::Undefined => None,
                RegisterRule::SameValue => self.regs[usize::from(index)],
                RegisterRule::Offset(n) => Some(self.memory(cfa.wrapping_add_signed(n))?),
                RegisterRule::ValOffset(n) => Some(cfa.wrapping_add_signed(n)),
                RegisterRule::Register(other) => self.register(other).ok(),
                RegisterRule::Expression(e) => {
                    let address = self.evaluate(&e, section, encoding, Some(cfa))?;
                    Some(self.memory(address)?)
                }
                RegisterRule::ValExpression(e) => {
                    Some(self.evaluate(&e, section, encoding, Some(cfa))?)
                }
                _ => return Err("unsupported"),
            };
            caller[usize::from(index)] = value;
        }
        self.regs = caller;
        Ok(())
    }
}

impl Gimli {
    /// One frame. Ok: whether the frame was a signal's. Err: why there is no caller.
    fn step(&self, frame: &mut Frame, lookup: u64) -> Result<bool, &'static str> {
        let mapping = self
            .mappings
            .iter()
            .find(|m| (m.start..m.end).contains(&lookup));
        let mapping = mapping.ok_or("no_mapping")?;
        let image = mapping.image.as_ref().map(Rc::as_ref).ok_or("no_mapping")?;
        let (Some(frames), Some(header)) = (&image.eh_frame, &image.eh_frame_hdr) else {
            return Err("no_row");
        };
        let mut bases = BaseAddresses::default()
            .set_eh_frame(frames.range.start)
            .set_eh_frame_hdr(header.range.start);
        if let Some(text) = &image.text {
            bases = bases.set_text(text.range.start);
        }
        if let Some(got) = &image.got {
            bases = bases.set_got(got.range.start);
        }
        let section = EhFrame::new(&frames.data, LittleEndian);
        let header = EhFrameHdr::new(&header.data, LittleEndian)
            .parse(&bases, 8)
            .map_err(|_| "malformed")?;
        let vaddr = lookup.wrapping_sub(mapping.bias);
        let find = |section: &EhFrame<_>, bases: &_, offset| section.cie_from_offset(bases, offset);
        let fde = match header.table() {
            Some(table) => table.fde_for_address(&section, &bases, vaddr, find),
            None => section.fde_for_address(&bases, vaddr, find),
        };
        let fde = fde.map_err(|_| "no_row")?;
        let mut context = UnwindContext::new();
        let row = fde
            .unwind_info_for_address(&section, &bases, &mut context, vaddr)
            .map_err(|_| "no_row")?;
        frame.step(row, &section, fde.cie().encoding())?;
        Ok(fde.is_signal_trampoline())
    }
}

impl Engine for Gimli {
    fn mappings(&mut self, mappings: Vec<Mapping>) {
        self.mappings = mappings;
    }

    fn walk(&mut self, regs: &[u64; 17], read: &mut ReadWord) -> Stack {
        let mut pcs = vec![regs[RIP]];
        let mut frame = Frame {
            regs: regs.map(Some),
            read,
        };
        let mut exact = true; // the PC is where something goes on, not behind a call
        let stop = loop {
            let (pc, sp) = (pcs[pcs.len() - 1], frame.regs[RSP]);
            match self.step(&mut frame, pc.wrapping_sub(u64::from(!exact))) {
                Ok(signal) => exact = signal,
                Err(stop) => break stop,
            }
            match frame.regs[RIP] {
                None => break "register_unknown",
                Some(0) => break "zero_return",
                Some(next) if next == pc && frame.regs[RSP] <= sp => break "no_progress",
                Some(_) if pcs.len() == FRAMES_MAX => break "depth",
                Some(next) => pcs.push(next),
            }
        };
        Stack { stop, pcs }
    }
}

fn main() -> std::io::Result<()> {
    let mut gimli = Gimli {
        mappings: Vec::new(),
    };
    engines::serve("gimli 0.33.0", &mut gimli)
}
