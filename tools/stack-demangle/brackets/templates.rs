//! `--no-templates`: makes `std::vector<int>::push_back`
//! `std::vector::push_back`.

use bstr::ByteSlice;

use super::{Groups, is_word, operator};

/// Returns `name` without the arguments of templates and generics.
pub(crate) fn without_templates(name: &[u8]) -> Vec<u8> {
    let groups = Groups::of(name);
    let mut out = Vec::with_capacity(name.len());
    let mut at = 0;
    while at < name.len() {
        if let Some(end) = operator::end(name, at) {
            out.extend_from_slice(&name[at..end]);
            at = after_operator_arguments(name, end, &groups);
        } else if let Some(end) = end_of_arguments(name, at, &groups) {
            // Rust: align_of::<u32>
            if out.ends_with(b"::") {
                out.truncate(out.len() - 2);
            }
            at = end;
        } else {
            out.push(name[at]);
            at += 1;
        }
    }
    out
}

/// Returns the end of the arguments of an operator, as in `operator()<int>` and,
/// with a space between the brackets, `operator<< <char>`.
fn after_operator_arguments(name: &[u8], at: usize, groups: &Groups) -> usize {
    let bracket = at + usize::from(name[at..].starts_with(b" "));
    let is_bracket = name.get(bracket) == Some(&b'<');
    is_bracket.then(|| groups.end(bracket)).flatten().unwrap_or(at)
}

/// Returns the end of the arguments that begin at `at`, if any do.
fn end_of_arguments(name: &[u8], at: usize, groups: &Groups) -> Option<usize> {
    let before = &name[..at];
    match name[at] {
        b'<' if before.last().is_some_and(|&byte| is_word(byte)) => groups.end(at),
        b'<' if before.ends_with(b"::") => {
            groups.end(at).filter(|&end| is_turbofish(&name[at + 1..end - 1]))
        }
        // Go: main.Map[...], main.Map[go.shape.int]
        b'[' if before.last().is_some_and(|&byte| is_word(byte)) => {
            let is_go = name[at..].starts_with(b"[...]") || name[at..].starts_with(b"[go.shape.");
            is_go.then(|| groups.end(at)).flatten()
        }
        _ => None,
    }
}

/// Whether `<inside>` after `::` holds arguments, and is not a name as in Rust's `core::str::<impl
/// str>::len`, Java's `Foo::<init>`, Python's `py::<module>:/app.py` and GCC's
/// `f()::<lambda(int)>`.
fn is_turbofish(inside: &[u8]) -> bool {
    const NAMES: [&[u8]; 10] = [
        b"init",
        b"clinit",
        b"module",
        b"lambda",
        b"listcomp",
        b"dictcomp",
        b"setcomp",
        b"genexpr",
        b"anonymous",
        b"unnamed",
    ];
    let word = inside.find_not_byteset(b"abcdefghijklmnopqrstuvwxyz").unwrap_or(inside.len());
    !inside.starts_with(b"impl ") && !NAMES.contains(&&inside[..word])
}

#[cfg(test)]
mod tests {
    use super::without_templates;

    #[test]
    fn arguments_of_templates_go() {
        for (name, shorter) in [
            (
                "std::vector<int, std::allocator<int> >::push_back(int const&)",
                "std::vector::push_back(int const&)",
            ),
            ("void foo<int>(std::vector<int>)", "void foo(std::vector)"),
            (
                "std::function<void (int)>::operator()(int) const",
                "std::function::operator()(int) const",
            ),
            ("Foo::operator()<int>(int)", "Foo::operator()(int)"),
            ("operator<< <char>(std::ostream&, char)", "operator<<(std::ostream&, char)"),
            ("bool operator< <int>(A<int> const&)", "bool operator<(A const&)"),
            ("A<int>::operator<(A<int> const&)", "A::operator<(A const&)"),
            ("A<int>::operator<=>(A<int> const&)", "A::operator<=>(A const&)"),
            ("bool operator==<A, B<C> >(A, B<C>)", "bool operator==(A, B)"),
            ("A<int>::operator->()", "A::operator->()"),
            ("std::vector<A<b>>::operator[](int)", "std::vector::operator[](int)"),
            ("A::operator std::vector<int>()", "A::operator std::vector()"),
            ("foo<(bar)1, ((1)<(2))>(int)", "foo(int)"),
            ("foo<&A::operator<< >::f", "foo::f"),
            ("(anonymous namespace)::A<int>::f", "(anonymous namespace)::A::f"),
            (
                "f<int>(int)::{lambda(std::vector<int>)#1}::operator()",
                "f(int)::{lambda(std::vector)#1}::operator()",
            ),
            (
                "<alloc::vec::Vec<T> as core::ops::Drop>::drop",
                "<alloc::vec::Vec as core::ops::Drop>::drop",
            ),
            ("core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place"),
            ("std::mem::align_of::<usize, f64>", "std::mem::align_of"),
            ("a::Vec::<u8>::new", "a::Vec::new"),
            (
                "<fn() -> T as core::ops::FnOnce<()>>::call_once",
                "<fn() -> T as core::ops::FnOnce>::call_once",
            ),
            ("core::slice::<impl [T]>::iter", "core::slice::<impl [T]>::iter"),
            ("core::f::<impl A<X> for B<Y>>::g", "core::f::<impl A for B>::g"),
            ("main.Map[...]", "main.Map"),
            ("main.Map[go.shape.int,go.shape.string].func1", "main.Map.func1"),
            ("main.(*List[...]).Push", "main.(*List).Push"),
        ] {
            assert_eq!(without_templates(name.as_bytes()), shorter.as_bytes(), "{name}");
            assert_eq!(without_templates(shorter.as_bytes()), shorter.as_bytes(), "{shorter}");
        }
    }

    #[test]
    fn brackets_of_other_meaning_stay() {
        for name in [
            "",
            "<",
            "main",
            "foo<int",
            "foo<(int>",
            "A::operator<",
            "A::operator<<",
            "A::operator->",
            "<A as B>::f",
            "<lambda(int)>",
            "f()::<lambda(int)>",
            "Foo.<init>",
            "Ljava/lang/Foo:::<init>",
            "py::<module>:/app/a.py",
            "Script:<eval>",
            "Stdlib.(<>)",
            "Stdlib.(<=)",
            "Foo.bar.<specialization_of>.Baz.f",
            "main.(*T).Method",
            "f[abi:cxx11](int)",
            "foo(int) [clone .cold]",
            "[libc.so.6]",
            "-[NSFoo bar:]",
            "LazyCompile:*a->b /x.js:1",
        ] {
            assert_eq!(without_templates(name.as_bytes()), name.as_bytes(), "{name}");
        }
    }
}
