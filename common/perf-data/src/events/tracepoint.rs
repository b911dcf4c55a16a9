//! The fields that a tracepoint recorded, as text.

use bstr::ByteSlice;
use memchr::memchr;

/// A tracepoint: its name, and where its fields are in the recorded bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tracepoint {
    /// `sched:sched_switch`
    pub(crate) name: Vec<u8>,
    fields: Vec<TracedField>,
    /// Fields of every tracepoint: whether an interrupt runs, and which thread.
    common_flags: Option<TracedField>,
    common_pid: Option<TracedField>,
    /// The letters of a thread's states.
    states: Vec<(u64, Vec<u8>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct TracedField {
    name: Vec<u8>,
    offset: usize,
    size: usize,
    kind: FieldKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldKind {
    Signed,
    Unsigned,
    Pointer,
    /// Up to a zero byte.
    Text,
    Array,
    /// The field holds the offset of its text or array, from the start of all fields or from the
    /// end of this one.
    Elsewhere {
        is_text: bool,
        is_relative: bool,
    },
    /// What a thread waits for when it leaves the processor, as letters.
    States,
}

/// What runs when a tracepoint is hit: `common_flags` and `common_pid` of its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceContext {
    /// The thread of the sample.
    Thread,
    /// An interrupt: the thread of the sample only happened to run there. The work that an interrupt
    /// leaves for later (softirq) is one in the idle task, but other threads do it themselves where
    /// they send to the same machine.
    Interrupt,
    /// The idle task of a processor that has nothing to do.
    Idle,
}

/// The bits of `common_flags` that are set in an interrupt, and in the work that it leaves for later:
/// `TRACE_FLAG_HARDIRQ`, `TRACE_FLAG_SOFTIRQ` of include/linux/trace_events.h.
const IN_INTERRUPT: u64 = 0x08;
const IN_SOFTIRQ: u64 = 0x10;

/// The tracepoint from which off-CPU time is computed: perf prints it in a format of its own.
const SWITCH: &[u8] = b"sched:sched_switch";

impl Tracepoint {
    /// Parses the lines of its fields, without `field:`, and the format by which the kernel's own
    /// tools print them.
    pub(crate) fn new<'a>(
        name: Vec<u8>,
        fields: impl Iterator<Item = &'a [u8]>,
        print: &[u8],
    ) -> Tracepoint {
        let states = if name == SWITCH { states(print) } else { Vec::new() };
        let mut fields: Vec<TracedField> = fields.filter_map(TracedField::parse).collect();
        let common = |name: &[u8]| fields.iter().find(|field| field.name == name).cloned();
        let (common_flags, common_pid) = (common(b"common_flags"), common(b"common_pid"));
        // Every tracepoint has these, and perf shows them elsewhere.
        fields.retain(|field| !field.name.starts_with(b"common_"));
        for field in fields.iter_mut().filter(|field| field.name == b"prev_state") {
            field.kind = if states.is_empty() { field.kind } else { FieldKind::States };
        }
        Tracepoint { name, fields, common_flags, common_pid, states }
    }

    /// What ran, according to the recorded bytes; `None` if they do not say it.
    pub(crate) fn context(&self, raw: &[u8]) -> Option<TraceContext> {
        let value = |field: &Option<TracedField>| {
            let TracedField { offset, size, .. } = field.as_ref()?;
            unsigned(raw.get(*offset..)?.get(..*size)?)
        };
        let (flags, pid) = (value(&self.common_flags)?, value(&self.common_pid)?);
        Some(match pid {
            _ if flags & IN_INTERRUPT != 0 => TraceContext::Interrupt,
            0 if flags & IN_SOFTIRQ != 0 => TraceContext::Interrupt,
            0 => TraceContext::Idle,
            _ => TraceContext::Thread,
        })
    }

    /// Appends the recorded fields: `name=value` for each, with spaces between.
    pub(crate) fn append_text(&self, raw: &[u8], out: &mut Vec<u8>) {
        for (index, field) in self.fields.iter().enumerate() {
            if index > 0 {
                out.push(b' ');
            }
            if field.name == b"next_comm" && self.name == SWITCH {
                out.extend_from_slice(b"==> ");
            }
            out.extend_from_slice(&field.name);
            out.push(b'=');
            // A field that was not recorded stays empty.
            let _ = self.append_value(field, raw, out);
        }
    }

    fn append_value(&self, field: &TracedField, raw: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let bytes = raw.get(field.offset..)?.get(..field.size)?;
        match field.kind {
            FieldKind::Text => append_string(bytes, out),
            FieldKind::Array => append_array(bytes, out),
            FieldKind::Signed => out.extend_from_slice(signed(bytes)?.to_string().as_bytes()),
            FieldKind::Unsigned => out.extend_from_slice(unsigned(bytes)?.to_string().as_bytes()),
            FieldKind::Pointer => {
                out.extend_from_slice(format!("0x{:x}", unsigned(bytes)?).as_bytes());
            }
            FieldKind::States => self.append_states(unsigned(bytes)?, out),
            FieldKind::Elsewhere { is_text, is_relative } => {
                let place = unsigned(bytes)?;
                let (offset, length) = (place as usize & 0xffff, place as usize >> 16 & 0xffff);
                let start = if is_relative { field.offset + field.size } else { 0 };
                let bytes = raw.get(start + offset..)?.get(..length)?;
                if is_text { append_string(bytes, out) } else { append_array(bytes, out) }
            }
        }
        Some(())
    }

    /// `S`, `D|K`; `R` if the thread waits for nothing, with a `+` if it was preempted.
    fn append_states(&self, state: u64, out: &mut Vec<u8>) {
        let bits = self.states.iter().map(|(bit, _)| *bit);
        let (all, highest) = bits.fold((0, 1), |(all, most), bit| (all | bit, most.max(bit)));
        let mut separator: &[u8] = b"";
        for (_, letter) in self.states.iter().filter(|(bit, _)| state & bit == *bit) {
            out.extend_from_slice(separator);
            out.extend_from_slice(letter);
            separator = b"|";
        }
        if state & all == 0 {
            out.push(b'R');
        }
        // The kernel's mark for that is above all bits that have letters.
        if state & !(u64::MAX >> highest.leading_zeros()) != 0 {
            out.push(b'+');
        }
    }
}

impl TracedField {
    /// Parses `char prev_comm[16]; offset:8; size:16; signed:0;`, with TABs or blanks.
    fn parse(line: &[u8]) -> Option<TracedField> {
        let mut parts = line.split_str(";").map(<[u8]>::trim_ascii);
        let declaration = parts.next()?;
        let (mut offset, mut size, mut is_signed) = (None, None, false);
        for part in parts {
            let (key, value) = part.split_once_str(":").unwrap_or((part, b""));
            match key {
                b"offset" => offset = number(value),
                b"size" => size = number(value),
                b"signed" => is_signed = value == b"1",
                _ => {}
            }
        }
        let (kind, name) = declaration.rsplit_once_str(" ")?;
        let (name, is_array) = match name.split_once_str("[") {
            Some((name, _)) => (name, true),
            None => (name, kind.ends_with(b"[]")),
        };
        let name = name.trim_start_with(|char| char == '*').to_vec();
        let (offset, size) = (usize::try_from(offset?).ok()?, usize::try_from(size?).ok()?);
        let is_text = kind.contains_str("char");
        let kind = if kind.starts_with(b"__data_loc ") || kind.starts_with(b"__rel_loc ") {
            FieldKind::Elsewhere { is_text, is_relative: kind.starts_with(b"__rel_loc ") }
        } else if is_array {
            if is_text { FieldKind::Text } else { FieldKind::Array }
        } else if declaration.contains(&b'*') {
            FieldKind::Pointer
        } else if size > 8 {
            FieldKind::Array
        } else if is_signed {
            FieldKind::Signed
        } else {
            FieldKind::Unsigned
        };
        Some(TracedField { name, offset, size, kind })
    }
}

/// The bits of a thread's state and their letters, from
/// `__print_flags(REC->prev_state & 255, "|", { 0x00000001, "S" }, { 2, "D" }) : "R"`.
fn states(print: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let Some((_, flags)) = print.split_once_str("__print_flags(REC->prev_state") else {
        return Vec::new();
    };
    let flags = flags.split_once_str(": \"R\"").map_or(flags, |(flags, _)| flags);
    let pair = |text: &[u8]| {
        let (bit, letter) = text.split_once_str("}")?.0.split_once_str(",")?;
        Some((number(bit.trim_ascii())?, letter.trim_ascii().trim_with(|char| char == '"').into()))
    };
    flags.split_str("{").skip(1).filter_map(pair).filter(|(bit, _)| *bit > 0).collect()
}

/// `16` or `0x10`.
fn number(text: &[u8]) -> Option<u64> {
    let text = text.to_str().ok()?;
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A number of 1 to 8 bytes.
fn unsigned(bytes: &[u8]) -> Option<u64> {
    let mut number = [0; 8];
    number.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u64::from_le_bytes(number))
}

fn signed(bytes: &[u8]) -> Option<i64> {
    let unused = 64u32.checked_sub(8 * u32::try_from(bytes.len()).ok()?)?;
    match unused {
        64 => None,
        _ => Some((unsigned(bytes)? << unused) as i64 >> unused),
    }
}

fn append_string(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&bytes[..memchr(0, bytes).unwrap_or(bytes.len())]);
}

/// `ARRAY[0a, ff]`, as perf prints it.
fn append_array(bytes: &[u8], out: &mut Vec<u8>) {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    out.extend_from_slice(format!("ARRAY[{}]", bytes.join(", ")).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tracepoint(name: &str, fields: &[&str], print: &str) -> Tracepoint {
        let fields = fields.iter().map(|field| field.as_bytes());
        Tracepoint::new(name.as_bytes().to_vec(), fields, print.as_bytes())
    }

    fn text(tracepoint: &Tracepoint, raw: &[u8]) -> String {
        let mut text = Vec::new();
        tracepoint.append_text(raw, &mut text);
        String::from_utf8(text).expect("UTF-8")
    }

    const SWITCH_FIELDS: [&str; 8] = [
        "unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;",
        "char prev_comm[16];\toffset:2;\tsize:4;\tsigned:0;",
        "pid_t prev_pid;\toffset:6;\tsize:4;\tsigned:1;",
        "int prev_prio;\toffset:10;\tsize:4;\tsigned:1;",
        "long prev_state;\toffset:14;\tsize:8;\tsigned:1;",
        "char next_comm[16];\toffset:22;\tsize:4;\tsigned:0;",
        "pid_t next_pid;\toffset:26;\tsize:4;\tsigned:1;",
        "int next_prio;\toffset:30;\tsize:4;\tsigned:1;",
    ];

    #[test]
    fn a_switch_is_printed_as_perf_does() {
        // As the kernel writes it since 4.14, and as it did before.
        let new = "(REC->prev_state & 255) ? __print_flags(REC->prev_state & 255, \"|\", \
                   { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000080, \"I\" }) : \"R\", \
                   REC->prev_state & 256 ? \"+\" : \"\"";
        let old = "REC->prev_state & (1024-1) ? __print_flags(REC->prev_state & (1024-1), \"|\", \
                   { 1, \"S\"} , { 2, \"D\" }, { 128, \"K\" }) : \"R\"";
        for (print, state, letters) in [
            (new, 0, "R"),
            (new, 1, "S"),
            (new, 0x80, "I"),
            (old, 2, "D"),
            (old, 0x82, "D|K"),
            // Without letters it stays a number.
            ("", 130, "130"),
        ] {
            let switch = tracepoint("sched:sched_switch", &SWITCH_FIELDS, print);
            let raw = [
                &[0, 0][..],
                b"sh\0x",
                &7u32.to_le_bytes(),
                &120u32.to_le_bytes(),
                &u64::to_le_bytes(state),
                b"cat\0",
                &(-1i32).to_le_bytes(),
                &98u32.to_le_bytes(),
            ]
            .concat();
            let expected = format!(
                "prev_comm=sh prev_pid=7 prev_prio=120 prev_state={letters} ==> \
                 next_comm=cat next_pid=-1 next_prio=98"
            );
            assert_eq!(text(&switch, &raw), expected);
            // What was cut off is empty.
            let cut = "prev_comm=sh prev_pid=7 prev_prio= prev_state= ==> next_comm= next_pid= next_prio=";
            assert_eq!(text(&switch, &raw[..12]), cut);
        }
    }

    #[test]
    fn interrupts_and_the_idle_task_are_told_from_threads() {
        let fields = [
            "unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;",
            "unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;",
            "unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;",
            "int common_pid;\toffset:4;\tsize:4;\tsigned:1;",
            "pid_t pid;\toffset:8;\tsize:4;\tsigned:1;",
        ];
        let waking = tracepoint("sched:sched_waking", &fields, "");
        let context = |flags: u8, pid: u32| {
            let raw = [&[7, 1, flags, 0][..], &pid.to_le_bytes(), &[9, 0, 0, 0]].concat();
            waking.context(&raw)
        };
        // 0x01: interrupts are off; 0x04: another thread should run.
        assert_eq!(context(0x01 | 0x04, 5), Some(TraceContext::Thread));
        assert_eq!(context(0x10, 5), Some(TraceContext::Thread));
        assert_eq!(context(0x10, 0), Some(TraceContext::Interrupt));
        for flags in [0x08, 0x18, 0x19] {
            assert_eq!(context(flags, 5), Some(TraceContext::Interrupt), "{flags}");
            assert_eq!(context(flags, 0), Some(TraceContext::Interrupt), "{flags}");
        }
        assert_eq!(context(0x01, 0), Some(TraceContext::Idle));
        assert_eq!(waking.context(&[7, 1, 0]), None);
        assert_eq!(tracepoint("a:b", &fields[4..], "").context(&[0; 16]), None);
    }

    #[test]
    fn what_was_sent_away_has_a_plus() {
        let print = "__print_flags(REC->prev_state & 3, \"|\", { 1, \"S\" }, { 2, \"D\" }) : \"R\"";
        let fields = ["long prev_state;\toffset:0;\tsize:8;\tsigned:1;"];
        let switch = tracepoint("sched:sched_switch", &fields, print);
        assert_eq!(text(&switch, &4u64.to_le_bytes()), "prev_state=R+");
    }

    #[test]
    fn fields_of_all_kinds_are_printed() {
        let fields = [
            "__data_loc char[] filename;\toffset:0;\tsize:4;\tsigned:0;",
            "__rel_loc char[] name;\toffset:4;\tsize:4;\tsigned:0;",
            "const void * buf;\toffset:8;\tsize:8;\tsigned:0;",
            "u8 mac[2];\toffset:16;\tsize:2;\tsigned:0;",
            "short level;\toffset:18;\tsize:2;\tsigned:1;",
            "unsigned char flag;\toffset:20;\tsize:1;\tsigned:0;",
            "__data_loc u8[] blob;\toffset:21;\tsize:4;\tsigned:0;",
        ];
        let tracepoint = tracepoint("a:b", &fields, "");
        let place = |offset: u32, length: u32| (length << 16 | offset).to_le_bytes();
        let raw = [
            &place(25, 3)[..],
            &place(28 - 8, 2),
            &0xabcu64.to_le_bytes(),
            &[0x0a, 0xff],
            &(-2i16).to_le_bytes(),
            &[200],
            &place(25, 2),
            b"ls\0x\0",
        ]
        .concat();
        let expected = "filename=ls name=x buf=0xabc mac=ARRAY[0a, ff] level=-2 flag=200 \
                        blob=ARRAY[6c, 73]";
        assert_eq!(text(&tracepoint, &raw), expected);
    }
}
