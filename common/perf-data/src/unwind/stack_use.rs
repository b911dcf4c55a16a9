//! What code without CFI does to the stack, read from its instructions: musl, assembly, and what
//! `gcc -fno-asynchronous-unwind-tables` compiles.
//!
//! The instructions of a function are followed from its start along all branches:
//!
//! ```text
//! push %rbx         CFA = rsp + 16, the caller's rbx is at CFA - 16
//! sub  $32, %rsp    CFA = rsp + 48
//! call f
//! add  $32, %rsp    CFA = rsp + 16
//! pop  %rbx         CFA = rsp + 8
//! ret
//! ```
//!
//! A function that returns from another depth than it was called at does what is not understood
//! here, and nothing is known of it. Nor is of one that jumps elsewhere, never returns and keeps no
//! frame pointer: other code may jump to it, as in interpreters and in what GHC compiles.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use iced_x86::{
    Code, Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register,
};

/// The longest function that is followed, in bytes. Interpreters have functions of 100 kB.
const LONGEST: usize = 1 << 20;

/// The registers that a function leaves as they were, by their DWARF numbers: rbx, rbp, r12 to r15.
pub(crate) const KEPT: [u8; 6] = [3, 6, 12, 13, 14, 15];

/// The same registers for the decoder.
const REGISTERS: [Register; KEPT.len()] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// The index of the frame pointer in [`KEPT`].
const FRAME_POINTER: usize = 1;

/// Where the caller's value of a register is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Still in the register.
    InRegister,
    /// In memory, so many bytes below the CFA.
    Below(i64),
    Lost,
}

/// The stack before an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StackState {
    /// How many bytes the stack pointer is below the CFA, which is the stack pointer before the
    /// call; `None` if that is unknown.
    pub(crate) depth: Option<i64>,
    /// The same for the frame pointer, if it points into the stack.
    pub(crate) frame: Option<i64>,
    /// Where the caller's values of the registers [`KEPT`] are.
    pub(crate) kept: [Kept; KEPT.len()],
}

/// What a function does to the stack: its instructions that can be reached, by their offsets in
/// bytes; none if the function is not understood.
#[derive(Debug, Default)]
pub(crate) struct StackUse(BTreeMap<usize, Reached>);

/// An instruction that can be reached.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// In bytes.
    length: usize,
    before: StackState,
}

impl StackUse {
    /// The state before the instruction that the byte at `offset` is in.
    pub(crate) fn before(&self, offset: usize) -> Option<&StackState> {
        let (start, reached) = self.0.range(..=offset).next_back()?;
        (offset - start < reached.length).then_some(&reached.before)
    }
}

/// Follows the instructions of a function. `code` are the bytes from its start to its end, and
/// `address` is where it starts.
pub(crate) fn follow(code: &[u8], address: u64) -> StackUse {
    let mut follower = Follower {
        code,
        address,
        reached: BTreeMap::new(),
        left: vec![(0, StackState::AT_START)],
        after_calls: Vec::new(),
        at_tables: Vec::new(),
        known_to: 0,
        has_return: false,
        leaves: false,
    };
    let is_understood = code.len() <= LONGEST && follower.run().is_some();
    let keeps_frame = |reached: &Reached| reached.before.frame == Some(16);
    let is_function =
        follower.has_return || !follower.leaves || follower.reached.values().any(keeps_frame);
    if is_understood && is_function { StackUse(follower.reached) } else { StackUse::default() }
}

struct Follower<'a> {
    code: &'a [u8],
    address: u64,
    reached: BTreeMap<usize, Reached>,
    /// The instructions to go on from, and the states there.
    left: Vec<(usize, StackState)>,
    /// The same after calls, which may never return.
    after_calls: Vec<(usize, StackState)>,
    /// The states at jumps through tables.
    at_tables: Vec<StackState>,
    /// All code up to here was reached, in bytes from the start.
    known_to: usize,
    has_return: bool,
    /// Whether it jumps to other functions, or may do so.
    leaves: bool,
}

impl Follower<'_> {
    /// `None` if the function does what is not understood.
    fn run(&mut self) -> Option<()> {
        loop {
            while let Some((offset, state)) = self.left.pop() {
                self.reach(offset, state)?;
            }
            let Some((offset, state)) = self.after_calls.pop() else {
                let Some(target) = self.target_of_table() else { return Some(()) };
                self.left.push(target);
                continue;
            };
            // If a branch leads there from another depth, this call never returns.
            if !self.contradicts(offset, state) {
                self.left.push((offset, state));
            }
        }
    }

    /// Whether other code leads to `offset` with another depth.
    fn contradicts(&self, offset: usize, state: StackState) -> bool {
        self.reached.get(&offset).is_some_and(|known| known.before.depth != state.depth)
    }

    /// Follows the instruction at `offset`, unless that brings nothing new.
    fn reach(&mut self, offset: usize, state: StackState) -> Option<()> {
        let known = self.reached.get(&offset).map(|reached| reached.before);
        let joined = known.map_or(state, |known| known.joined(state));
        if known == Some(joined) {
            return Some(());
        }
        let instruction = self.decode(offset)?;
        self.reached.insert(offset, Reached { length: instruction.len(), before: joined });
        let next = offset + instruction.len();
        let is_branch = instruction.op0_kind() == OpKind::NearBranch64;
        match instruction.mnemonic() {
            Mnemonic::Ret => {
                self.has_return = true;
                return joined.depth.is_none_or(|depth| depth == 8).then_some(());
            }
            Mnemonic::Ud2 | Mnemonic::Hlt | Mnemonic::Int3 => return Some(()),
            Mnemonic::Jmp if !is_branch => {
                self.leaves = true;
                self.at_tables.push(joined);
                return Some(());
            }
            // The address of the next instruction is pushed, for code that may be anywhere.
            Mnemonic::Call
                if instruction.near_branch64() == self.address.wrapping_add(next as u64) =>
            {
                self.go_on(next, joined.pushed(8));
            }
            Mnemonic::Call if next < self.code.len() => self.after_calls.push((next, joined)),
            // The code of a call that does not return may be the last.
            Mnemonic::Call => {}
            mnemonic if is_branch => {
                let target = instruction.near_branch64().wrapping_sub(self.address);
                match usize::try_from(target) {
                    Ok(target) if target < self.code.len() => self.left.push((target, joined)),
                    _ => self.leaves = true,
                }
                if mnemonic != Mnemonic::Jmp {
                    self.go_on(next, joined);
                }
            }
            _ => self.go_on(next, joined.after(&instruction)),
        }
        Some(())
    }

    fn go_on(&mut self, next: usize, state: StackState) {
        if next < self.code.len() {
            self.left.push((next, state));
        }
    }

    fn decode(&self, offset: usize) -> Option<Instruction> {
        let address = self.address.wrapping_add(offset as u64);
        let code = &self.code[offset..];
        let instruction = Decoder::with_ip(64, code, address, DecoderOptions::NONE).decode();
        (instruction.code() != Code::INVALID).then_some(instruction)
    }

    /// The next code that was not reached and that follows other code: a jump through a table may
    /// lead there, if all such jumps have one state.
    fn target_of_table(&mut self) -> Option<(usize, StackState)> {
        let state = *self.at_tables.first()?;
        if self.at_tables.iter().any(|other| *other != state) {
            return None;
        }
        while let Some((_, reached)) =
            self.reached.range(self.known_to..).next().filter(|(start, _)| **start == self.known_to)
        {
            self.known_to += reached.length;
        }
        (self.known_to < self.code.len()).then_some((self.known_to, state))
    }
}

impl StackState {
    /// After a call: the return address is on the stack.
    const AT_START: StackState =
        StackState { depth: Some(8), frame: None, kept: [Kept::InRegister; KEPT.len()] };

    /// What holds wherever the code came from.
    fn joined(self, other: StackState) -> StackState {
        let same = |a: Option<i64>, b| a.filter(|_| a == b);
        let kept = std::array::from_fn(|index| match (self.kept[index], other.kept[index]) {
            (a, b) if a == b => a,
            _ => Kept::Lost,
        });
        let (depth, frame) = (same(self.depth, other.depth), same(self.frame, other.frame));
        StackState { depth, frame, kept }
    }

    fn pushed(self, bytes: i64) -> StackState {
        self.with_depth(self.depth.map(|depth| depth + bytes))
    }

    /// What is below the stack pointer is lost.
    fn with_depth(mut self, depth: Option<i64>) -> StackState {
        self.depth = depth;
        if let Some(depth) = depth {
            for kept in &mut self.kept {
                if matches!(kept, Kept::Below(slot) if *slot > depth) {
                    *kept = Kept::Lost;
                }
            }
        }
        self
    }

    /// The state after an instruction that does not branch.
    fn after(mut self, instruction: &Instruction) -> StackState {
        let is_register = |operand| instruction.op_kind(operand) == OpKind::Register;
        let target = is_register(0).then(|| instruction.op0_register().full_register());
        match (instruction.mnemonic(), target) {
            (Mnemonic::Push, _) => {
                self = self.pushed(pushed_bytes(instruction));
                if let (Some(register), Some(depth)) = (target, self.depth) {
                    self.save(register, depth);
                }
            }
            (Mnemonic::Pop, _) => {
                if let Some(register) = target {
                    self.load(register, self.depth);
                }
                if target == Some(Register::RSP) {
                    return self.with_depth(None);
                }
                self = self.pushed(-pushed_bytes(instruction));
            }
            (Mnemonic::Leave, _) => {
                self.depth = self.frame;
                self.load(Register::RBP, self.depth);
                self = self.pushed(-8);
            }
            (
                Mnemonic::Sub | Mnemonic::Add | Mnemonic::Lea | Mnemonic::Mov,
                Some(Register::RSP),
            ) => {
                self = self.with_depth(self.new_depth(instruction));
            }
            (Mnemonic::Mov, None) if is_register(1) => {
                if let Some(slot) = self.place(instruction) {
                    self.save(instruction.op1_register(), slot);
                }
            }
            (Mnemonic::Mov, Some(register)) => {
                let is_of_stack = is_register(1) && instruction.op1_register() == Register::RSP;
                let frame = self.depth.filter(|_| is_of_stack && register == Register::RBP);
                self.load(register, self.place(instruction));
                self.frame = frame.or(self.frame);
            }
            (Mnemonic::Lea, Some(Register::RBP)) => {
                let place = self.place(instruction);
                self.load(Register::RBP, None);
                self.frame = place;
            }
            _ => self.overwrite(instruction),
        }
        self
    }

    /// Forgets the registers that an instruction writes.
    fn overwrite(&mut self, instruction: &Instruction) {
        for used in InstructionInfoFactory::new().info(instruction).used_registers() {
            let is_written = !matches!(used.access(), OpAccess::Read | OpAccess::CondRead);
            match used.register().full_register() {
                _ if !is_written => {}
                Register::RSP => *self = self.with_depth(None),
                register => self.load(register, None),
            }
        }
    }

    /// The depth after an instruction that sets the stack pointer.
    fn new_depth(&self, instruction: &Instruction) -> Option<i64> {
        let is_number = !matches!(instruction.op1_kind(), OpKind::Register | OpKind::Memory);
        let number = || is_number.then(|| instruction.immediate(1).cast_signed());
        match instruction.mnemonic() {
            Mnemonic::Sub => self.depth?.checked_add(number()?),
            Mnemonic::Add => self.depth?.checked_sub(number()?),
            Mnemonic::Lea => self.place(instruction),
            Mnemonic::Mov if instruction.op1_kind() == OpKind::Register => {
                self.frame.filter(|_| instruction.op1_register() == Register::RBP)
            }
            _ => None,
        }
    }

    /// How many bytes the memory operand is below the CFA, if it is on the stack.
    fn place(&self, instruction: &Instruction) -> Option<i64> {
        let is_memory = (0..instruction.op_count())
            .any(|operand| instruction.op_kind(operand) == OpKind::Memory);
        let base = match instruction.memory_base() {
            Register::RSP => self.depth,
            Register::RBP => self.frame,
            _ => None,
        };
        let is_plain = is_memory && instruction.memory_index() == Register::None;
        base.filter(|_| is_plain)?.checked_sub(instruction.memory_displacement64().cast_signed())
    }

    /// The register is stored in memory.
    fn save(&mut self, register: Register, slot: i64) {
        if let Some(index) = index(register)
            && self.kept[index] == Kept::InRegister
        {
            self.kept[index] = Kept::Below(slot);
        }
    }

    /// The register gets a new value: that of a place on the stack, or an unknown one.
    fn load(&mut self, register: Register, slot: Option<i64>) {
        let Some(index) = index(register) else { return };
        if index == FRAME_POINTER {
            self.frame = None;
        }
        self.kept[index] = match self.kept[index] {
            Kept::Below(saved) if slot == Some(saved) => Kept::InRegister,
            Kept::Below(saved) => Kept::Below(saved),
            Kept::InRegister | Kept::Lost => Kept::Lost,
        };
    }
}

/// How many bytes an instruction pushes or pops.
fn pushed_bytes(instruction: &Instruction) -> i64 {
    let is_short = |operand: Register| operand.size() == 2;
    let is_register = instruction.op0_kind() == OpKind::Register;
    if is_register && is_short(instruction.op0_register()) { 2 } else { 8 }
}

fn index(register: Register) -> Option<usize> {
    REGISTERS.iter().position(|kept| *kept == register.full_register())
}
