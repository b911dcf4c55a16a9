//! What Unix has: modes and owners of files, and signals.

use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

use nix::sys::signal::SigSet;
use tempfile::Builder;

/// Gives new files the usual mode: what the user's umask leaves of 0666.
pub(super) fn set_usual_mode(builder: &mut Builder<'_, '_>) {
    builder.permissions(Permissions::from_mode(0o666));
}

/// Gives `file` the owner and the mode of `old`.
///
/// # Errors
///
/// The error of the system, such as that only root may do this.
pub(super) fn take_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
        fchown(file, Some(old.uid()), Some(old.gid()))?;
    }
    file.set_permissions(old.permissions())
}

/// Delays signals while it lives: one that ends the tool does so when the temporary file is gone.
/// Signals that are ignored, as by nohup, stay ignored.
pub(super) struct SignalsWait {
    before: SigSet,
}

impl SignalsWait {
    pub(super) fn start() -> io::Result<SignalsWait> {
        let before = SigSet::thread_get_mask()?;
        SigSet::all().thread_block()?;
        Ok(SignalsWait { before })
    }
}

impl Drop for SignalsWait {
    fn drop(&mut self) {
        // The mask is one that the system gave us.
        let _ = self.before.thread_set_mask();
    }
}
