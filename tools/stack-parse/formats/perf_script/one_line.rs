//! Samples without a call chain: one line each, with the only frame near its end.
//!
//! perf prints, each where `-F` asks for it (process_event in its
//! tools/perf/builtin-script.c):
//!
//! ```text
//! HEAD [flags] [trace text] [addr [sym] [(dso)]] [data_src] [weight] [ins_lat]
//!     ' ' IP in 16 columns [sym[+0x]] [(dso)]
//!     [ => addr [sym] [(dso)]] [registers] [branches] [ilen] [insn] [phys_addr] [page sizes] [IPC]
//! ```
//!
//! The text before the address may look like a frame, too, so the last address in its 16 columns
//! counts. The fields after the symbol must be removed.

use bstr::ByteSlice;
use common::numbers::is_digits;

use super::event_line::EventLine;
use super::frame_line::{FrameLine, is_address};
use super::object_file::is_path;
use super::tokens::{is_space, token_end, token_start, trim_end, trim_start};

/// How many columns an address has.
const IP_COLUMNS: usize = 16;

/// The text of the frame in a sample that was recorded without call chains:
/// `  561ae304d6c4 fib+0x24 (/prog/demo)`. It is the sample's only frame if no call chain follows.
pub(super) fn only_frame<'a>(event: &EventLine<'a>) -> Option<&'a [u8]> {
    frame_text(event.rest)
}

/// The text of the only frame in `rest`, the text after an event's colon with all its spaces:
/// ` 561ae304d6c4 fib+0x24 (/prog/demo)`.
fn frame_text(rest: &[u8]) -> Option<&[u8]> {
    // The event's colon and the address are each followed or preceded by a space:
    // `page-faults:  ffffffff8175336a elf_load`. With only one space it is a field of `-F addr`:
    // `page-faults:     55993a0f70b8 __TMC_END__`.
    if trim_start(rest).is_empty() {
        return None;
    }
    let padded = padded_frame(rest, 2).map(|(start, end)| &rest[start..end]);
    padded.filter(|text| FrameLine::parse(text).is_some()).or_else(|| unpadded_frame(rest))
}

/// Splits a line that has neither a time nor an event before its frame, from `-F comm,tid,ip,sym`:
/// `            demo 19231  ffffffff8175336a elf_load`.
pub(super) fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (start, end) = padded_frame(line, 2)?;
    let (head, text) = (&line[..start], &line[start..end]);
    let frame = FrameLine::parse(text)?;
    // `i 4c4f430065727560 0` is a line of heaptrack.
    let is_name = !frame.symbol.first().is_some_and(u8::is_ascii_digit);
    (is_name && is_certain(&frame) && !head.trim_ascii().is_empty()).then_some((head, text))
}

/// Whether this is a sample of `-F ip,sym`, a frame alone:
/// ` ffffffff817554ea elf_load`.
pub(super) fn is_lone_frame(line: &[u8]) -> bool {
    let Some((columns, name)) = line.strip_prefix(b" ").and_then(<[u8]>::split_first_chunk) else {
        return false;
    };
    let is_name = matches!(name, [] | [b' ']) || name.starts_with(b" ") && name[1] != b' ';
    is_address(columns) && is_name
}

/// Whether a number is an address, not a count or a word: it is long and has letters, or an object
/// file follows it, or `(inlined)`.
pub(super) fn is_certain(frame: &FrameLine<'_>) -> bool {
    frame.inlined
        || is_path(frame.dso)
        || frame.ip.len() >= 8 && !frame.ip.iter().all(u8::is_ascii_digit)
}

/// Where the last address in its 16 columns is, with the space before it and the symbol after it;
/// its columns start at `first` or later.
fn padded_frame(text: &[u8], first: usize) -> Option<(usize, usize)> {
    // The address of a branch comes first, then its target:
    // `7f3b9c644b70 _start+0x0 (/lib/ld.so) =>     7f3b9c645000 main+0x0 (/demo)`.
    let text = text.find(b" => ").map_or(text, |arrow| &text[..arrow]);
    let starts_at = |&start: &usize| {
        let columns = text[start..].first_chunk();
        text[start - 1] == b' '
            && columns.is_some_and(is_address)
            && text.get(start + IP_COLUMNS).is_none_or(is_space)
    };
    let start = (first..text.len()).rev().find(starts_at)?;
    let symbol = start + IP_COLUMNS;
    let end = symbol + without_fields_behind(&text[symbol..]).len();
    Some((start - 1, end))
}

/// A frame in a text whose padding was removed: `561ae304d6c4 fib+0x24 (/demo)`. A tracepoint's
/// text may start like one: `ffffffff810 vfs_read <-- ksys_read`.
fn unpadded_frame(rest: &[u8]) -> Option<&[u8]> {
    let is_address_field = rest.get(1..).and_then(<[u8]>::first_chunk).is_some_and(is_address);
    if is_address_field {
        return None;
    }
    let text = trim_start(rest);
    let end = token_end(text);
    let text = &text[..end + without_fields_behind(&text[end..]).len()];
    let frame = FrameLine::parse(text)?;
    let is_whole = !frame.dso.is_empty() || text.len() > end + 1 + frame.symbol.len();
    let is_word = !frame.symbol.contains(&b' ');
    (frame.ip.len() >= 3 && is_whole || frame.ip.len() >= 8 && is_word).then_some(text)
}

/// ` elf_load+0x28a ([kernel.kallsyms]) ilen: 4` without the fields after the object file or the
/// symbol.
fn without_fields_behind(text: &[u8]) -> &[u8] {
    // Registers, the length and the bytes of the instruction, and the counts of Intel PT:
    // ` ABI:2    SP:0x7ffceb579ee8 `, ` ilen: 4`, ` insn: 48 89 e5`, `\t\tmovq %rsp, %rbp`,
    // ` \t IPC: 0.50 (1/2) `.
    let fields = [&b" ABI:"[..], b" ilen: ", b" insn: ", b"\t\t", b" \t IPC: "];
    let start = fields.iter().filter_map(|field| text.find(field)).min();
    let text = without_branches(&text[..start.unwrap_or(text.len())]);
    without_physical_address(trim_end(text))
}

/// The text without the list of `-F +brstack`, `+brstackoff` or `+brstacksym`:
/// ` main+0x5 (/demo) 0x4005f0/0x40050a/P/-/-/3 `,
/// ` main+0x5 (/demo)main+0x5(/demo)/f+0x0(/demo)/M/-/-/12/CALL `.
fn without_branches(text: &[u8]) -> &[u8] {
    if !has_branch_flags(text) {
        return text;
    }
    if let Some(list) = text.find(b" 0x") {
        return &text[..list];
    }
    let object = text.find(b" (/").or_else(|| text.find(b" (["));
    let end = match (object, text.find(b"+0x")) {
        (Some(open), _) => text[open..].find(b")").map(|close| open + close + 1),
        (None, Some(offset)) => {
            let digits = text[offset + 3..].iter().take_while(|byte| byte.is_ascii_hexdigit());
            Some(offset + 3 + digits.count())
        }
        (None, None) => None,
    };
    &text[..end.unwrap_or(text.len())]
}

/// Whether a text lists branches: each has flags such as `/P/-/-/3`, which mean predicted or
/// missed, in a transaction, aborted, and the number of cycles.
pub(super) fn has_branch_flags(text: &[u8]) -> bool {
    [b"/-/-/", b"/X/-/", b"/-/A/", b"/X/A/"].iter().any(|flags| text.contains_str(flags))
}

/// The text without `               0 4K N/A`, from
/// `-F +phys_addr,+data_page_size,+code_page_size`.
fn without_physical_address(text: &[u8]) -> &[u8] {
    let mut before = text;
    while is_page_size(&before[token_start(before)..]) {
        before = trim_end(&before[..token_start(before)]);
    }
    let (symbol, address) = before.split_at(token_start(before));
    // No address has enough digits to leave no padding before it.
    let is_padded = symbol.ends_with(b"  ") && !trim_end(symbol).is_empty();
    match is_padded && address.iter().all(u8::is_ascii_hexdigit) {
        true => trim_end(symbol),
        false if before.ends_with(b")") => before,
        false => text,
    }
}

/// `4K`, `2M`, `N/A`
fn is_page_size(token: &[u8]) -> bool {
    match token {
        b"N/A" => true,
        [digits @ .., b'B' | b'K' | b'M' | b'G' | b'T'] => is_digits(digits),
        _ => false,
    }
}

/// Whether this is a physical address alone, after a call chain:
/// `               0 4K N/A`.
pub(super) fn is_physical_address(line: &[u8]) -> bool {
    let (address, sizes) = line.split_at(line.len().min(IP_COLUMNS));
    address.try_into().is_ok_and(is_address)
        && sizes.split(|byte| *byte == b' ').all(|size| size.is_empty() || is_page_size(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> &str {
        std::str::from_utf8(bytes).expect("ascii in, ascii out")
    }

    #[test]
    fn the_only_frame_is_found_among_other_fields() {
        let sample = " ffffffff8175336a elf_load+0x28a ([kernel.kallsyms])";
        for before in [
            " ",
            "     55993a0f70b8 __TMC_END__+0x0 (/d)",
            "     55993a0f70b8",
            "       1e05080021 |OP N/A|LVL N/A or N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A",
            "                7               0",
            "   call                  ",
            " dfd: 0xffffff9c, filename: 0x7fb2ef650720",
            "  /user.slice",
        ] {
            for behind in [
                "",
                " ilen: 4",
                " insn: 48 89 e5",
                "\t\tmovq %rsp, %rbp",
                " ilen: 3 insn: 48 89 e5",
                " ABI:2    SP:0x7ffceb579ee8    IP:0x55edc93b91ea ",
                "               0",
                "      1ff84c3210 4K N/A",
                " 0x4005f0/0x40050a/P/-/-/3  0x4005f0/0x40050a/-/X/A/3/CALL ",
                " 0x4005f0(/d)/0x40050a(/d)/M/-/-/3 ",
                "main+0x5(/d)/fib+0x0(/d)/P/-/-/3/ ",
                " =>     7f3b9c645000 main+0x0 (/demo)",
                " =>                0 [unknown] ([unknown]) \t IPC: 0.50 (1/2) ",
            ] {
                let rest = [before, sample, behind].concat();
                let found = frame_text(rest.as_bytes()).map(text);
                assert_eq!(found, Some(sample), "{rest:?}");
            }
        }
        for (rest, expected) in [
            ("      55db543211ea", Some("     55db543211ea")),
            ("      55db543211ea spin ilen: 0", Some("     55db543211ea spin")),
            ("      55db543211ea spin               0", Some("     55db543211ea spin")),
            ("      55db543211ea (/demo)", Some("     55db543211ea (/demo)")),
            ("      55db543211ea f+0x1main+0x5/g+0x0/P/-/-/3 ", Some("     55db543211ea f+0x1")),
            (" 55db543211ea spin", Some("55db543211ea spin")),
            (" 7f00 spin+0x11 (/demo)", Some("7f00 spin+0x11 (/demo)")),
        ] {
            assert_eq!(frame_text(rest.as_bytes()).map(text), expected, "{rest:?}");
        }
    }

    #[test]
    fn texts_and_other_addresses_are_no_frames() {
        for rest in [
            "",
            " ",
            "     55993a0f70b8 __TMC_END__+0x0 (/d)",
            "                7",
            " ffffffff810 vfs_read <-- ksys_read",
            " add 7 to the sum",
            " dfd: 0xffffff9c, filename: 0x7fb2ef650720",
            "     55993a0f70b8      1e05080021 |OP N/A|LVL N/A",
        ] {
            assert_eq!(frame_text(rest.as_bytes()), None, "{rest:?}");
        }
    }

    #[test]
    fn lone_frames_have_seventeen_columns() {
        for (line, expected) in [
            (" ffffffff817554ea elf_load", true),
            ("     7facef0f4b70 _start", true),
            ("     7facef0f4b70", true),
            ("         7facef0f4b70 _start", false),
            ("    7facef0f4b70 _start", false),
            ("    7facef0f4b70", false),
            ("\t    7facef0f4b70 _start", false),
        ] {
            assert_eq!(is_lone_frame(line.as_bytes()), expected, "{line:?}");
        }
    }
}
