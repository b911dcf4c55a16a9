//! The parts of a function's name that say most where there is little room.

use std::ops::Range;

/// Last parts of names that are not functions: the mark of a clone, and the endings of files.
const SUFFIXES: [&str; 8] = ["cold", "py", "js", "rb", "so", "sh", "exe", "dll"];

/// Where the parts of a name begin and end: in `std::vector<int>::push_back(int const&)` the
/// own name is `push_back`, and its class is `vector<int>`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NameParts {
    /// Where the name can be cut in front: after each of the outer modules.
    pub(super) modules: Vec<usize>,
    /// Where the class begins; where the own name does, if there is none.
    pub(super) class: usize,
    /// The last name of the class, without its arguments: `vector`. Empty if there is no class.
    pub(super) class_name: Range<usize>,
    /// Where the class ends, and the separator before the own name begins.
    pub(super) class_end: usize,
    pub(super) own: usize,
    /// Where the own name ends; after it come arguments, closures, clones and places.
    pub(super) end: usize,
}

/// A part of a name between two separators.
struct Component<'a> {
    start: usize,
    /// The text without arguments.
    text: &'a str,
}

impl NameParts {
    pub(super) fn of(name: &str) -> NameParts {
        let components = components(name);
        let own = (0..components.len()).rev().find(|&at| is_named(&components, at));
        let Some(own) = own else {
            let (modules, end) = (Vec::new(), name.len());
            return NameParts { modules, class: 0, class_name: 0..0, class_end: 0, own: 0, end };
        };
        let Component { start, text } = components[own];
        let end = start + text.trim_end().len();
        let from = if own == 0 { start } else { components[own - 1].start };
        let class_end = from + name[from..start].trim_end_matches([':', '.']).len();
        let class = class_start(name, from, start);
        let class_name = class_name(name, from, class, class_end);
        // A return type comes before the name, and is not one of its modules.
        let typed = components[..own].iter().rposition(|one| one.text.contains(' '));
        let starts = components[typed.unwrap_or(0)..own]
            .iter()
            .map(|one| one.start + one.text.rfind(' ').map_or(0, |space| space + 1));
        let modules = starts.filter(|&start| 0 < start && start < class).collect();
        NameParts { modules, class, class_name, class_end, own: start, end }
    }
}

/// The text is cut at each `::` and `.` outside of brackets, up to the path of a file.
fn components(name: &str) -> Vec<Component<'_>> {
    let bytes = name.as_bytes();
    let mut components = Vec::new();
    let mut open = Vec::new();
    let (mut start, mut arguments, mut at) = (0, None, 0);
    while at < bytes.len() && !(open.is_empty() && is_path(&bytes[at..])) {
        if at == start
            && let Some(length) = operator(&bytes[at..])
        {
            at += length;
        } else if open.is_empty()
            && at > start
            && let Some(length) = separator(&bytes[at..])
        {
            let text = &name[start..arguments.take().unwrap_or(at)];
            components.push(Component { start, text });
            at += length;
            start = at;
        } else {
            if open.is_empty() && at > start && matches!(bytes[at], b'(' | b'<' | b'[' | b'{') {
                arguments.get_or_insert(at);
            }
            step(&bytes[..=at], &mut open);
            at += 1;
        }
    }
    components.push(Component { start, text: &name[start..arguments.unwrap_or(at)] });
    components
}

/// Opens or closes a bracket at the last of these bytes. `->`, and `>` within other brackets, are
/// not brackets.
fn step(bytes: &[u8], open: &mut Vec<u8>) {
    match bytes {
        [.., bracket @ (b'(' | b'<' | b'[' | b'{')] => open.push(*bracket),
        [.., b'-', b'>'] => {}
        [.., b'>'] => drop(open.pop_if(|last| *last == b'<')),
        [.., b')' | b']' | b'}'] => while open.pop() == Some(b'<') {},
        _ => {}
    }
}

/// The length of the separator at the start of `rest`.
fn separator(rest: &[u8]) -> Option<usize> {
    match rest {
        [b':', b':', _, ..] => Some(2),
        [b'.', _, ..] => Some(1),
        _ => None,
    }
}

/// The length of an operator's name in C++ at the start of `rest`: `operator<<`.
fn operator(rest: &[u8]) -> Option<usize> {
    const WORD: &[u8] = b"operator";
    let sign = rest.strip_prefix(WORD)?;
    let length = match sign {
        [b'(', b')', ..] | [b'[', b']', ..] => 2,
        _ => sign.iter().take_while(|byte| b"<>=!+-*/%^&|~,".contains(byte)).count(),
    };
    (length > 0).then_some(WORD.len() + length)
}

/// Whether the path of a file begins here, as in `py::f:/usr/x.py` and `JS:f node:fs:1`.
fn is_path(rest: &[u8]) -> bool {
    [&b":/"[..], b" /", b" node:", b" file:"].iter().any(|path| rest.starts_with(path))
}

/// Whether this component is the name of a function, and not of a closure in it or of a clone.
fn is_named(components: &[Component<'_>], at: usize) -> bool {
    let text = components[at].text;
    let is_name = text.starts_with(|first: char| {
        first.is_ascii_alphabetic() || !first.is_ascii() || "_~$*(".contains(first)
    });
    let is_clone = components.get(at + 1).is_some_and(|next| starts_with_digit(next.text));
    let is_of_closure = text == "operator()" && at > 0 && components[at - 1].text.starts_with('{');
    let is_closure = text.strip_prefix("func").is_some_and(starts_with_digit);
    let is_suffix = at > 0 && (is_clone || is_closure || SUFFIXES.contains(&text));
    is_name && !is_suffix && !is_of_closure && !is_hash(text)
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
}

/// The hash of a symbol of Rust: `h0123456789abcdef`.
fn is_hash(text: &str) -> bool {
    let digits = text.strip_prefix('h').unwrap_or_default();
    digits.len() == 16 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Where the class begins, without its modules and a type before it: `Vec<T> as Drop>` in
/// `<a::Vec<T> as Drop>`, `HashMap` in `java/util/HashMap`, `A` in `void A`.
fn class_start(name: &str, from: usize, own: usize) -> usize {
    let class = &name[from..own];
    if let Some(inner) = class.strip_prefix('<') {
        let path = &inner[..inner.find(['<', ' ', '(', '>']).unwrap_or(0)];
        return from + 1 + path.rfind("::").map_or(0, |at| at + 2);
    }
    let plain = &class[..class.find(['<', '(', '[']).unwrap_or(class.len())];
    from + plain.rfind(['/', ' ']).map_or(0, |at| at + 1)
}

/// The last name of a class, which is the text between `from` and `end`, and begins at `class`
/// after its modules.
fn class_name(name: &str, from: usize, class: usize, end: usize) -> Range<usize> {
    // `<a::Vec<T> as Drop>` of Rust.
    if let Some(inner) = name[from..end].strip_prefix('<') {
        let inner = inner.strip_suffix('>').unwrap_or(inner);
        let Range { start, end } = name_of_type(inner);
        return from + 1 + start..from + 1 + end;
    }
    let text = &name[class..end];
    // `(*conn)` of Go.
    let before = if text.starts_with("(*") { 2 } else { 0 };
    match text[before..].find(OPENING).or_else(|| text[before..].find(')')) {
        // `(anonymous namespace)`
        Some(0) => class..end,
        Some(length) => class + before..class + before + length,
        None => class + before..end,
    }
}

/// The last name of a type of Rust: `Vec` of `&mut a::Vec<T> as Drop` and `impl Drop for a::Vec<T>`;
/// all of `[T]`.
fn name_of_type(text: &str) -> Range<usize> {
    let end = find_outside(text, " as ").unwrap_or(text.len());
    let mut start = find_outside(&text[..end], " for ").map_or(0, |at| at + " for ".len());
    while let Some(word) = BEFORE_TYPES.iter().find(|word| text[start..end].starts_with(**word)) {
        start += word.len();
    }
    let path = &text[start..end];
    let length = path.find(|char| char == ' ' || OPENING.contains(&char)).unwrap_or(path.len());
    // `a::f::{{closure}}`
    let path = path[..length].trim_end_matches("::");
    match path {
        "" => start..end,
        _ => start + path.rfind("::").map_or(0, |at| at + "::".len())..start + path.len(),
    }
}

/// The brackets that begin the arguments of a type.
const OPENING: [char; 4] = ['<', '(', '[', '{'];

/// What comes before the path of a type of Rust.
const BEFORE_TYPES: [&str; 6] = ["impl ", "dyn ", "mut ", "const ", "&", "*"];

/// Where the first `word` outside of brackets is.
fn find_outside(text: &str, word: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open = Vec::new();
    (0..bytes.len()).find(|&at| {
        step(&bytes[..=at], &mut open);
        open.is_empty() && bytes[at..].starts_with(word.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_name_of_a_class_has_no_arguments() {
        let table = [
            ("std::vector<std::pair<int, char>>::push_back(int const&)", "vector"),
            ("std::string::compare(char const*) const", "string"),
            ("void (anonymous namespace)::f<a::B>(a::B) const", "(anonymous namespace)"),
            ("(anonymous namespace)::Map<a::B>::at(int)", "Map"),
            ("A::run(int)::{lambda(int)#1}::operator()(int) const", "A"),
            ("f(int)::Local::g()", "Local"),
            ("void A<int>::f<char>(char)", "A"),
            ("a::b::Map<I,F>::next", "Map"),
            ("<a::b::Map<I,F> as core::Iter>::fold", "Map"),
            ("<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop", "Vec"),
            ("<&mut a::Map<I,F> as a::Iter>::next", "Map"),
            ("<*const T as a::P>::f", "T"),
            ("<T as core::convert::Into<U>>::into", "T"),
            ("<Box<dyn Fn(&str) -> bool as X> as Drop>::drop", "Box"),
            ("<dyn a::Fn(&str) as a::Call>::call", "Fn"),
            ("<[A] as core::slice::cmp::SlicePartialEq<B>>::equal", "[A]"),
            ("<(A,B) as core::hash::Hash>::hash", "(A,B)"),
            ("core::str::<impl str>::parse", "str"),
            ("<impl core::convert::From<A> for b::C<D>>::from", "C"),
            ("<a::Run>::go", "Run"),
            ("<a::f::{{closure}} as core::FnOnce>::call_once", "f"),
            ("net/http.(*conn).serve", "conn"),
            ("main.(*Map[go.shape.int]).Get", "Map"),
            ("main.Map[int,string].Get", "Map"),
            ("java/util/HashMap.put", "HashMap"),
            ("JS:*Module.load node:internal/loader.js:9", "JS:*Module"),
            ("main", ""),
            ("f(int)", ""),
            ("[libc.so.6]", ""),
            ("関数::実行", "関数"),
            ("<::f", ""),
            ("<>::f", ""),
            ("", ""),
        ];
        for (name, expected) in table {
            assert_eq!(&name[NameParts::of(name).class_name], expected, "{name}");
        }
    }

    #[test]
    fn the_own_name_and_its_class_are_found_in_many_languages() {
        let table = [
            ("std::vector<int>::push_back(int const&)", "vector<int>", "push_back"),
            ("void (anonymous namespace)::f<a::B>(a::B) const", "(anonymous namespace)", "f"),
            ("int ns::A::f()", "A", "f"),
            ("std::operator<< <char>(std::ostream&)", "std", "operator<<"),
            ("A::operator->() const", "A", "operator->"),
            ("A::run(int)::{lambda(int)#1}::operator()(int) const", "A", "run"),
            ("A::operator()(int)", "A", "operator()"),
            ("decltype(x->y) a::g(int)", "decltype(x->y) a", "g"),
            ("f(int) [clone .isra.0]", "", "f"),
            ("void A::~A()", "A", "~A"),
            ("alloc::vec::Vec<a::B>::push", "Vec<a::B>", "push"),
            ("<a::b::Map<I,F> as core::Iter>::fold", "Map<I,F> as core::Iter>", "fold"),
            ("a::run::{{closure}}", "a", "run"),
            ("core::ops::FnOnce::call_once{{vtable.shim}}", "FnOnce", "call_once"),
            ("core::ptr::drop::h0123456789abcdef", "ptr", "drop"),
            ("java.util.HashMap.putVal(int, Object)", "HashMap", "putVal"),
            ("java/util/HashMap.put", "HashMap", "put"),
            ("java.util.HashMap.<init>", "util", "HashMap"),
            ("net/http.(*conn).serve", "(*conn)", "serve"),
            ("github.com/a/my-b.Run[go.shape.int]", "my-b", "Run"),
            ("main.main.func1", "main", "main"),
            ("Stdlib.List.fold_left", "List", "fold_left"),
            ("Lwt.(>>=)", "Lwt", "(>>=)"),
            ("asyncio.base.Loop.run.<locals>.<lambda>", "Loop", "run"),
            ("py::walk:/usr/lib/os.py", "py", "walk"),
            ("JS:*Module.load node:internal/loader.js:9", "JS:*Module", "load"),
            ("mark_slice.constprop.0", "", "mark_slice"),
            ("work (util.c:14)", "", "work"),
            ("[libc.so.6]", "", "[libc.so.6]"),
            ("関数::実行", "関数", "実行"),
            ("", "", ""),
        ];
        for (name, class, own) in table {
            let parts = NameParts::of(name);
            assert_eq!(&name[parts.own..parts.end], own, "{name}");
            assert_eq!(name[parts.class..parts.own].trim_end_matches([':', '.']), class, "{name}");
        }
    }
}
