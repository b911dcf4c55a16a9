//! Classes of the standard library of C++: which of their arguments are defaults, and their names for
//! types of characters. The defaults are those of the standard, ISO C++ 14882.

use bstr::ByteSlice;

/// The default of an argument, made of the arguments before it.
#[derive(Clone, Copy)]
enum Usual {
    /// `std::less<K>` of the first argument.
    OfFirst(&'static [u8]),
    /// `std::allocator<std::pair<K const, V>>` of the first two.
    OfPair,
}

const ALLOCATOR: Usual = Usual::OfFirst(b"allocator");
const LESS: Usual = Usual::OfFirst(b"less");
const HASH: Usual = Usual::OfFirst(b"hash");
const EQUAL: Usual = Usual::OfFirst(b"equal_to");
const TRAITS: Usual = Usual::OfFirst(b"char_traits");

/// How many arguments a class of `std::` needs, and the defaults of the others.
fn defaults(class: &[u8]) -> Option<(usize, &'static [Usual])> {
    use Usual::{OfFirst, OfPair};
    let base = class.rsplit(|&byte| byte == b':').next().unwrap_or(class);
    Some(match base {
        b"vector" | b"deque" | b"list" | b"forward_list" => (1, &[ALLOCATOR]),
        b"set" | b"multiset" => (1, &[LESS, ALLOCATOR]),
        b"map" | b"multimap" => (2, &[LESS, OfPair]),
        b"unordered_set" | b"unordered_multiset" => (1, &[HASH, EQUAL, ALLOCATOR]),
        b"unordered_map" | b"unordered_multimap" => (2, &[HASH, EQUAL, OfPair]),
        b"unique_ptr" => (1, &[OfFirst(b"default_delete")]),
        b"queue" | b"stack" => (1, &[OfFirst(b"deque")]),
        b"priority_queue" => (1, &[OfFirst(b"vector"), LESS]),
        b"basic_string"
        | b"basic_stringstream"
        | b"basic_ostringstream"
        | b"basic_istringstream"
        | b"basic_stringbuf" => (1, &[TRAITS, ALLOCATOR]),
        b"basic_string_view"
        | b"basic_ostream"
        | b"basic_istream"
        | b"basic_iostream"
        | b"basic_ios"
        | b"basic_streambuf"
        | b"basic_filebuf"
        | b"basic_ofstream"
        | b"basic_ifstream"
        | b"basic_fstream"
        | b"ostreambuf_iterator"
        | b"istreambuf_iterator" => (1, &[TRAITS]),
        _ => return None,
    })
}

/// Writes a template as people say it; its arguments are short already, and may begin with a blank.
pub(super) fn write_class(name: &[u8], arguments: &[&[u8]], out: &mut Vec<u8>) {
    if name == b"__gnu_cxx::__normal_iterator"
        && let [pointer, container] = arguments
    {
        out.extend_from_slice(container.trim_ascii_start());
        let is_const = is_pointer_to_const(pointer);
        out.extend_from_slice(if is_const { b"::const_iterator" } else { b"::iterator" });
        return;
    }
    let arguments = match name.strip_prefix(b"std::") {
        Some(class) => without_defaults(class, arguments),
        None => arguments,
    };
    if let (Some(class), [of]) = (name.strip_prefix(b"std::basic_"), arguments)
        && let Some(prefix) = prefix_of(of)
    {
        [b"std::", prefix, class].iter().for_each(|part| out.extend_from_slice(part));
        return;
    }
    out.extend_from_slice(name);
    for (index, argument) in arguments.iter().enumerate() {
        out.push(if index == 0 { b'<' } else { b',' });
        let value = argument.trim_ascii_start();
        out.extend_from_slice(&argument[..argument.len() - value.len()]);
        out.extend_from_slice(without_type(value));
    }
    out.push(b'>');
}

fn is_pointer_to_const(pointer: &[u8]) -> bool {
    let target = pointer.strip_suffix(b"*").unwrap_or(pointer).trim_ascii();
    target.ends_with(b" const") || target.starts_with(b"const ")
}

/// What the names of classes for this type of characters begin with: `std::wstring`.
fn prefix_of(character: &[u8]) -> Option<&'static [u8]> {
    Some(match character {
        b"char" => b"",
        b"wchar_t" => b"w",
        b"char8_t" => b"u8",
        b"char16_t" => b"u16",
        b"char32_t" => b"u32",
        _ => return None,
    })
}

/// What a class such as `std::wstring`, which was `std::basic_` and this class, begins with: `w`.
pub(super) fn class_is_renamed(name: &[u8], class: &[u8]) -> Option<&'static [u8]> {
    let prefix = name.strip_prefix(b"std::")?.strip_suffix(class)?;
    [&b""[..], b"w", b"u8", b"u16", b"u32"].into_iter().find(|it| *it == prefix)
}

/// A number without its type: `32` of `(unsigned long)32` and of `32ul`, as demanglers write it.
fn without_type(argument: &[u8]) -> &[u8] {
    const TYPES: [&[u8]; 5] = [b"char", b"short", b"int", b"long", b"long long"];
    const SUFFIXES: [&[u8]; 6] = [b"", b"u", b"l", b"ul", b"ll", b"ull"];
    match argument {
        b"(bool)1" => return b"true",
        b"(bool)0" => return b"false",
        _ => {}
    }
    let cast = argument.strip_prefix(b"(").and_then(|rest| rest.split_once_str(")"));
    let (of, number) = cast.unwrap_or((b"int", argument));
    let of = of.strip_prefix(b"unsigned ").or(of.strip_prefix(b"signed ")).unwrap_or(of);
    let sign = usize::from(number.starts_with(b"-"));
    let digits = number[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (value, suffix) = number.split_at(sign + digits);
    let is_number = digits > 0 && SUFFIXES.contains(&suffix) && TYPES.contains(&of);
    if is_number { value } else { argument }
}

/// The arguments without those at the end that are the defaults for the arguments before them.
fn without_defaults<'a, 'b>(class: &[u8], arguments: &'a [&'b [u8]]) -> &'a [&'b [u8]] {
    let Some((needed, defaults)) = defaults(class) else { return arguments };
    if arguments.len() > needed + defaults.len() {
        return arguments;
    }
    let mut kept = arguments;
    while let [before @ .., last] = kept
        && before.len() >= needed
        && is_default(defaults[before.len() - needed], last, before)
    {
        kept = before;
    }
    kept
}

/// Whether an argument is the default for the arguments before it.
fn is_default(default: Usual, argument: &[u8], before: &[&[u8]]) -> bool {
    let argument = argument.trim_ascii_start();
    let first = before[0].trim_ascii_start();
    match default {
        Usual::OfFirst(class) => is_joined(argument, &[b"std::", class, b"<", first, b">"]),
        Usual::OfPair => {
            const START: &[u8] = b"std::allocator<std::pair<";
            let value = before[1].trim_ascii_start();
            is_joined(argument, &[START, first, b" const, ", value, b">>"])
                || is_joined(argument, &[START, b"const ", first, b", ", value, b">>"])
        }
    }
}

/// Whether the text consists of these parts.
fn is_joined(text: &[u8], parts: &[&[u8]]) -> bool {
    let rest = parts.iter().try_fold(text, |rest, part| rest.strip_prefix(*part));
    rest.is_some_and(<[u8]>::is_empty)
}
