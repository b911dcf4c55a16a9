//! The module of a function, from its name alone.

use bstr::ByteSlice;

use super::FrameParts;

/// What compilers append to a function that they copied or split.
const CLONES: [&[u8]; 8] =
    [b"isra", b"part", b"constprop", b"cold", b"llvm", b"lto_priv", b"localalias", b"clone"];

/// How V8 begins the names of functions of JavaScript: `LazyCompile:~f /app/x.js:12`.
const V8: [&[u8]; 5] = [b"LazyCompile:", b"Function:", b"JS:", b"Script:", b"Eval:"];

/// A namespace that looks like arguments.
const ANONYMOUS: &[u8] = b"(anonymous namespace)";

/// The module that a function belongs to: `Stdlib.List` of `Stdlib.List.map`, `std::vector` of
/// `std::vector<int>::push_back(int)`, the path of a script, `[kernel]` for a frame with that mark,
/// and a name in brackets itself, such as `[libc.so.6]`. Empty if the name does not show its
/// module.
#[must_use]
pub fn module(frame: &[u8]) -> &[u8] {
    let parts = FrameParts::of(frame);
    if parts.has_mark(b'k') {
        return b"[kernel]";
    }
    let name = parts.name;
    match name {
        [b'[', .., b']'] => name,
        _ => script(name).or_else(|| implementing_type(name)).unwrap_or_else(|| scope(name)),
    }
}

/// `py::run:/usr/lib/python3.12/runpy.py` is CPython's, `LazyCompile:~f
/// /app/x.js:12:3` V8's.
fn script(name: &[u8]) -> Option<&[u8]> {
    if let Some(rest) = name.strip_prefix(b"py::") {
        return rest.rsplit_once_str(":").map(|(_, file)| file);
    }
    let is_script = V8.iter().any(|start| name.starts_with(start));
    let (_, file) = name.rsplit_once_str(" ").filter(|_| is_script)?;
    let is_of_place = |byte: char| byte.is_ascii_digit() || byte == ':';
    Some(file.trim_end_with(is_of_place))
}

/// The path in the name of a script's function, empty if there is none: `/app/x.js` of
/// `LazyCompile:~f /app/x.js:12:3`.
#[must_use]
pub fn script_of(name: &[u8]) -> &[u8] {
    script(name).unwrap_or_default()
}

/// The type of `<alloc::vec::Vec<T> as core::clone::Clone>::clone`; the trait, if
/// the type has no path: `<[T] as core::slice::Join>::join`.
fn implementing_type(name: &[u8]) -> Option<&[u8]> {
    let inside = name.strip_prefix(b"<")?;
    let (of_type, of_trait) = inside.split_once_str(" as ").unwrap_or((inside, b""));
    let path = |text: &'_ [u8]| text.find_byteset(b"<>([{ ").unwrap_or(text.len());
    let of_type = ["&", "mut ", "dyn ", "*const ", "*mut "]
        .into_iter()
        .fold(of_type, |rest, word| rest.strip_prefix(word.as_bytes()).unwrap_or(rest));
    let found = [of_type, of_trait].map(|text| &text[..path(text)]);
    found.into_iter().find(|path| !path.is_empty())
}

/// The text before the function's own name.
fn scope(name: &[u8]) -> &[u8] {
    let bracket = first_bracket(name);
    let before = &name[..bracket];
    if let Some((library, _)) = before.split_once_str("`").or_else(|| before.split_once_str("!")) {
        return library;
    }
    // In `std::vector<int>::push_back(int)` and `main.(*T).Close` the scope goes on after the
    // bracket.
    let goes_on = after_bracket(&name[bracket..]).starts_with(b"::")
        || after_bracket(&name[bracket..]).starts_with(b".");
    if before.contains_str("::") {
        // `void ns::f<int>(int)`
        let path = before
            .find("::")
            .map_or(0, |first| before[..first].rfind_byte(b' ').map_or(0, |space| space + 1));
        // `(anonymous namespace)::f` holds a space, too.
        let path = if before[path..].starts_with(b"namespace)") { 0 } else { path };
        let path = &before[path..];
        let end = if goes_on { path.len() } else { path.rfind("::").unwrap_or(0) };
        return path[..end].trim_end_with(|char| char == ':');
    }
    dotted(before, goes_on)
}

/// The module in a name whose parts have dots between them; `name` ends where its first bracket
/// was.
fn dotted(name: &[u8], goes_on: bool) -> &[u8] {
    let whole = name.trim_end_with(|char| char == '.');
    if goes_on {
        return whole;
    }
    // `find.part.0`, `Tree.insert.cold`
    let clone = |at: &usize| name[at + 1..].split_str(".").next().is_some_and(is_clone);
    let name = name.find_iter(".").find(clone).map_or(name, |at| &name[..at]);
    let Some(last) = name.rfind_byte(b'.') else { return b"" };
    if !name[0].is_ascii_uppercase() {
        return &name[..last];
    }
    // OCaml's modules are those with a capital: in `Server.handle.loop`, a function
    // within a function, `Server`.
    let mut end = 0;
    for part in name[..last].split_str(".") {
        if !part.first().is_some_and(u8::is_ascii_uppercase) {
            break;
        }
        end += part.len() + 1;
    }
    &name[..end.saturating_sub(1)]
}

fn is_clone(part: &[u8]) -> bool {
    CLONES.contains(&part)
}

/// Where the first bracket opens that is not an anonymous namespace; the length
/// if there is none.
fn first_bracket(name: &[u8]) -> usize {
    let mut from = 0;
    while let Some(at) = name[from..].find_byteset(b"(<{") {
        if !name[from + at..].starts_with(ANONYMOUS) {
            return from + at;
        }
        from += at + ANONYMOUS.len();
    }
    name.len()
}

/// The text after the bracket with which `text` starts; empty if that bracket is never closed.
fn after_bracket(text: &[u8]) -> &[u8] {
    let mut depth = 0;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' | b'<' | b'{' => depth += 1,
            // In `A::operator->` and `fn() -> T` it closes nothing.
            b'>' if at > 0 && text[at - 1] == b'-' => {}
            b')' | b'>' | b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    b""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_told_by_names() {
        for (name, expected) in [
            ("Stdlib.List.map", "Stdlib.List"),
            ("Stdlib.(^)", "Stdlib"),
            ("Server.handle", "Server"),
            ("Server.handle (server.ml:12)", "Server"),
            ("Server.handle.(fun server.ml:12)", "Server"),
            ("Server.handle.loop", "Server"),
            ("System.String.Concat", "System.String"),
            ("Odd.(.%(:..))", "Odd"),
            ("std::vec::Vec<a::B>::push", "std::vec::Vec"),
            ("std::string::String::push", "std::string::String"),
            ("void ns::sort<a::B>(a::B*, int)", "ns"),
            ("ns::operator new(unsigned long)", "ns"),
            ("ns::operator<<(a::B, int)", "ns"),
            ("ns::A::operator->()", "ns::A"),
            ("(anonymous namespace)::run(int)", "(anonymous namespace)"),
            ("ns::(anonymous namespace)::A::run()", "ns::(anonymous namespace)::A"),
            ("app::main::{{closure}}", "app::main"),
            ("<alloc::vec::Vec<T> as core::Clone>::clone", "alloc::vec::Vec"),
            ("<&mut a::B as c::D>::e", "a::B"),
            ("<[T] as core::slice::Join<U>>::join", "core::slice::Join"),
            ("github.com/a/b.(*T).Close", "github.com/a/b"),
            ("runtime.mallocgc", "runtime"),
            ("com.shop.Cart.add", "com.shop.Cart"),
            ("Lcom/shop/Cart:::add", "Lcom/shop/Cart"),
            ("py::run:/usr/lib/runpy.py", "/usr/lib/runpy.py"),
            ("LazyCompile:~handle /app/x.js:12:3", "/app/x.js"),
            ("libfoo.so`main", "libfoo.so"),
            ("KERNEL32.dll!Sleep", "KERNEL32.dll"),
            ("do_idle_[k]", "[kernel]"),
            ("[libc.so.6]", "[libc.so.6]"),
            ("main", ""),
            ("f<a::B>(c::D)", ""),
            ("operator new(unsigned long)", ""),
            ("finish_task_switch.isra.0", ""),
            ("Foo.isra.0", ""),
            ("Tree.insert.cold", "Tree"),
            ("main.run.llvm.123", "main"),
            ("mark_slice.constprop.0_[i]", ""),
            ("", ""),
            (".", ""),
            ("::", ""),
        ] {
            let found = module(name.as_bytes());
            assert_eq!(found.as_bstr(), expected, "{name}");
        }
    }

    #[test]
    fn any_bytes_have_a_module_or_none() {
        for start in ["<", "(", "{", "::", ".", "A.", "py::", "LazyCompile:", "<a as ", "a<"] {
            for end in ["", "<", ")", ">", "::", ".", " ", ":", "->", " (a:1)", "_[k]"] {
                let _ = module([start, end].concat().as_bytes());
            }
        }
    }
}
