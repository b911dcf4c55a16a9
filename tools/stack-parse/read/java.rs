//! Source files of Java, which its profilers name without their folders or not at all.
//!
//! By convention the folders of a file are the parts of its package, and the outermost class
//! names the file. The convention of Kotlin, Scala and others differs.

use bstr::ByteSlice;

use super::source::place;

/// The file of a class: `java/util/HashMap.java` of `java.util.HashMap$Node`.
pub(crate) fn file_of_class(class: &[u8]) -> Vec<u8> {
    [&outermost(class).replace(".", "/")[..], b".java"].concat()
}

/// A line of the file of a class, `java/util/HashMap.java:15`; empty without a class or a line.
pub(crate) fn place_of_class(class: &[u8], line: u64) -> Vec<u8> {
    /// The JVM writes -1, of 32 bits, where there is no line.
    const LAST_LINE: u64 = i32::MAX as u64;
    match line {
        1..=LAST_LINE if !class.is_empty() => place(&file_of_class(class), line),
        _ => Vec::new(),
    }
}

/// A place with its folders: `java/util/HashMap.java:1564` of `java.util.HashMap$Node.find` and
/// `HashMap.java:1564`.
pub(crate) fn place_in_package(method: &[u8], place: &[u8]) -> Vec<u8> {
    let class = method.rsplit_once_str(".").map_or(&b""[..], |(class, _)| class);
    match outermost(class).rsplit_once_str(".") {
        Some((package, _)) if !place.contains(&b'/') => {
            [&package.replace(".", "/")[..], b"/", place].concat()
        }
        _ => place.to_vec(),
    }
}

/// The outermost class: `java.util.HashMap` of `java.util.HashMap$Node`. A `$` that begins a name
/// is a part of it: `com.sun.proxy.$Proxy1`. The suffix that the JVM adds to hidden classes is left
/// out: `Main$$Lambda/0x1f`.
fn outermost(class: &[u8]) -> &[u8] {
    let class = class.split_once_str("/").map_or(class, |(class, _)| class);
    let is_inner = |&at: &usize| at > 0 && class[at] == b'$' && class[at - 1] != b'.';
    (0..class.len()).find(is_inner).map_or(class, |at| &class[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_class_names_the_file() {
        for (class, file) in [
            ("java.util.HashMap", "java/util/HashMap.java"),
            ("java.util.HashMap$Node", "java/util/HashMap.java"),
            ("Main$$Lambda.0x00007f", "Main.java"),
            ("com.sun.proxy.$Proxy1", "com/sun/proxy/$Proxy1.java"),
            ("Main", "Main.java"),
        ] {
            assert_eq!(file_of_class(class.as_bytes()).as_bstr(), file, "{class}");
        }
    }

    #[test]
    fn folders_are_the_package() {
        for (method, place, expected) in [
            ("java.util.HashMap$Node.find", "HashMap.java:15", "java/util/HashMap.java:15"),
            ("a.b.Main$$Lambda/0x1f.run", "Main.java:3", "a/b/Main.java:3"),
            ("clojure.core$map$fn__4785.invoke", "core.clj:2557", "clojure/core.clj:2557"),
            ("a.Main.<init>", "Main.java:3", "a/Main.java:3"),
            ("Main.main", "Main.java:3", "Main.java:3"),
            ("main", "Main.java:3", "Main.java:3"),
            ("a.Main.main", "src/Main.java:3", "src/Main.java:3"),
        ] {
            let place = place_in_package(method.as_bytes(), place.as_bytes());
            assert_eq!(place.as_bstr(), expected, "{method}");
        }
    }
}
