//! Lines of tables with fields separated by commas or the like, some of them in quotes.

use std::borrow::Cow;

use bstr::ByteSlice;

/// Takes the next field from `line`; `None` at the end. In a field in quotes, two quotes stand for
/// one: `"a ""b"", c"`.
pub(crate) fn next_field<'a>(line: &mut Option<&'a [u8]>, separator: u8) -> Option<Cow<'a, [u8]>> {
    let rest = (*line)?;
    let Some(quoted) = rest.strip_prefix(b"\"") else {
        let end = rest.find_byte(separator);
        *line = end.map(|end| &rest[end + 1..]);
        return Some(Cow::Borrowed(&rest[..end.unwrap_or(rest.len())]));
    };
    let (mut field, mut rest) = (Vec::new(), quoted);
    loop {
        let Some((text, after)) = rest.split_once_str("\"") else {
            // The quote is not closed.
            field.extend_from_slice(rest);
            *line = None;
            return Some(Cow::Owned(field));
        };
        field.extend_from_slice(text);
        match after.strip_prefix(b"\"") {
            Some(after) => {
                field.push(b'"');
                rest = after;
            }
            None => {
                *line = after.find_byte(separator).map(|end| &after[end + 1..]);
                return Some(Cow::Owned(field));
            }
        }
    }
}

/// All fields of a line.
pub(crate) fn fields(line: &[u8], separator: u8) -> Vec<Cow<'_, [u8]>> {
    let mut rest = Some(line);
    std::iter::from_fn(|| next_field(&mut rest, separator)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_protect_separators() {
        for (line, expected) in [
            ("a,b", &["a", "b"][..]),
            ("\"a,b\",\"2,893\"", &["a,b", "2,893"]),
            ("\"a \"\"b\"\"\",c,", &["a \"b\"", "c", ""]),
            ("\"open,b", &["open,b"]),
            ("", &[""]),
        ] {
            let fields = fields(line.as_bytes(), b',');
            let fields: Vec<_> = fields.iter().map(|field| field.to_str_lossy()).collect();
            assert_eq!(fields, expected, "{line}");
        }
    }
}
