//! DWARF expressions: small programs that compute an address or a value. Entries of the PLT and
//! signal handlers have them in their CFI.

use gimli::{
    Encoding, EndianSlice, Evaluation, EvaluationResult, EvaluationStorage, Location, Piece, Value,
};

use crate::unwind::dump::{End, StackDump};
use crate::unwind::machine::{Register, Registers};

type ExpressionBytes<'f> = EndianSlice<'f, gimli::LittleEndian>;

/// More steps than any real expression takes; a damaged one may never end.
const MOST_STEPS: u32 = 1000;

/// A DWARF expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Expression<'f> {
    pub(crate) code: &'f [u8],
    pub(crate) encoding: Encoding,
}

/// Memory for evaluation, so that nothing is allocated.
struct Room;

impl<'f> EvaluationStorage<ExpressionBytes<'f>> for Room {
    type Stack = [Value; 32];
    type ExpressionStack = [(ExpressionBytes<'f>, ExpressionBytes<'f>); 1];
    type Result = [Piece<ExpressionBytes<'f>>; 1];
}

impl Expression<'_> {
    /// The address or value that it computes; `cfa` is the value that it starts with, if any.
    pub(crate) fn evaluate(
        &self,
        cfa: Option<u64>,
        registers: &Registers,
        stack: &StackDump<'_>,
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
