//! C++: what the standard gives by default, inline namespaces, ABI tags, casts of numbers and return
//! types go. gdb's printers of libstdc++ and LLDB leave out the same.

use bstr::ByteSlice;

use super::defaults::{class_is_renamed, write_class};
use super::return_type::without_return_type;
use super::words::{is_word, name_start, operator_length};

/// A longer name stays as it is, and so does one with more open brackets: nobody reads it.
const LONGEST: usize = 1 << 16;
const DEEPEST: usize = 200;

/// Inline namespaces of libstdc++ and libc++, which a program cannot choose.
const INLINE: [&[u8]; 5] = [b"__cxx11", b"__1", b"__ndk1", b"__fs", b"_V2"];

/// The name of a function of C++ as people say it; `None` if that is the name as it is.
#[must_use]
pub fn short_cpp(name: &[u8]) -> Option<Vec<u8>> {
    if !may_be_shorter(name) || name.len() > LONGEST {
        return None;
    }
    let mut short = Shortener::new(name).shortened()?;
    rename_constructors(&mut short);
    if let Some(function) = without_return_type(&short) {
        short = function;
    }
    (short != name).then_some(short)
}

/// Most names are shown by a byte to be as short as they can be: to search for a text takes longer.
fn may_be_shorter(name: &[u8]) -> bool {
    const MAYBE: [&str; 3] = ["::__", "::_V2", "[abi:"];
    let has_byte = || memchr::memchr2(b':', b'[', name).is_some();
    name.contains(&b'<') || has_byte() && MAYBE.iter().any(|it| name.contains_str(it))
}

/// A bracket that is open.
enum Open {
    /// Any bracket but that of a template: the byte that closes it.
    Other(u8),
    /// The `<` of a template: where its name begins in the output, where the bracket is, and which of
    /// [`Shortener::arguments`] is its first.
    Template { name: usize, bracket: usize, first: usize },
}

/// Copies a name and leaves out parts of it: a template is shortened when its bracket closes, with
/// arguments that are short already.
struct Shortener<'n> {
    name: &'n [u8],
    at: usize,
    out: Vec<u8>,
    open: Vec<Open>,
    /// Where the arguments of all open templates begin in the output.
    arguments: Vec<usize>,
    /// Where the last operator ends in the output. Its arguments may come after a blank:
    /// `operator<< <char>`.
    operator: usize,
    /// A buffer for the template that is being shortened.
    class: Vec<u8>,
}

impl<'n> Shortener<'n> {
    fn new(name: &'n [u8]) -> Shortener<'n> {
        let (open, arguments, operator, class) = Default::default();
        let out = Vec::with_capacity(name.len());
        Shortener { name, at: 0, out, open, arguments, operator, class }
    }

    fn rest(&self) -> &'n [u8] {
        &self.name[self.at..]
    }

    /// `None` if brackets are nested too deep.
    fn shortened(mut self) -> Option<Vec<u8>> {
        while let Some(&byte) = self.rest().first() {
            match byte {
                _ if is_word(byte) => self.word(),
                b'<' if self.is_template() => self.open_template(),
                b',' => self.comma(),
                b'>' => self.close_template(),
                b'[' if self.rest().starts_with(b"[abi:") => {
                    self.at += self.rest().find_byte(b']').map_or(self.rest().len(), |at| at + 1);
                }
                b'(' => self.open(b')'),
                b'[' => self.open(b']'),
                b'{' => self.open(b'}'),
                b'<' => self.open(b'>'),
                b')' | b']' | b'}' => self.close(byte),
                _ => self.push(1),
            }
            if self.open.len() > DEEPEST {
                return None;
            }
        }
        Some(self.out)
    }

    fn push(&mut self, count: usize) {
        self.out.extend_from_slice(&self.rest()[..count]);
        self.at += count;
    }

    /// A word of a name: an inline namespace is left out, and an operator is taken with its brackets.
    fn word(&mut self) {
        let rest = self.rest();
        let (word, after) = rest.split_at(rest.iter().take_while(|&&it| is_word(it)).count());
        if word[0] == b'_' && after.starts_with(b"::") && INLINE.contains(&word) && self.is_in_std()
        {
            self.at += word.len() + "::".len();
            return;
        }
        self.push(word.len());
        if word == b"operator" {
            self.push(operator_length(after));
            self.operator = self.out.len();
        }
    }

    /// Whether a `<` after the output has arguments, and is none of `<A as B>::f` or `Foo.<init>`.
    fn is_template(&self) -> bool {
        let is_after_word = self.out.last().is_some_and(|&last| is_word(last));
        is_after_word || self.operator > 0 && self.out.trim_ascii_end().len() == self.operator
    }

    /// Whether the name that is being written begins with `std::`.
    fn is_in_std(&self) -> bool {
        self.out.ends_with(b"::") && self.out[name_start(&self.out)..].starts_with(b"std::")
    }

    fn open(&mut self, closing: u8) {
        self.open.push(Open::Other(closing));
        self.push(1);
    }

    /// Closes a bracket. A `<` after it was a comparison: `(1 < 2)`.
    fn close(&mut self, byte: u8) {
        let is_it = |it: &Open| matches!(it, Open::Other(closing) if *closing == byte);
        if let Some(index) = self.open.iter().rposition(is_it) {
            let template = self.open.drain(index..).find_map(|it| match it {
                Open::Template { first, .. } => Some(first),
                Open::Other(_) => None,
            });
            self.arguments.truncate(template.unwrap_or(self.arguments.len()));
        }
        self.push(1);
    }

    fn open_template(&mut self) {
        let (name, bracket, first) = (name_start(&self.out), self.out.len(), self.arguments.len());
        self.open.push(Open::Template { name, bracket, first });
        self.push(1);
        self.arguments.push(self.out.len());
    }

    fn comma(&mut self) {
        self.push(1);
        if let Some(Open::Template { .. }) = self.open.last() {
            self.arguments.push(self.out.len());
        }
    }

    fn close_template(&mut self) {
        // `x->y`
        let is_arrow = self.out.ends_with(b"-");
        match self.open.last() {
            Some(&Open::Template { name, bracket, first }) if !is_arrow => {
                self.open.pop();
                self.at += 1;
                let ends = self.arguments[first + 1..].iter().map(|start| start - 1);
                let starts = self.arguments[first..].iter();
                let arguments: Vec<&[u8]> = starts
                    .zip(ends.chain([self.out.len()]))
                    .map(|(&start, end)| self.out[start..end].trim_ascii_end())
                    .collect();
                self.class.clear();
                write_class(&self.out[name..bracket], &arguments, &mut self.class);
                self.out.truncate(name);
                self.out.extend_from_slice(&self.class);
                self.arguments.truncate(first);
            }
            Some(Open::Other(b'>')) if !is_arrow => {
                self.open.pop();
                self.push(1);
            }
            // `(a > b)`
            _ => self.push(1),
        }
    }
}

/// `std::string::basic_string(…)` is `std::string::string(…)`, and so is the destructor.
fn rename_constructors(name: &mut Vec<u8>) {
    const BASIC: &[u8] = b"basic_";
    let mut from = 0;
    while let Some(at) = name[from..].find(BASIC).map(|at| from + at) {
        from = at + BASIC.len();
        let length = name[from..].iter().take_while(|&&it| is_word(it)).count();
        let before = name[..at].strip_suffix(b"~").unwrap_or(&name[..at]);
        let Some(class) = before.strip_suffix(b"::") else { continue };
        let class = &class[name_start(class)..];
        if let Some(prefix) = class_is_renamed(class, &name[from..from + length]) {
            name.splice(at..from, prefix.iter().copied());
            from = at + prefix.len();
        }
    }
}
