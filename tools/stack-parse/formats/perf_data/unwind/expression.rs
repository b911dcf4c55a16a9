//! DWARF expressions: small programs that compute an address or a value, as
//! entries of the PLT and signal handlers have them.

use gimli::{
    Encoding, EndianSlice, Evaluation, EvaluationResult, EvaluationStorage, Location, Piece, Value,
};

use super::End;
use super::machine::{Register, Registers};
use super::stack::Stack;

type Bytes = EndianSlice<'static, gimli::LittleEndian>;

/// More steps than any real expression takes; a damaged one may never end.
const MOST_STEPS: u32 = 1000;

/// A DWARF expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Expression {
    pub(super) code: &'static [u8],
    pub(super) encoding: Encoding,
}

/// Room for evaluation, so that it allocates nothing.
struct Room;

impl EvaluationStorage<Bytes> for Room {
    type Stack = [Value; 32];
    type ExpressionStack = [(Bytes, Bytes); 1];
    type Result = [Piece<Bytes>; 1];
}

impl Expression {
    /// The address or value that it yields; `cfa` is what it starts with, if anything.
    pub(super) fn evaluate(
        &self,
        cfa: Option<u64>,
        registers: &Registers,
        stack: &Stack<'_>,
    ) -> Result<u64, End> {
        let code = EndianSlice::new(self.code, gimli::LittleEndian);
        let mut evaluation = Evaluation::<_, Room>::new_in(code, self.encoding);
        evaluation.set_max_iterations(MOST_STEPS);
        if let Some(cfa) = cfa {
            evaluation.set_initial_value(cfa);
        }
        let damaged = |_| End::Lost;
        let mut state = evaluation.evaluate().map_err(damaged)?;
        loop {
            state = match state {
                EvaluationResult::Complete => break,
                EvaluationResult::RequiresRegister { register, .. } => {
                    let register = Register::try_from(register.0).map_err(|_| End::Lost)?;
                    let value = registers.get(register).ok_or(End::Lost)?;
                    evaluation.resume_with_register(Value::Generic(value)).map_err(damaged)?
                }
                EvaluationResult::RequiresMemory { address, size, .. } => {
                    let value = stack.read(address)?;
                    let unused = 64 - 8 * u32::from(size.clamp(1, 8));
                    let value = Value::Generic(value << unused >> unused);
                    evaluation.resume_with_memory(value).map_err(damaged)?
                }
                _ => return Err(End::Lost),
            }
        }
        match evaluation.as_result() {
            [Piece { location: Location::Address { address }, .. }] => Ok(*address),
            [Piece { location: Location::Value { value }, .. }] => {
                value.to_u64(u64::MAX).map_err(damaged)
            }
            _ => Err(End::Lost),
        }
    }
}
