//! The sections of an object file that the caller provides.

/// What unwinding needs from an object file and from the file with its debug information. Addresses
/// are those in the file, as its symbols have them.
///
/// The bytes live as long as the [`Unwinder`](crate::Unwinder).
#[derive(Clone, Debug, Default)]
pub struct UnwindSections<'f> {
    /// The segments that are loaded (`PT_LOAD`): those with code first, as the pages of other
    /// segments may have the same offsets.
    pub segments: Vec<LoadedSegment<'f>>,
    /// The address and the bytes of `.eh_frame`. Not needed if there is a header.
    pub eh_frame: Option<(u64, &'f [u8])>,
    /// The address and the bytes of `.eh_frame_hdr` (`PT_GNU_EH_FRAME`).
    pub eh_frame_header: Option<(u64, &'f [u8])>,
    /// `.debug_frame`, decompressed: of the file itself and of its debug file.
    pub debug_frames: Vec<&'f [u8]>,
    /// The address of `.text`, to which CFI may refer; 0 if there is none.
    pub text: u64,
    /// The address of `.got`, to which CFI may refer; 0 if there is none.
    pub got: u64,
    /// Whether all of its code keeps frame pointers, as Go's does.
    pub keeps_frame_pointers: bool,
}

/// A function of an object file, as its symbols have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnwindFunction<'f> {
    /// The address of its first byte.
    pub start: u64,
    /// The address after its last byte.
    pub end: u64,
    /// Not demangled.
    pub name: &'f [u8],
}

/// A function that a process made while it ran, as the process described it for profilers: in
/// `/tmp/perf-PID.map`, or in a jitdump (tools/perf/Documentation/jitdump-specification.txt of
/// Linux).
#[derive(Clone, Debug, Default)]
pub struct MadeFunction<'f> {
    /// `py::work:/home/me/app.py`
    pub name: Vec<u8>,
    /// How far from its start the address is that was asked for, in bytes.
    pub offset: u64,
    /// In bytes.
    pub size: u64,
    /// The call frame information of a jitdump, if it has some: a section `.eh_frame`, at the next
    /// multiple of 8 bytes after the code.
    pub eh_frame: Option<&'f [u8]>,
}

/// A part of an object file that is loaded.
#[derive(Clone, Copy, Debug)]
pub struct LoadedSegment<'f> {
    /// Where it is in the file, in bytes.
    pub offset: u64,
    /// Its address in memory, as the file has it.
    pub address: u64,
    /// Its bytes in the file.
    pub bytes: &'f [u8],
}

impl<'f> UnwindSections<'f> {
    /// The address of the byte at `offset` in the file.
    ///
    /// Only the segments can be used for this: their pages may overlap in the file, so a map's
    /// offset may differ from that of its segment.
    pub(crate) fn address_at(&self, offset: u64) -> Option<u64> {
        self.segments.iter().find_map(|segment| {
            let within = offset.checked_sub(segment.offset)?;
            (within < segment.bytes.len() as u64).then(|| segment.address.wrapping_add(within))
        })
    }

    /// The loaded bytes from `address` to the end of its segment.
    pub(crate) fn bytes_at(&self, address: u64) -> Option<&'f [u8]> {
        self.segments.iter().find_map(|segment| {
            let within = address.checked_sub(segment.address)?;
            segment.bytes.get(usize::try_from(within).ok()?..)
        })
    }
}

/// Provides the sections of object files: for unwinding the copies of stacks that perf recorded,
/// and for finding out where a call chain goes through a signal handler.
///
/// `O` is how the caller identifies an object, see [`Processes`](crate::Processes). `()` has no
/// files.
pub trait UnwindFiles<'f, O> {
    /// The sections of an object; `None` if it is not a file, such as code that was made while the
    /// program ran, or if it was not found. Then every address of a call chain but the first is
    /// taken for a return address.
    ///
    /// An [`Unwinder`](crate::Unwinder) asks once for each object whose code is on a stack.
    fn sections(&mut self, object: O) -> Option<UnwindSections<'f>>;

    /// The function at an address, as the file has it: its callers are found by its instructions
    /// where there is no CFI, and it has none if it is a root. `None` if that is not known.
    fn function(&mut self, object: O, address: u64) -> Option<UnwindFunction<'f>> {
        let _ = (object, address);
        None
    }

    /// For an object that has no sections: where its code at an address in memory is kept, as an
    /// object and an offset in it, at the time of the sample. The process may have replaced the code
    /// that was there earlier. `None` if it is a file that was not found: then the caller of its
    /// code is unknown. Else frame pointers lead to it, unless
    /// [`made_function`](UnwindFiles::made_function) knows more.
    fn place_of_made(&mut self, object: O, address: u64) -> Option<(O, u64)> {
        Some((object, address))
    }

    /// The function at a place that [`place_of_made`](UnwindFiles::place_of_made) returned; `None`
    /// if it is not known yet.
    fn made_function(&mut self, place: (O, u64)) -> Option<MadeFunction<'f>> {
        let _ = place;
        None
    }
}

impl<O> UnwindFiles<'_, O> for () {
    fn sections(&mut self, _object: O) -> Option<UnwindSections<'static>> {
        None
    }
}
