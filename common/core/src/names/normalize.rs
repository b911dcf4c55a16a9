//! Makes names equal that differ only between builds, runs or
//! copies of a function. man/stack-demangle.1 has the table.

use bstr::ByteSlice;

use crate::numbers::is_digits;

/// Rewrites `name` where its form is unmistakable. Most names lack a byte of such a form, which is soon
/// seen; to search for a text takes longer.
pub fn normalize(name: &mut Vec<u8>) {
    drop_rust_hash(name);
    drop_clones(name);
    drop_crate_hashes(name);
    drop_lambda_ids(name);
    drop_class_addresses(name);
    drop_accessor_numbers(name);
    drop_tier(name);
}

/// Drops the hash of `core::fmt::write::h0123456789abcdef`, also where clone
/// marks follow.
fn drop_rust_hash(name: &mut Vec<u8>) {
    const HASH_LENGTH: usize = "::h0123456789abcdef".len();
    if !name.contains(&b':') {
        return;
    }
    let Some(at) = name.rfind("::h").filter(|&at| at > 0) else { return };
    let Some(hash) = name.get(at + 3..at + HASH_LENGTH) else { return };
    let ends = matches!(name.get(at + HASH_LENGTH), None | Some(b'.' | b' '));
    if ends && hash.iter().all(|&byte| is_lower_hex(byte)) {
        name.drain(at..at + HASH_LENGTH);
    }
}

/// Drops what GCC and LLVM append to copies and parts of a function:
/// `foo.isra.0.cold`, which demanglers print as `foo() [clone .isra.0]
/// [clone .cold]` or `foo() (.isra.0.cold)`.
fn drop_clones(name: &mut Vec<u8>) {
    let mut end = name.len();
    while let Some(shorter) = without_clone(&name[..end]) {
        end = shorter;
    }
    name.truncate(end);
}

/// Returns the length of `name` without the clone mark at its end, if it has
/// one.
fn without_clone(name: &[u8]) -> Option<usize> {
    if let Some(inside) = name.strip_suffix(b"]") {
        let at = inside.rfind(" [clone .")?;
        return (at > 0 && is_clones(&inside[at + " [clone ".len()..])).then_some(at);
    }
    if let Some(inside) = name.strip_suffix(b")") {
        let at = inside.rfind(" (.")?;
        return (at > 0 && is_clones(&inside[at + " (".len()..])).then_some(at);
    }
    let marks = clone_marks(name);
    let at = name.len() - marks.len();
    // OCaml, Go and Java may have a function `Foo.cold`, so a word without a number counts only
    // after a name without dots.
    let is_numbered = marks.iter().any(u8::is_ascii_digit);
    let is_path = name[..at].contains(&b'.') && !name[..at].contains_str("::");
    (at > 0 && !marks.is_empty() && (is_numbered || !is_path)).then_some(at)
}

/// Whether `marks` consists of clone marks only.
fn is_clones(marks: &[u8]) -> bool {
    !marks.is_empty() && clone_marks(marks).len() == marks.len()
}

/// The clone marks at the end of `name`, each with its dot: `.isra.0.cold`.
fn clone_marks(name: &[u8]) -> &[u8] {
    const NUMBERED: [&[u8]; 9] = [
        b"isra",
        b"constprop",
        b"part",
        b"llvm",
        b"lto_priv",
        b"clone",
        b"cold",
        b"localalias",
        b"specialized",
    ];
    const ALONE: [&[u8]; 5] = [b"cold", b"warm", b"localalias", b"argprom", b"argelim"];
    if !name.contains(&b'.') {
        return &[];
    }
    let mut rest = name;
    while let Some((before, mark)) = rest.rsplit_once_str(".") {
        rest = match before.rsplit_once_str(".") {
            Some((before, word)) if is_digits(mark) && NUMBERED.contains(&word) => before,
            _ if ALONE.contains(&mark) => before,
            _ => break,
        };
    }
    &name[rest.len()..]
}

/// Drops the hash of a Rust crate, which other demanglers keep:
/// `core[846817f741e54dfd]::fmt::write`.
fn drop_crate_hashes(name: &mut Vec<u8>) {
    let mut from = 1;
    while let Some(at) = name.get(from..).and_then(|rest| rest.find_byte(b'[')).map(|at| from + at)
    {
        let digits = name[at + 1..].iter().take_while(|&&byte| is_lower_hex(byte)).count();
        let is_crate = name[at - 1].is_ascii_alphanumeric() || name[at - 1] == b'_';
        if is_crate && (8..=16).contains(&digits) && name[at + 1 + digits..].starts_with(b"]::") {
            name.drain(at..at + digits + 2);
        }
        from = at + 1;
    }
}

/// Drops the numbers of Java's classes for lambdas, which are numbered in the order of their first
/// use: `Foo$$Lambda$12/0x00007f9b78000a08.run`, `Foo$$Lambda$12/1234567.run`,
/// `Foo$$Lambda/0x00007f9b78000a08.run`, `Foo$$Lambda$12.0x00007f9b.run`, and in JFR's files
/// `Foo$$Lambda$12+0x00007f9b78000a08.1234567.run`.
fn drop_lambda_ids(name: &mut Vec<u8>) {
    const LAMBDA: &str = "$$Lambda";
    if !name.contains(&b'$') {
        return;
    }
    let Some(at) = name.find(LAMBDA) else { return };
    let start = at + LAMBDA.len();
    let mut end = start;
    for separator in [b'$', b'/', b'+', b'.'] {
        if let [byte, id @ ..] = &name[end..]
            && *byte == separator
            && let length @ 1.. = length_of_id(id)
        {
            end += 1 + length;
        }
    }
    name.drain(start..end);
}

/// The length of a number such as `0x00007f9b` or `1234567` at the start of
/// `text`; 0 if there is none.
fn length_of_id(text: &[u8]) -> usize {
    match text.strip_prefix(b"0x") {
        Some(digits) => 2 + digits.iter().take_while(|&&byte| is_lower_hex(byte)).count(),
        None => text.iter().take_while(|byte| byte.is_ascii_digit()).count(),
    }
}

/// Drops the addresses of Java's hidden classes:
/// `LambdaForm$MH/0x00007f9b78002c00.invoke`, and in JFR's files
/// `LambdaForm$MH+0x00007f9b78002c00.1234567.invoke`.
fn drop_class_addresses(name: &mut Vec<u8>) {
    if memchr::memchr2(b'/', b'+', name).is_none() {
        return;
    }
    let mut from = 2;
    while let Some(at) = name.get(from..).and_then(|rest| rest.find("0x")).map(|at| from + at) {
        from = at + 1;
        let length = length_of_id(&name[at..]);
        if !(10..=18).contains(&length) {
            continue;
        }
        let rest = &name[at + length..];
        let end = match name[at - 1] {
            b'/' => matches!(rest, [] | [b'.' | b':', ..]).then_some(0),
            b'+' => length_of_hash(rest),
            _ => None,
        };
        if let Some(end) = end {
            name.drain(at - 1..at + length + end);
        }
    }
}

/// The length of `.1234567` before a method's name: what JFR appends to an address.
fn length_of_hash(text: &[u8]) -> Option<usize> {
    let digits = length_of_id(text.strip_prefix(b".")?);
    (digits > 0 && text.get(1 + digits) == Some(&b'.')).then_some(1 + digits)
}

/// Drops the numbers of Java's classes for reflection and proxies:
/// `GeneratedMethodAccessor12`.
fn drop_accessor_numbers(name: &mut Vec<u8>) {
    const CLASSES: [&str; 4] = [
        "GeneratedMethodAccessor",
        "GeneratedConstructorAccessor",
        "GeneratedSerializationConstructorAccessor",
        "$Proxy",
    ];
    if memchr::memchr2(b'G', b'$', name).is_none() {
        return;
    }
    for class in CLASSES {
        let Some(at) = name.find(class) else { continue };
        let starts_class = at == 0 || matches!(name[at - 1], b'.' | b'/');
        let start = at + class.len();
        let digits = name[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let ends = matches!(name.get(start + digits), None | Some(b'.' | b':'));
        if starts_class && ends {
            name.drain(start..start + digits);
        }
    }
}

/// Drops V8's mark for the compiler of a function: `*` in `LazyCompile:*run
/// /app/a.js:1`, `~` in `JS:~run`.
fn drop_tier(name: &mut Vec<u8>) {
    const KINDS: [&str; 5] = ["LazyCompile:", "Function:", "Script:", "Eval:", "JS:"];
    let kind = KINDS.iter().find(|kind| name.starts_with_str(kind));
    if let Some(kind) = kind
        && matches!(name.get(kind.len()), Some(b'*' | b'~' | b'^' | b'+'))
    {
        name.remove(kind.len());
    }
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    fn normalized(name: &str) -> String {
        let mut name = name.as_bytes().to_vec();
        super::normalize(&mut name);
        String::from_utf8(name).expect("UTF-8")
    }

    #[test]
    fn copies_become_equal() {
        for (name, expected) in [
            ("foo.isra.0", "foo"),
            ("foo.constprop.0.isra.0", "foo"),
            ("foo.part.1.cold", "foo"),
            ("foo.cold", "foo"),
            ("foo.cold.12", "foo"),
            ("foo.warm", "foo"),
            ("foo.llvm.1234567890123", "foo"),
            ("foo.lto_priv.0", "foo"),
            ("foo.localalias", "foo"),
            ("SHA256_Update.cold", "SHA256_Update"),
            ("foo::bar() [clone .isra.0] [clone .cold]", "foo::bar()"),
            ("foo::bar() [clone .isra.0.cold]", "foo::bar()"),
            ("foo::bar() (.isra.0.cold)", "foo::bar()"),
            ("<T as a::B>::f.cold", "<T as a::B>::f"),
            ("core::fmt::write::h0123456789abcdef", "core::fmt::write"),
            ("core::fmt::write::h0123456789abcdef.llvm.12", "core::fmt::write"),
            ("core[846817f741e54dfd]::fmt::write", "core::fmt::write"),
            ("<a[846817f741e54dfd]::T as b[00e817f741e54dfd]::U>::f", "<a::T as b::U>::f"),
            ("Foo$$Lambda$12/0x00007f9b78000a08.run", "Foo$$Lambda.run"),
            ("Foo$$Lambda$12/1234567890.run", "Foo$$Lambda.run"),
            ("Foo$$Lambda$12+0x00007f9b78000a08.1234567.run", "Foo$$Lambda.run"),
            ("LambdaForm$MH+0x00007f9b78002c00.1234567.invoke", "LambdaForm$MH.invoke"),
            ("f+0x00007f9b78002c00.g", "f+0x00007f9b78002c00.g"),
            ("Foo$$Lambda/0x00007f9b78000a08.run", "Foo$$Lambda.run"),
            ("Foo$$Lambda$12.0x00007f9b78000a08.run", "Foo$$Lambda.run"),
            ("Foo$$Lambda.0x00007f9b78000a08.run", "Foo$$Lambda.run"),
            ("Lcom/foo/Bar$$Lambda$12:::run", "Lcom/foo/Bar$$Lambda:::run"),
            (
                "java/lang/invoke/LambdaForm$MH/0x00007f9b78002c00.invoke",
                "java/lang/invoke/LambdaForm$MH.invoke",
            ),
            ("LambdaForm$DMH/0x0000000800c03000", "LambdaForm$DMH"),
            (
                "jdk/internal/reflect/GeneratedMethodAccessor12.invoke",
                "jdk/internal/reflect/GeneratedMethodAccessor.invoke",
            ),
            ("com.sun.proxy.$Proxy31.call", "com.sun.proxy.$Proxy.call"),
            ("LazyCompile:*run /app/a.js:1", "LazyCompile:run /app/a.js:1"),
            ("LazyCompile:~run /app/a.js:1", "LazyCompile:run /app/a.js:1"),
            ("JS:^run /app/a.js:1", "JS:run /app/a.js:1"),
            ("Function:~ /app/a.js:1", "Function: /app/a.js:1"),
        ] {
            assert_eq!(normalized(name), expected, "{name}");
            assert_eq!(normalized(expected), expected, "{expected}");
        }
    }

    #[test]
    fn names_that_only_look_alike_stay() {
        for name in [
            "",
            "main",
            ".cold",
            ".isra.0",
            "foo.isra",
            "foo.0",
            "foo.isra.0x",
            "Foo.Bar.cold",
            "github.com/a/b.cold",
            "org.foo.Bar.warm",
            "foo.colder",
            "foo [clone]",
            "foo (deleted)",
            " [clone .cold]",
            "::h0123456789abcdef",
            "foo::h0123456789abcdef0",
            "foo::h0123456789ABCDEF",
            "foo[1]::bar",
            "[0123456789abcdef]::f",
            "Foo$$Lambda",
            "Foo$$Lambda$run",
            "bar/0x12.f",
            "MyGeneratedMethodAccessor12.f",
            "GeneratedMethodAccessor12x",
            "LazyCompile:run",
            "*run",
            "JS:",
            "f[k]",
        ] {
            assert_eq!(normalized(name), name);
        }
    }
}
