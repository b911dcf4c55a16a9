//! A function that a process made while it ran, as unwinders need it.

/// A function that a process made while it ran, as its jitdump or its `/tmp/perf-PID.map` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeFunction {
    /// `py::work:/home/me/app.py`
    pub name: Vec<u8>,
    /// How far from its start the address is that was asked for, in bytes.
    pub offset: u64,
    /// In bytes.
    pub size: u64,
    /// The call frame information that a jitdump has for it: a section `.eh_frame`, at the next
    /// multiple of 8 bytes after the code.
    pub eh_frame: Option<&'static [u8]>,
}
