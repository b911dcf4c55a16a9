//! Strings in JSON that hold any bytes.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

/// A string of any bytes, valid UTF-8 or not.
#[derive(Debug, Default)]
pub(crate) struct ByteString(pub(crate) Vec<u8>);

impl<'de> Deserialize<'de> for ByteString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ByteString, D::Error> {
        struct AnyBytes;

        impl Visitor<'_> for AnyBytes {
            type Value = ByteString;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<ByteString, E> {
                Ok(ByteString(bytes.to_vec()))
            }
        }

        deserializer.deserialize_bytes(AnyBytes)
    }
}
