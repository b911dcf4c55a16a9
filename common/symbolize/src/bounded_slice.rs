//! Debug information as it is read by the library of DWARF, which calls itself for each function
//! that is inlined into another one. A file may nest more of them than the stack can hold.

use std::borrow::Cow;
use std::cell::Cell;

use addr2line::gimli::{self, EndianSlice, LittleEndian, Reader, ReaderOffsetId};

/// How much of the stack reading may take, in bytes: some 500 functions inlined into each other.
/// Compilers nest fewer than 100. The smallest stack, that of Windows, has 1 MiB.
const MOST_STACK: usize = 512 << 10;

thread_local! {
    /// Where the stack was when [`bounded`] began; 0 before that.
    static START: Cell<usize> = const { Cell::new(0) };
}

/// Does `read`, within which reading a [`BoundedSlice`] fails before the stack ends.
pub(crate) fn bounded<T>(read: impl FnOnce() -> T) -> T {
    START.set(top_of_stack());
    read()
}

/// The address of something that is on the stack now.
#[inline(always)]
fn top_of_stack() -> usize {
    let on_stack = 0u8;
    std::ptr::from_ref(&on_stack).addr()
}

/// Bytes of a section.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BoundedSlice<'a>(EndianSlice<'a, LittleEndian>);

impl<'a> BoundedSlice<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> BoundedSlice<'a> {
        BoundedSlice(EndianSlice::new(bytes, LittleEndian))
    }

    pub(crate) fn slice(self) -> &'a [u8] {
        self.0.slice()
    }
}

impl Reader for BoundedSlice<'_> {
    type Endian = LittleEndian;
    type Offset = usize;

    /// Each entry of the debug information begins with such a number, so that each call of the
    /// library by itself comes here.
    #[inline]
    fn read_uleb128(&mut self) -> gimli::Result<u64> {
        let start = START.get();
        if start != 0 && start.abs_diff(top_of_stack()) > MOST_STACK {
            return Err(gimli::Error::UnsupportedOffset);
        }
        self.0.read_uleb128()
    }

    #[inline]
    fn endian(&self) -> LittleEndian {
        self.0.endian()
    }

    #[inline]
    fn len(&self) -> usize {
        Reader::len(&self.0)
    }

    #[inline]
    fn empty(&mut self) {
        self.0.empty();
    }

    #[inline]
    fn truncate(&mut self, len: usize) -> gimli::Result<()> {
        self.0.truncate(len)
    }

    #[inline]
    fn offset_from(&self, base: &Self) -> usize {
        self.0.offset_from(base.0)
    }

    #[inline]
    fn offset_id(&self) -> ReaderOffsetId {
        self.0.offset_id()
    }

    #[inline]
    fn lookup_offset_id(&self, id: ReaderOffsetId) -> Option<usize> {
        self.0.lookup_offset_id(id)
    }

    #[inline]
    fn find(&self, byte: u8) -> gimli::Result<usize> {
        Reader::find(&self.0, byte)
    }

    #[inline]
    fn skip(&mut self, len: usize) -> gimli::Result<()> {
        self.0.skip(len)
    }

    #[inline]
    fn split(&mut self, len: usize) -> gimli::Result<Self> {
        self.0.split(len).map(BoundedSlice)
    }

    #[inline]
    fn to_slice(&self) -> gimli::Result<Cow<'_, [u8]>> {
        self.0.to_slice()
    }

    #[inline]
    fn to_string(&self) -> gimli::Result<Cow<'_, str>> {
        Reader::to_string(&self.0)
    }

    #[inline]
    fn to_string_lossy(&self) -> gimli::Result<Cow<'_, str>> {
        Reader::to_string_lossy(&self.0)
    }

    #[inline]
    fn read_slice(&mut self, buf: &mut [u8]) -> gimli::Result<()> {
        Reader::read_slice(&mut self.0, buf)
    }
}
