use super::*;

/// Hands out `bytes` one at a time.
struct Dribble<'a>(&'a [u8]);

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(&mut buffer[..1])
    }
}

fn json(text: &[u8]) -> Json<Dribble<'_>> {
    Json::named("x".to_owned(), Dribble(text))
}

/// Writes what is read in one way: `{key:value,}`, or the error.
fn read(text: &[u8]) -> String {
    let mut json = json(text);
    let mut out = Vec::new();
    let ended = read_documents(&mut json, &mut out);
    let text = out.iter().map(|&byte| if byte.is_ascii() { byte as char } else { '?' }).collect();
    ended.err().map_or(text, |error| error.to_string())
}

fn read_documents(json: &mut Json<Dribble<'_>>, out: &mut Vec<u8>) -> Result<()> {
    while json.next_document()? {
        read_value(json, out)?;
        out.push(b'\n');
    }
    Ok(())
}

fn read_value(json: &mut Json<Dribble<'_>>, out: &mut Vec<u8>) -> Result<()> {
    match json.kind()? {
        Kind::Object => {
            assert!(json.begin_object()?);
            out.push(b'{');
            while let Some(key) = json.next_key()? {
                out.extend_from_slice(key);
                out.push(b':');
                read_value(json, out)?;
            }
            out.push(b'}');
        }
        Kind::Array => {
            assert!(json.begin_array()?);
            out.push(b'[');
            while json.next_element()? {
                read_value(json, out)?;
            }
            out.push(b']');
        }
        Kind::Text | Kind::Number => out.extend_from_slice(json.number()?.expect("it is one")),
        Kind::Other => json.skip()?,
    }
    out.push(b',');
    Ok(())
}

#[test]
fn every_value_is_read() {
    for (text, expected) in [
        (r#"{"a": [1, -2.5e3, "x"], "b": {"c": null}}"#, "{a:[1,-2.5e3,x,],b:{c:,},},\n"),
        ("{}\n[]\n", "{},\n[],\n"),
        ("[1,2,]", "[1,2,],\n"),
        (r#"{"a":1,}"#, "{a:1,},\n"),
        ("[true, false, NaN, Infinity, -Infinity]", "[,,,,-Infinity,],\n"),
        ("12", "12,\n"),
        ("", ""),
        (r#"["\"\\\/\n\u0041\x","\\"]"#, "[\"\\/\nA\\x,\\,],\n"),
    ] {
        assert_eq!(read(text.as_bytes()), expected, "{text}");
    }
}

#[test]
fn what_is_no_json_is_named_with_its_place() {
    for (text, what) in [
        ("[1 2]", "byte 3: expected ',' or ']'"),
        ("[1}", "byte 2: expected ',' or ']'"),
        ("{1}", "byte 1: expected a key or '}'"),
        (r#"{"a" 1}"#, "byte 5: expected ':'"),
        ("[;]", "byte 1: expected a value"),
        ("[1,,2]", "byte 3: expected a value"),
        ("[1", "byte 2: the JSON ends too early"),
        ("[12", "byte 3: the JSON ends too early"),
        (r#"["a\"#, "byte 4: the JSON ends too early"),
        (r#"{"a"#, "byte 3: the JSON ends too early"),
        (r#"{"a""#, "byte 4: the JSON ends too early"),
    ] {
        assert_eq!(read(text.as_bytes()), format!("x: {what}; what came before is kept"), "{text}");
    }
}

#[test]
fn strings_keep_all_bytes() {
    let text = |bytes: &[u8]| {
        let mut json = json(bytes);
        assert!(json.next_document().expect("JSON"));
        json.text().expect("JSON").map(<[u8]>::to_vec)
    };
    for (raw, expected) in [
        (&b"\"caf\xc3\xa9 \xff\xfe\""[..], &b"caf\xc3\xa9 \xff\xfe"[..]),
        (br#""\u00e9\ud83d\ude00""#, "é😀".as_bytes()),
        (br#""\ud83d!""#, b"\xed\xa0\xbd!"),
        (br#""\ude00\ud83d\u0041""#, b"\xed\xb8\x80\xed\xa0\xbdA"),
        (br#""\u12 \uzzzz""#, br"\u12 \uzzzz"),
    ] {
        assert_eq!(text(raw).as_deref(), Some(expected), "{raw:?}");
    }
    assert_eq!(text(b"12"), None);
}

#[test]
fn what_nobody_asks_for_is_passed_over() {
    let mut json = json(br#"{"a":{"b":[{"c":"]}\""}],"d":2},"e":[[1],"f"],"g":"h\"","i":7} [3]"#);
    assert!(json.next_document().expect("JSON"));
    assert!(!json.begin_array().expect("JSON"));
    assert!(json.begin_object().expect("JSON"));
    let mut keys = Vec::new();
    while let Some(key) = json.next_key().expect("JSON") {
        keys.extend_from_slice(key);
    }
    assert_eq!(keys, b"aegi");
    assert!(json.next_document().expect("JSON") && json.begin_array().expect("JSON"));
    assert!(json.next_element().expect("JSON"));
    assert_eq!(json.integer().expect("JSON"), Some(3));
}

#[test]
fn depth_has_no_limit() {
    const DEPTH: usize = 1_000_000;
    let text = [b"[".repeat(DEPTH), b"]".repeat(DEPTH)].concat();
    let mut json = Json::named(String::new(), &text[..]);
    assert!(json.next_document().expect("JSON"));
    json.skip().expect("JSON");
    assert!(!json.next_document().expect("JSON"));
}

#[test]
fn an_array_may_be_open_where_that_is_allowed() {
    for text in ["[1,2", "[1,2,", "[1,2 ,\n", "[1,2]"] {
        let mut json = json(text.as_bytes()).may_be_open();
        assert!(json.next_document().expect("JSON") && json.begin_array().expect("JSON"));
        let mut sum = 0;
        // A number that ends with the text may be half of one.
        let ended = loop {
            match json.next_element() {
                Ok(true) => match json.integer() {
                    Ok(number) => sum += number.expect("a number"),
                    Err(error) => break Err(error),
                },
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        assert_eq!(
            (sum, ended.is_ok()),
            if text == "[1,2" { (1, false) } else { (3, true) },
            "{text}"
        );
    }
}

#[test]
fn an_outline_has_the_keys_of_outer_objects() {
    let outline = |bytes: &[u8]| Outline::of(bytes);
    let trace = outline(br#"{"a":[{"ph":"X","args":{"deep":1}},{"ts":"#).expect("JSON");
    assert!(trace.has("a") && trace.has_inside("ph") && trace.has_inside("args"));
    assert!(!trace.has("ph") && !trace.has_inside("deep") && !trace.has("deep"));
    let list = outline(b" [ {\"ph\":1},\n").expect("JSON");
    assert!(list.has("ph") && !list.has_inside("ph"));
    assert!(outline(b"main;f 1\n").is_none());
}

#[test]
fn a_key_after_many_others_is_in_the_outline() {
    let many = |count: usize| (0..count).map(|it| format!("\"{it}\":{{\"x\":1}},"));
    let text = format!("{{\"frames\":{{{}\"z\":1}},\"mode\":1,\"a\":{{\"b\":1", {
        many(5000).collect::<String>()
    });
    let found = Outline::of(text.as_bytes()).expect("JSON");
    assert!(found.has("mode") && found.has("frames") && found.has_inside("b") && found.is_cut());
    for whole in ["{}", "[]", "{\"a\":}", "[New LWP 7]", "{\"a\":1} {\"b\""] {
        assert!(!Outline::of(whole.as_bytes()).expect("JSON").is_cut(), "{whole}");
    }
    for start in ["{", "[[", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":[{\"b\":\"x"] {
        assert!(Outline::of(start.as_bytes()).expect("JSON").is_cut(), "{start}");
    }
}

#[test]
fn only_numbers_without_a_fraction_are_integers() {
    for (text, expected) in [
        ("7", Some(7)),
        ("7.0", Some(7)),
        ("7e2", Some(700)),
        ("1.8446744073709551615e19", Some(u64::MAX)),
        ("18446744073709551615", Some(u64::MAX)),
        ("18446744073709551616", None),
        ("0.5", None),
        ("1000000.5", None),
        ("-1", None),
        ("\"12\"", Some(12)),
        ("null", None),
    ] {
        let mut json = Json::named(String::new(), text.as_bytes());
        assert!(json.next_document().expect("JSON"));
        assert_eq!(json.integer().expect("JSON"), expected, "{text}");
    }
}
