//! Fields of a table with tabs between its columns, for pandas, DuckDB and R.

use std::borrow::Cow;

use bstr::ByteSlice;

/// What pandas and R take for a missing value, even in quotes.
const MISSING: [&str; 18] = [
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>",
    "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
];

/// Appends a row of such a table, with a line end.
pub fn append_row(fields: &[&str], out: &mut Vec<u8>) {
    for (column, field) in fields.iter().enumerate() {
        if column > 0 {
            out.push(b'\t');
        }
        push_field(field, out);
    }
    out.push(b'\n');
}

/// Appends a field as readers of tables expect it: in quotation marks if it holds
/// one or begins with `#`, which DuckDB takes for a comment, and with a space in place of each
/// control character.
pub fn push_field(field: &str, out: &mut Vec<u8>) {
    if field.starts_with('#') {
        return push_quoted(field, out);
    }
    push_bytes(readable(field).as_bytes(), out);
}

/// Appends a field of any bytes in the same way, except that it may be a word for a missing value.
pub fn push_bytes(field: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    if field.starts_with(b"#") || field.contains(&b'"') {
        quote(field, out);
    } else {
        out.extend_from_slice(field);
    }
    replace_controls(&mut out[start..]);
}

/// Appends a field in quotation marks; those within are doubled.
pub fn push_quoted(field: &str, out: &mut Vec<u8>) {
    let start = out.len();
    quote(readable(field).as_bytes(), out);
    replace_controls(&mut out[start..]);
}

fn quote(field: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for part in field.split_inclusive(|&byte| byte == b'"') {
        out.extend_from_slice(part);
        if part.ends_with(b"\"") {
            out.push(b'"');
        }
    }
    out.push(b'"');
}

/// What a field holds: `"a ""b"""` is `a "b"`.
#[must_use]
pub fn unquoted(field: &[u8]) -> Cow<'_, [u8]> {
    let inner = field.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    match inner {
        Some(inner) if inner.contains(&b'"') => inner.replace("\"\"", "\"").into(),
        Some(inner) => inner.into(),
        None => field.into(),
    }
}

/// Puts a name such as `NA` in brackets, since it would be read as a missing value.
fn readable(field: &str) -> Cow<'_, str> {
    if MISSING.contains(&field) { format!("[{field}]").into() } else { field.into() }
}

fn replace_controls(text: &mut [u8]) {
    text.iter_mut().filter(|byte| byte.is_ascii_control()).for_each(|byte| *byte = b' ');
}
