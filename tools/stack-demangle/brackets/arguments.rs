//! `--no-args`: makes `void foo<int>(int)` `foo<int>`, as perf prints it.

use super::{Groups, is_word, operator};

/// Returns `name` without the arguments of functions, without the qualifiers after them, such as `
/// const`, and without the return type, which C++ shows for templates.
pub(crate) fn without_arguments(name: &[u8]) -> Vec<u8> {
    let groups = Groups::of(name);
    let mut shorter =
        Shorter { out: Vec::with_capacity(name.len()), start: Some(0), operator: false };
    let mut at = 0;
    while at < name.len() {
        at = if let Some(end) = operator::end(name, at) {
            shorter.operator = true;
            shorter.push(&name[at..end], end)
        } else if name[at] == b'('
            && shorter.takes_arguments()
            && let Some(end) = groups.end(at).and_then(|end| after_arguments(name, end))
        {
            shorter.end_function();
            end
        } else if matches!(name[at], b'(' | b'[' | b'{' | b'<')
            && let Some(end) = groups.end(at)
        {
            shorter.push(&name[at..end], end)
        } else {
            shorter.push_byte(name[at]);
            at + 1
        };
    }
    shorter.out
}

/// The shortened name under construction.
struct Shorter {
    out: Vec<u8>,
    /// Where the function's name begins in `out`, after its return type; `None` when the return
    /// type was dropped.
    start: Option<usize>,
    /// Whether the last word was `operator`, whose name may hold a space:
    /// `operator int*`.
    operator: bool,
}

impl Shorter {
    fn push(&mut self, part: &[u8], end: usize) -> usize {
        self.out.extend_from_slice(part);
        end
    }

    fn push_byte(&mut self, byte: u8) {
        self.out.push(byte);
        if byte == b' ' && !self.operator && self.start.is_some() {
            self.start = Some(self.out.len());
        }
    }

    /// Whether a `(` here begins arguments.
    ///
    /// It does not in Go's `pkg.(*T).f`, OCaml's `Foo.(fun)`, `(anonymous
    /// namespace)::f`, Python's `f (a.py:1)`, Clang's `f()::'lambda'(int)`.
    fn takes_arguments(&self) -> bool {
        // Rust's `fn() -> T` is a type, C++'s decltype(x) an expression.
        const NO_NAMES: [&[u8]; 5] = [b"fn", b"decltype", b"noexcept", b"sizeof", b"alignof"];
        let word = self.out.iter().rposition(|&byte| !is_word(byte)).map_or(0, |at| at + 1);
        let ends_name = |&byte: &u8| is_word(byte) || matches!(byte, b'>' | b']' | b'}');
        self.operator
            || self.out.last().is_some_and(ends_name) && !NO_NAMES.contains(&&self.out[word..])
    }

    /// Drops the return type, after the arguments were dropped.
    fn end_function(&mut self) {
        // `non-virtual thunk to A::f()`, `guard variable for f()::x`
        const NO_TYPES: [&[u8]; 3] = [b" to ", b" for ", b" in "];
        self.operator = false;
        if let Some(start) = self.start.take()
            && !NO_TYPES.iter().any(|words| self.out[..start].ends_with(words))
        {
            self.out.drain(..start);
        }
    }
}

/// Returns the end of the qualifiers after arguments that end at `end`, as in `(int) const &`;
/// `None` if these are not arguments.
///
/// Only another name or a clone mark may follow arguments. In Java's
/// `Foo.bar(I)V` a return type follows, so the name stays.
fn after_arguments(name: &[u8], end: usize) -> Option<usize> {
    const QUALIFIERS: [&[u8]; 6] =
        [b" const", b" volatile", b" restrict", b" noexcept", b" &&", b" &"];
    let mut rest = &name[end..];
    while let Some(after) = QUALIFIERS.iter().find_map(|qualifier| rest.strip_prefix(*qualifier)) {
        rest = after;
    }
    let is_end = match rest {
        [] => true,
        [b'.', clone, ..] => clone.is_ascii_lowercase(),
        _ => [&b"::"[..], b" [clone ", b" (."].iter().any(|next| rest.starts_with(next)),
    };
    is_end.then(|| name.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::without_arguments;

    #[test]
    fn arguments_go() {
        for (name, shorter) in [
            ("foo(int)", "foo"),
            ("foo()", "foo"),
            ("Foo::bar(int) const", "Foo::bar"),
            ("Foo::bar(int) const volatile &&", "Foo::bar"),
            ("void foo<int>(int)", "foo<int>"),
            ("std::enable_if<(1)<(2), int>::type foo<int>(int)", "foo<int>"),
            ("void (anonymous namespace)::foo<int>(int)", "(anonymous namespace)::foo<int>"),
            ("(anonymous namespace)::foo(int)", "(anonymous namespace)::foo"),
            ("foo((anonymous namespace)::Bar)", "foo"),
            ("foo(void (*)(int), int (&) [3])", "foo"),
            (
                "std::function<void (int)>::operator()(int) const",
                "std::function<void (int)>::operator()",
            ),
            ("void Foo::operator()<int>(int)", "Foo::operator()<int>"),
            ("Foo::operator int()", "Foo::operator int"),
            ("Foo::operator char const*()", "Foo::operator char const*"),
            ("Foo::operator std::vector<int>() const", "Foo::operator std::vector<int>"),
            ("operator new(unsigned long)", "operator new"),
            ("operator new[](unsigned long)", "operator new[]"),
            ("Foo::operator->() const", "Foo::operator->"),
            ("Foo::operator<(Foo const&) const", "Foo::operator<"),
            ("Foo::operator+(Foo const&)", "Foo::operator+"),
            ("std::ostream& operator<< <char>(std::ostream&, char)", "operator<< <char>"),
            ("std::ostream& std::operator<<(std::ostream&, char)", "std::operator<<"),
            (
                "foo(int)::{lambda(int)#1}::operator()(int) const",
                "foo::{lambda(int)#1}::operator()",
            ),
            (
                "void foo<int>(int)::{lambda()#1}::operator()() const",
                "foo<int>::{lambda()#1}::operator()",
            ),
            ("foo(int)::'lambda'(char)::operator()(char) const", "foo::'lambda'(char)::operator()"),
            ("decltype (x) foo<int>(int)", "foo<int>"),
            ("decltype(x) foo<int>(int)", "foo<int>"),
            ("f[abi:cxx11](int)", "f[abi:cxx11]"),
            ("foo::bar() [clone .isra.0] [clone .cold]", "foo::bar [clone .isra.0] [clone .cold]"),
            ("foo::bar() (.cold)", "foo::bar (.cold)"),
            ("foo::bar().cold", "foo::bar.cold"),
            ("non-virtual thunk to foo::bar(int)", "non-virtual thunk to foo::bar"),
            ("mod`foo::bar(int)", "mod`foo::bar"),
        ] {
            assert_eq!(without_arguments(name.as_bytes()), shorter.as_bytes(), "{name}");
            assert_eq!(without_arguments(shorter.as_bytes()), shorter.as_bytes(), "{shorter}");
        }
    }

    #[test]
    fn parentheses_of_other_meaning_stay() {
        for name in [
            "",
            "(",
            ")",
            "main",
            "foo(int",
            "foo(int]",
            "Foo::operator()",
            "Foo::operator()<int>",
            "(anonymous namespace)::foo",
            "(sd-pam)",
            "pkg.(*T).Method",
            "pkg.(*T).Method.func1",
            "Foo.(fun/811)",
            "Foo.(fun a.ml:25/373)",
            "Stdlib.(^)",
            "Odd.(.%(:..))",
            "Foo.bar.(partial f)",
            "<A as B>::f",
            "<fn(A) -> B as core::ops::FnOnce<(A,)>>::call_once",
            "<(A, B) as C>::f",
            "fn() -> T",
            "foo (/app/a.py:12)",
            "LazyCompile:*run /app/a.js:1",
            "Foo.bar(ILjava/lang/String:)V",
            "-[NSFoo(Category) bar:]",
            "[memfd:my demo (deleted)]",
            "block (2 levels) in run",
        ] {
            assert_eq!(without_arguments(name.as_bytes()), name.as_bytes(), "{name}");
        }
    }
}
