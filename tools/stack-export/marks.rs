//! Marks of frames as words, for formats that have a field for them.

use std::borrow::Cow;

/// The words for marks, in their order: `library` and `inlined` for `_[l]_[i]`.
pub(crate) fn words(marks: &[u8]) -> Vec<Cow<'static, str>> {
    let letters = marks.split(|byte| *byte == b'[').skip(1).filter_map(<[u8]>::first);
    let word = |letter: &u8| match letter {
        b'k' => "kernel".into(),
        b'l' => "library".into(),
        b'o' => "own".into(),
        b'j' => "jit".into(),
        b'i' => "inlined".into(),
        b'w' => "waker".into(),
        letter => char::from(*letter).to_string().into(),
    };
    letters.map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_has_a_word() {
        let words = |marks: &str| words(marks.as_bytes()).join(",");
        assert_eq!(words("_[l]_[i]"), "library,inlined");
        assert_eq!(words("_[k]_[o]_[j]_[w]_[x]"), "kernel,own,jit,waker,x");
        assert_eq!(words(""), "");
    }
}
