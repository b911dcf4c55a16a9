//! Messages with number and string fields.

use crate::read::protobuf::{Fields, Malformed, Value};

/// The fields of a message, indexed by their number. If a field is repeated, this has the last one.
pub(super) struct Message<'a, const N: usize>([Option<Value<'a>>; N]);

impl<'a, const N: usize> Message<'a, N> {
    /// Reads the fields with numbers below `N`.
    pub(super) fn read(message: &'a [u8]) -> Result<Message<'a, N>, Malformed> {
        let mut fields = [None; N];
        for field in Fields::of(message) {
            let (number, value) = field?;
            if let Some(field) = usize::try_from(number).ok().and_then(|it| fields.get_mut(it)) {
                *field = Some(value);
            }
        }
        Ok(Message(fields))
    }

    /// The number in a field; `None` if the field is missing.
    pub(super) fn known(&self, field: usize) -> Option<u64> {
        self.0[field].map(Value::number)
    }

    /// The number in a field, or 0.
    pub(super) fn number(&self, field: usize) -> u64 {
        self.known(field).unwrap_or_default()
    }

    /// The number in a field, or 0; it may be negative.
    pub(super) fn signed(&self, field: usize) -> i64 {
        self.number(field).cast_signed()
    }

    /// The bytes in a field; empty if the field is missing.
    pub(super) fn bytes(&self, field: usize) -> &'a [u8] {
        self.0[field].map(Value::bytes).unwrap_or_default()
    }

    /// The message in a field; `None` if the field is missing.
    pub(super) fn message(&self, field: usize) -> Option<&'a [u8]> {
        match self.0[field] {
            Some(Value::Bytes(message)) => Some(message),
            Some(Value::Number(_)) | None => None,
        }
    }
}

/// The messages in all fields with this number.
pub(super) fn repeated(
    message: &[u8],
    wanted: u64,
) -> impl Iterator<Item = Result<&[u8], Malformed>> {
    Fields::of(message).filter_map(move |field| match field {
        Ok((number, value)) if number == wanted => Some(Ok(value.bytes())),
        Ok(_) => None,
        Err(malformed) => Some(Err(malformed)),
    })
}

/// The numbers in all fields with this number.
pub(super) fn numbers(message: &[u8], wanted: u64) -> Result<Vec<u64>, Malformed> {
    let mut numbers = Vec::new();
    for field in Fields::of(message) {
        let (number, value) = field?;
        if number == wanted {
            value.append_numbers(&mut numbers)?;
        }
    }
    Ok(numbers)
}
