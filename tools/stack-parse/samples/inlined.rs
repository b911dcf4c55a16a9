//! How many inlined frames the samples of an input may name.

/// Limits how many inlined frames samples may name. A location takes a byte or two in a sample, but
/// may name any number of inlined functions. No real profile has many for each of its bytes, but a
/// hostile one of some kilobytes could ask for gigabytes.
#[derive(Debug)]
pub(crate) struct Inlined {
    left: usize,
    /// How many frames were left out because of the limit.
    pub(crate) left_out: u64,
}

impl Inlined {
    /// What is said of frames that were left out, after their number.
    pub(crate) const LEFT_OUT: &str = "inlined frames are left out: the profile names more of them \
                                       than a file of its size can; their weight stays with their \
                                       callers";

    /// Where a location is named, of which few bytes are known.
    const FOR_EACH_LISTED: usize = 32;

    /// The limit for a profile of this many bytes.
    pub(crate) fn of(length: usize) -> Inlined {
        const LEAST: usize = 1 << 18;
        const FOR_EACH_BYTE: usize = 8;
        Inlined { left: LEAST + FOR_EACH_BYTE.saturating_mul(length), left_out: 0 }
    }

    /// How many of the frames of a location are shown, in formats that name a location for each
    /// stack: the limit grows with these.
    pub(crate) fn take_listed(&mut self, frames: usize) -> usize {
        if frames < 2 {
            return frames;
        }
        self.left = self.left.saturating_add(Inlined::FOR_EACH_LISTED);
        self.take(frames)
    }

    /// How many of the frames of a location are shown: all, or only the outermost one.
    #[inline]
    pub(crate) fn take(&mut self, frames: usize) -> usize {
        let inlined = frames.saturating_sub(1);
        if inlined <= self.left {
            self.left -= inlined;
            return frames;
        }
        self.left_out += inlined as u64;
        1
    }
}

/// For a profile of a length that is not known.
impl Default for Inlined {
    fn default() -> Inlined {
        Inlined::of(0)
    }
}
