//! One row of the table that CFI describes: it says where the caller's registers are.

use gimli::{CfaRule, RegisterRule, UnwindTableRow};

use crate::unwind::cfi::{FunctionCfi, RowMemory};
use crate::unwind::dump::{End, StackDump};
use crate::unwind::expression::Expression;
use crate::unwind::machine::{Machine, Register, Registers};
use crate::unwind::stack_use::{KEPT, Kept, StackState};

/// Where the caller's registers are, for some addresses of code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallerRow<'f> {
    cfa: Cfa<'f>,
    /// The register in which the caller's program counter is.
    return_address: Register,
    /// Whether a signal handler returns here: the "caller" was then interrupted.
    is_signal_frame: bool,
    /// The registers that have a rule, and their rules.
    rules: Box<[(Register, Rule<'f>)]>,
}

/// The canonical frame address: the stack pointer of the caller at its call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Cfa<'f> {
    Register(Register, u64),
    Expression(Expression<'f>),
}

/// How the caller's value of a register is found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Rule<'f> {
    /// It is lost.
    Undefined,
    /// At this distance from the CFA.
    Saved(u64),
    /// The CFA plus this.
    CfaPlus(u64),
    Register(Register),
    /// At the address that this expression computes.
    SavedAt(Expression<'f>),
    /// The value that this expression computes.
    Value(Expression<'f>),
}

impl<'f> CallerRow<'f> {
    /// Converts a row that gimli read in the CFI of a function. `None` if it cannot be used.
    pub(crate) fn new(
        row: &UnwindTableRow<usize, RowMemory>,
        function: &FunctionCfi<'f>,
    ) -> Option<CallerRow<'f>> {
        let cfa = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                Cfa::Register(Register::try_from(register.0).ok()?, offset.cast_unsigned())
            }
            CfaRule::Expression(expression) => Cfa::Expression(function.expression(*expression)?),
        };
        let mut rules = Vec::new();
        for (register, rule) in row.registers() {
            // Registers of floating point are left out: no caller is found by them.
            if let Ok(register) = Register::try_from(register.0)
                && register < Registers::COUNT
                && let Some(rule) = Rule::new(rule, function)
            {
                rules.push((register, rule));
            }
        }
        rules.sort_unstable_by_key(|(register, _)| *register);
        let return_address = Register::try_from(function.return_address().0).ok()?;
        let is_signal_frame = function.is_signal_frame();
        Some(CallerRow { cfa, return_address, is_signal_frame, rules: rules.into() })
    }

    /// The row for a state of the stack in code of x86-64 without CFI. `None` if the CFA is unknown.
    pub(crate) fn of_stack(state: &StackState) -> Option<CallerRow<'f>> {
        let (sp, fp) = (Machine::X86_64.sp(), Machine::X86_64.fp());
        let of_sp = state.depth.map(|depth| (sp, depth));
        let (register, distance) = of_sp.or(state.frame.map(|frame| (fp, frame)))?;
        let saved = |distance: i64| Rule::Saved(distance.wrapping_neg().cast_unsigned());
        let mut rules = vec![(Machine::X86_64.pc(), saved(8))];
        rules.extend(KEPT.into_iter().zip(state.kept).filter_map(|(register, kept)| match kept {
            Kept::InRegister => None,
            Kept::Below(distance) => Some((register, saved(distance))),
            Kept::Lost => Some((register, Rule::Undefined)),
        }));
        rules.sort_unstable_by_key(|(register, _)| *register);
        let cfa = Cfa::Register(register, distance.cast_unsigned());
        let return_address = Machine::X86_64.pc();
        Some(CallerRow { cfa, return_address, is_signal_frame: false, rules: rules.into() })
    }

    /// The register in which the caller's program counter is.
    pub(crate) fn return_address(&self) -> Register {
        self.return_address
    }

    /// Whether the "caller" was interrupted by a signal.
    pub(crate) fn is_signal_frame(&self) -> bool {
        self.is_signal_frame
    }

    /// Whether the row says where `register` is; if not, the register still has its value.
    pub(crate) fn has_rule(&self, register: Register) -> bool {
        self.rules.iter().any(|(other, _)| *other == register)
    }

    /// How far the CFA is from the stack pointer, in bytes.
    pub(crate) fn frame_size(
        &self,
        callee: &Registers,
        machine: Machine,
        stack: &StackDump<'_>,
    ) -> Option<u64> {
        self.cfa(callee, stack).ok()?.checked_sub(callee.get(machine.sp())?)
    }

    fn cfa(&self, callee: &Registers, stack: &StackDump<'_>) -> Result<u64, End> {
        match &self.cfa {
            Cfa::Register(register, offset) => {
                Ok(callee.get(*register).ok_or(End::Lost)?.wrapping_add(*offset))
            }
            Cfa::Expression(expression) => expression.evaluate(None, callee, stack),
        }
    }

    /// The caller's registers. A register that was not saved, or cannot be read, is unknown.
    ///
    /// # Errors
    ///
    /// Why the caller's stack pointer or the return address is not known.
    pub(crate) fn caller(
        &self,
        callee: &Registers,
        machine: Machine,
        stack: &StackDump<'_>,
    ) -> Result<Registers, End> {
        let cfa = self.cfa(callee, stack)?;
        let mut caller = callee.clone();
        caller.set(machine.sp(), cfa);
        for (register, rule) in &self.rules {
            match rule.value(*register, cfa, callee, machine, stack) {
                Ok(Some(value)) => caller.set(*register, value),
                Err(end) if *register == self.return_address => return Err(end),
                Ok(None) | Err(_) => caller.forget(*register),
            }
        }
        Ok(caller)
    }
}

impl<'f> Rule<'f> {
    fn new(rule: &RegisterRule<usize>, function: &FunctionCfi<'f>) -> Option<Rule<'f>> {
        Some(match rule {
            RegisterRule::Undefined => Rule::Undefined,
            RegisterRule::Offset(offset) => Rule::Saved(offset.cast_unsigned()),
            RegisterRule::ValOffset(offset) => Rule::CfaPlus(offset.cast_unsigned()),
            RegisterRule::Register(other) => Rule::Register(Register::try_from(other.0).ok()?),
            RegisterRule::Expression(expression) => {
                Rule::SavedAt(function.expression(*expression)?)
            }
            RegisterRule::ValExpression(expression) => {
                Rule::Value(function.expression(*expression)?)
            }
            // A register without a rule keeps its value, too.
            RegisterRule::SameValue | RegisterRule::Architectural | RegisterRule::Constant(_) => {
                return None;
            }
        })
    }

    /// The caller's value of `register`, `None` if it is unknown.
    fn value(
        &self,
        register: Register,
        cfa: u64,
        callee: &Registers,
        machine: Machine,
        stack: &StackDump<'_>,
    ) -> Result<Option<u64>, End> {
        let known = |register| callee.get(register).ok_or(End::Lost);
        // At the end of a function, what it has popped is below the stack pointer, and back in its
        // register.
        let is_popped = |address| {
            register != machine.pc() && callee.get(machine.sp()).is_some_and(|sp| address < sp)
        };
        match self {
            Rule::Undefined => return Ok(None),
            Rule::Saved(offset) => match cfa.wrapping_add(*offset) {
                address if is_popped(address) => known(register),
                address => stack.read(address),
            },
            Rule::CfaPlus(offset) => Ok(cfa.wrapping_add(*offset)),
            Rule::Register(other) => known(*other),
            Rule::SavedAt(expression) => {
                stack.read(expression.evaluate(Some(cfa), callee, stack)?)
            }
            Rule::Value(expression) => expression.evaluate(Some(cfa), callee, stack),
        }
        .map(Some)
    }
}
