//! Windows has neither modes nor signals, and a new file gets the rights of its folder.

use std::fs::{File, Metadata};
use std::io;

use tempfile::Builder;

pub(super) fn set_usual_mode(_: &mut Builder<'_, '_>) {}

pub(super) fn take_owner_and_mode(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

pub(super) struct SignalsWait;

impl SignalsWait {
    pub(super) fn start() -> io::Result<SignalsWait> {
        Ok(SignalsWait)
    }
}
