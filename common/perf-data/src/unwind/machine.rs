//! Registers, by the numbers that DWARF gives them.

/// The machines whose programs can be unwound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Machine {
    X86_64,
    Aarch64,
}

/// A register, by its DWARF number.
pub(crate) type Register = u8;

/// The bits of a user's address on AArch64; above them the processor may have
/// put a signature of the return address.
const AARCH64_ADDRESS: u64 = (1 << 48) - 1;

impl Machine {
    /// The machine with this name in `uname -m`.
    pub(crate) fn of_name(name: &[u8]) -> Option<Machine> {
        match name {
            b"x86_64" => Some(Machine::X86_64),
            b"aarch64" | b"arm64" => Some(Machine::Aarch64),
            _ => None,
        }
    }

    /// The program counter. On x86-64 DWARF's number 16 is the return address,
    /// which is the caller's program counter.
    pub(crate) fn pc(self) -> Register {
        match self {
            Machine::X86_64 => 16,
            Machine::Aarch64 => 32,
        }
    }

    /// The stack pointer.
    pub(crate) fn sp(self) -> Register {
        match self {
            Machine::X86_64 => 7,
            Machine::Aarch64 => 31,
        }
    }

    /// The frame pointer.
    pub(crate) fn fp(self) -> Register {
        match self {
            Machine::X86_64 => 6,
            Machine::Aarch64 => 29,
        }
    }

    /// A return address without its signature (pointer authentication).
    pub(crate) fn without_signature(self, address: u64) -> u64 {
        match self {
            Machine::X86_64 => address,
            Machine::Aarch64 => address & AARCH64_ADDRESS,
        }
    }

    /// The register that has this bit in a sample's mask: `enum perf_event_x86_regs` and
    /// `enum perf_event_arm_regs`. `None` for registers that are not needed to find a caller, such
    /// as the flags.
    fn of_perf(self, bit: u32) -> Option<Register> {
        // ax, bx, cx, dx, si, di, bp, sp, ip
        const X86_64: [Register; 9] = [0, 3, 2, 1, 4, 5, 6, 7, 16];
        match (self, bit) {
            (Machine::X86_64, 0..=8) => Some(X86_64[bit as usize]),
            // r8 to r15 come after the flags and the segments.
            (Machine::X86_64, 16..=23) => Some(bit as Register - 8),
            // x0 to x30, sp and pc
            (Machine::Aarch64, 0..=32) => Some(bit as Register),
            _ => None,
        }
    }
}

/// The values of the registers that are known.
#[derive(Clone, Debug)]
pub(crate) struct Registers {
    values: [u64; Registers::COUNT as usize],
    /// A bit for each.
    known: u64,
}

impl Registers {
    /// How many registers the machine with the most has.
    pub(crate) const COUNT: Register = 33;

    /// No register is known.
    pub(crate) fn none() -> Registers {
        Registers { values: [0; Registers::COUNT as usize], known: 0 }
    }

    /// The registers of a sample, whose values are in the order of the bits in `mask`. `None` if
    /// some are missing: values, the program counter or the stack pointer.
    ///
    /// They must be those of a 64-bit program.
    pub(crate) fn from_perf(
        machine: Machine,
        mask: u64,
        mut values: impl Iterator<Item = u64>,
    ) -> Option<Registers> {
        let mut registers = Registers::none();
        for bit in (0..64).filter(|bit| mask >> bit & 1 != 0) {
            let value = values.next()?;
            if let Some(register) = machine.of_perf(bit) {
                registers.set(register, value);
            }
        }
        let is_known = |register| registers.get(register).is_some();
        (is_known(machine.pc()) && is_known(machine.sp())).then_some(registers)
    }

    pub(crate) fn get(&self, register: Register) -> Option<u64> {
        let is_known = register < 64 && self.known >> register & 1 != 0;
        is_known.then(|| self.values[usize::from(register)])
    }

    /// Sets a register, if it is one of those that are kept.
    pub(crate) fn set(&mut self, register: Register, value: u64) {
        if let Some(known) = self.values.get_mut(usize::from(register)) {
            *known = value;
            self.known |= 1 << register;
        }
    }

    pub(crate) fn forget(&mut self, register: Register) {
        if register < Registers::COUNT {
            self.known &= !(1 << register);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perf_and_dwarf_number_registers_differently() {
        // The registers that perf asks for on x86-64: all but ds, es, fs and gs.
        let mask = 0xff_0fff;
        let registers = Registers::from_perf(Machine::X86_64, mask, 100..).expect("all");
        let dwarf: Vec<_> = (0..17).map(|register| registers.get(register)).collect();
        let perf = [100, 103, 102, 101, 104, 105, 106, 107]
            .into_iter()
            .chain(112..120)
            .chain([108])
            .map(Some);
        assert_eq!(dwarf, perf.collect::<Vec<_>>());
        let registers = Registers::from_perf(Machine::Aarch64, (1 << 33) - 1, 100..).expect("all");
        assert!((0..33).all(|register| registers.get(register) == Some(100 + u64::from(register))));
    }

    #[test]
    fn values_may_be_missing() {
        let x86 = |mask, values: &[u64]| {
            Registers::from_perf(Machine::X86_64, mask, values.iter().copied()).is_some()
        };
        assert!(x86(0x180, &[1, 2]));
        assert!(!x86(0x180, &[1]));
        assert!(!x86(0x100, &[1]), "no stack pointer");
        assert!(!x86(0x80, &[1]), "no program counter");
    }
}
