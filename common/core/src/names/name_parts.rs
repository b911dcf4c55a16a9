//! The parts of a function's name that say most where there is little room.

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
            return NameParts { modules: Vec::new(), class: 0, own: 0, end: name.len() };
        };
        let Component { start, text } = components[own];
        let end = start + text.trim_end().len();
        let class = match own {
            0 => start,
            _ => class_start(name, components[own - 1].start, start),
        };
        // A return type comes before the name, and is not one of its modules.
        let typed = components[..own].iter().rposition(|one| one.text.contains(' '));
        let starts = components[typed.unwrap_or(0)..own]
            .iter()
            .map(|one| one.start + one.text.rfind(' ').map_or(0, |space| space + 1));
        let modules = starts.filter(|&start| 0 < start && start < class).collect();
        NameParts { modules, class, own: start, end }
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

#[cfg(test)]
mod tests {
    use super::*;

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
