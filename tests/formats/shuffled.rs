//! JSON objects have no order: the result and the detected format must not depend on the order of
//! keys. Every case in JSON is written again with its keys in random order.

use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Case, for_every_case};
use crate::random::Random;
use crate::util::{TempFile, output, recording, stderr, tool};

/// How often the keys of each case are shuffled, unless `STACK_TOOLS_SHUFFLES` is set.
const SHUFFLES: u64 = 3;

/// More bytes than the detection looks at before it reads more of a JSON text.
const MUCH: usize = 100_000;

#[test]
fn the_order_of_keys_says_nothing() {
    let shuffles = std::env::var("STACK_TOOLS_SHUFFLES");
    let shuffles = shuffles.map_or(SHUFFLES, |text| text.parse().expect("a number"));
    let cases = AtomicUsize::new(0);
    for_every_case(|case| {
        let original = recording(&case.input);
        let Some(documents) = documents(&original) else { return };
        cases.fetch_add(1, Ordering::Relaxed);
        let args = case.args();
        for more in ["--header", "--table"] {
            let args: Vec<&str> = args.split_whitespace().chain([more]).collect();
            let parsed = |text: &[u8]| output("stack-parse", &args, text);
            let expected = parsed(&original);
            for seed in 0..shuffles {
                let mut random = Random(seed);
                let shuffled = documents.iter().map(|it| it.shuffled(&mut random));
                let shuffled: Vec<Value> = shuffled.collect();
                assert_same(case, &parsed(&text(&shuffled)), &expected, seed);
                // The keys that show the format may come after any number of others.
                if let [document] = &shuffled[..] {
                    let late = text(&[document.after_much()]);
                    assert_same(case, &parsed(&late), &expected, seed);
                    let file = TempFile::new(&late);
                    let read = tool("stack-parse").args(&args).arg(file.path()).output();
                    let read = read.expect("it starts");
                    let is_same = sorted(&read.stdout) == sorted(&expected.stdout);
                    assert!(is_same, "{}, seed {seed}", case.input);
                }
            }
        }
    });
    let cases = cases.into_inner();
    println!("{cases} cases are JSON, each with the seeds below {shuffles}");
    assert!(cases > 30, "only {cases} cases are JSON");
}

fn assert_same(case: &Case, found: &Output, expected: &Output, seed: u64) {
    let input = &case.input;
    let texts = |output: &Output| (sorted(&output.stdout), stderr(output), output.status.code());
    let [found, expected] = [found, expected].map(texts);
    let shown = |(stdout, said, _): &(Vec<u8>, String, _)| {
        format!("{}{said}", String::from_utf8_lossy(stdout))
    };
    assert!(
        found == expected,
        "{input}, seed {seed}:\n{}\nwithout shuffling:\n{}",
        shown(&found),
        shown(&expected)
    );
}

/// The sorted lines of an output: samples without a time are in the order of the file.
fn sorted(text: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    lines.sort_unstable();
    lines.concat()
}

/// A value of JSON, with its text unchanged.
#[derive(Clone)]
enum Value {
    /// A string, a number or a word.
    Text(Vec<u8>),
    Array(Vec<Value>),
    Object(Vec<(Vec<u8>, Value)>),
}

impl Value {
    /// The value with the keys of all objects in random order.
    fn shuffled(&self, random: &mut Random) -> Value {
        match self {
            Value::Text(text) => Value::Text(text.clone()),
            Value::Array(elements) => {
                Value::Array(elements.iter().map(|it| it.shuffled(random)).collect())
            }
            Value::Object(fields) => {
                let mut left: Vec<_> =
                    fields.iter().map(|(key, it)| (key.clone(), it.shuffled(random))).collect();
                let one = |_| left.swap_remove(random.below(left.len()));
                Value::Object((0..fields.len()).map(one).collect())
            }
        }
    }

    /// The value with a long unknown key in its first object.
    fn after_much(&self) -> Value {
        let mut value = self.clone();
        let mut first = &mut value;
        while let Value::Array(elements) = first {
            first = elements.first_mut().expect("an object");
        }
        let Value::Object(fields) = first else { panic!("expected an object") };
        let zeros = Value::Array(vec![Value::Text(b"0".to_vec()); MUCH]);
        fields.insert(0, (b"\"nobody knows this\"".to_vec(), zeros));
        value
    }

    fn write(&self, text: &mut Vec<u8>) {
        match self {
            Value::Text(value) => text.extend_from_slice(value),
            Value::Array(elements) => {
                text.push(b'[');
                for (number, element) in elements.iter().enumerate() {
                    text.extend_from_slice(if number > 0 { b"," } else { b"" });
                    element.write(text);
                }
                text.push(b']');
            }
            Value::Object(fields) => {
                text.push(b'{');
                for (number, (key, value)) in fields.iter().enumerate() {
                    text.extend_from_slice(if number > 0 { b", " } else { b"" });
                    text.extend_from_slice(&[key, &b": "[..]].concat());
                    value.write(text);
                }
                text.push(b'}');
            }
        }
    }
}

/// Documents of JSON, each on a line of its own.
fn text(documents: &[Value]) -> Vec<u8> {
    let mut text = Vec::new();
    for document in documents {
        document.write(&mut text);
        text.push(b'\n');
    }
    text
}

/// The documents of a text; `None` if it is not all JSON. The last array may lack its end.
fn documents(text: &[u8]) -> Option<Vec<Value>> {
    let mut rest = text.trim_ascii();
    let mut documents = Vec::new();
    while let [b'{' | b'[', ..] = rest {
        documents.push(value(&mut rest)?);
        rest = rest.trim_ascii_start();
    }
    (rest.is_empty() && !documents.is_empty()).then_some(documents)
}

/// Takes a value from the start of a text.
fn value(rest: &mut &[u8]) -> Option<Value> {
    *rest = rest.trim_ascii_start();
    match rest.first()? {
        b'[' => elements(rest, b']', value).map(Value::Array),
        b'{' => {
            let field = |rest: &mut &[u8]| {
                let key = word(rest).filter(|key| key.starts_with(b"\""))?;
                *rest = rest.trim_ascii_start().strip_prefix(b":")?;
                Some((key, value(rest)?))
            };
            elements(rest, b'}', field).map(Value::Object)
        }
        _ => word(rest).map(Value::Text),
    }
}

/// Takes what is between brackets and commas.
fn elements<T>(
    rest: &mut &[u8],
    close: u8,
    element: impl Fn(&mut &[u8]) -> Option<T>,
) -> Option<Vec<T>> {
    let mut elements = Vec::new();
    *rest = rest[1..].trim_ascii_start();
    loop {
        match rest.first() {
            Some(&byte) if byte == close => {
                *rest = &rest[1..];
                return Some(elements);
            }
            None if close == b']' => return Some(elements),
            None => return None,
            Some(_) => elements.push(element(rest)?),
        }
        *rest = rest.trim_ascii_start();
        *rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
    }
}

/// Takes a string, a number or a word.
fn word(rest: &mut &[u8]) -> Option<Vec<u8>> {
    *rest = rest.trim_ascii_start();
    let length = if rest.first() == Some(&b'"') {
        let mut at = 1;
        while *rest.get(at)? != b'"' {
            at += if rest[at] == b'\\' { 2 } else { 1 };
        }
        at + 1
    } else {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        rest.iter().take_while(|byte| is_part(byte)).count()
    };
    let (word, after) = rest.split_at(length);
    *rest = after;
    (length > 0).then(|| word.to_vec())
}
