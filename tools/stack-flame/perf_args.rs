//! Options of perf that stack-flame does not have.

/// What stack-flame sets: perf's long option, its short one, and what says so here.
const OURS: [(&str, char, &str); 7] = [
    ("output", 'o', "--keep FILE"),
    ("call-graph", 'g', "--call-graph KIND"),
    ("freq", 'F', "-F HZ"),
    ("count", 'c', "-F HZ"),
    ("event", 'e', "-e EVENT"),
    ("pid", 'p', "-p PID"),
    ("all-cpus", 'a', "-a"),
];

/// perf's short options whose value follows them, also in the same word.
const WITH_VALUE: &str = "CDGjkmrtuSIz";

/// The words of perf's options.
#[derive(Clone, Debug)]
pub(crate) struct PerfArgs(pub(crate) Vec<String>);

impl PerfArgs {
    /// Whether they say which clock times are of.
    pub(crate) fn sets_clock(&self) -> bool {
        self.0.iter().any(|word| has_option(word, "clockid", 'k'))
    }

    /// Whether they say how large perf's buffers are.
    pub(crate) fn sets_buffers(&self) -> bool {
        self.0.iter().any(|word| has_option(word, "mmap-pages", 'm'))
    }
}

/// Splits options as a shell does, and refuses those that stack-flame sets itself.
pub(crate) fn parse(text: &str) -> Result<PerfArgs, String> {
    let words = split(text)?;
    let mut may_be_value = false;
    for word in &words {
        if let Some(ours) = ours(word) {
            return Err(format!("'{word}' is what stack-flame sets: use its own {ours}"));
        }
        let is_option = word.starts_with('-') && word != "--";
        // perf would run it as the program.
        if !is_option && !may_be_value {
            return Err(format!("'{word}' is no option of 'perf record'"));
        }
        may_be_value = is_option && !word.contains('=');
    }
    Ok(PerfArgs(words))
}

/// Our own option for what this word asks for, if there is one.
fn ours(word: &str) -> Option<&'static str> {
    let found = OURS.iter().find(|(long, short, _)| has_option(word, long, *short));
    found.map(|(_, _, ours)| *ours)
}

/// Whether a word is this option of perf, or has its letter among others: `-gF99`.
fn has_option(word: &str, long: &str, short: char) -> bool {
    let Some(option) = word.strip_prefix('-') else { return false };
    match option.strip_prefix('-') {
        Some(name) => {
            let name = name.split('=').next().unwrap_or_default();
            // perf takes the first letters of a name for the whole.
            !name.is_empty() && long.starts_with(name)
        }
        None => option
            .split_inclusive(|it| WITH_VALUE.contains(it))
            .next()
            .is_some_and(|letters| letters.contains(short)),
    }
}

/// Splits at blanks that are not quoted. Nothing is expanded: `$`, `~` and `*` are themselves.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    // `''` is a word, too.
    let mut word: Option<String> = None;
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        match next {
            '\'' | '"' => quoted(&mut rest, next, word.get_or_insert_default())?,
            '\\' => {
                let escaped = rest.next().ok_or("expected a character after the last \\")?;
                word.get_or_insert_default().push(escaped);
            }
            blank if blank.is_ascii_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Adds to `word` what comes before the next `quote`. Within double quotes a backslash is itself
/// unless it is before what has a meaning there.
fn quoted(rest: &mut std::str::Chars, quote: char, word: &mut String) -> Result<(), String> {
    loop {
        match rest.next() {
            None => return Err(format!("the quote {quote} is not closed")),
            Some(next) if next == quote => return Ok(()),
            Some('\\') if quote == '"' => match rest.next() {
                Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                other => word.extend(['\\'].into_iter().chain(other)),
            },
            Some(other) => word.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_splits_them_and_nothing_is_expanded() {
        for (text, expected) in [
            ("", &[][..]),
            ("  ", &[]),
            ("-m 8M\t-C 0", &["-m", "8M", "-C", "0"]),
            ("--filter 'a b' \"c 'd'\"", &["--filter", "a b", "c 'd'"]),
            (r"a\ b \'c", &["a b", "'c"]),
            (r#""a \"b\" \\ \n \$""#, &[r#"a "b" \ \n $"#]),
            (r"'a\b'c''", &[r"a\bc"]),
            ("'' \"\"", &["", ""]),
            ("$HOME ~ * `id` $(id) é", &["$HOME", "~", "*", "`id`", "$(id)", "é"]),
        ] {
            assert_eq!(split(text), Ok(expected.iter().map(ToString::to_string).collect()));
        }
        for (text, expected) in [
            ("-C '0", "the quote ' is not closed"),
            ("\"a\\\"", "the quote \" is not closed"),
            ("a\\", "expected a character after the last \\"),
        ] {
            assert_eq!(split(text), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_stack_flame_sets_is_refused_with_its_own_option() {
        for (text, ours) in [
            ("-o x", "--keep FILE"),
            ("-ox", "--keep FILE"),
            ("--output=x", "--keep FILE"),
            ("--out x", "--keep FILE"),
            ("-vg", "--call-graph KIND"),
            ("--call-graph=lbr", "--call-graph KIND"),
            ("-F99", "-F HZ"),
            ("-c 100", "-F HZ"),
            ("-C 0 -e cycles", "-e EVENT"),
            ("--pid 1", "-p PID"),
            ("--all-cpus", "-a"),
        ] {
            let said = parse(text).expect_err(text);
            assert!(said.ends_with(&format!(": use its own {ours}")), "{text}: {said}");
        }
        for text in ["-m 8M", "-C0", "-jany_call", "--all-user", "--clockid=mono", "-k mono", "-q"]
        {
            assert!(parse(text).is_ok(), "{text}: {:?}", parse(text));
        }
        for text in ["ls", "-C 0 ls", "--", "--clockid=mono ls"] {
            assert!(parse(text).is_err_and(|said| said.ends_with("no option of 'perf record'")));
        }
    }
}
