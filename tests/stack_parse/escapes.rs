//! Control characters of an input, which could retitle a terminal or hide what is on it.

use crate::util::output;

const FOLDED: &str =
    "# unit: a\x1b[31mb\n# event: x\x07y\n# program: p\x1b[2Jq\nma\x1b[31min;f 3\n";

/// A profile of OpenTelemetry whose event, unit and function have control characters.
const OTLP: &str = r#"{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{
    "sampleType":{"typeStrindex":1,"unitStrindex":2},
    "samples":[{"stackIndex":1,"values":["7"],"timestampsUnixNano":["5"]}]}]}]}],
    "dictionary":{"mappingTable":[{}],"linkTable":[{}],"attributeTable":[{}],
    "stringTable":["","cp\u001b[31mu","na\u001bnos","f\u001b[1mg"],
    "functionTable":[{},{"nameStrindex":3}],"locationTable":[{},{"lines":[{"functionIndex":1}]}],
    "stackTable":[{},{"locationIndices":[1]}]}}"#;

/// A session of pyinstrument, in which the id of a thread is a text.
const SESSION: &str = r#"{"start_time":1.5,"frame_records":[
    [["main\u0000<thread>\u00005\u001b[1m","f\u0000/a.py\u00003"],0.007]]}"#;

#[test]
fn no_control_character_of_an_input_is_printed() {
    for (name, input) in [("folded", FOLDED), ("otlp", OTLP), ("pyinstrument", SESSION)] {
        for args in [
            &[][..],
            &["--header"],
            &["--header", "--per-sample"],
            &["--per-sample"],
            &["--root", "tid", "--labels", "tid"],
            &["--table"],
            &["--every", "1", "--header"],
            &["--by-event", "--header"],
            &["--list-events"],
            &["--list-events", "--tsv"],
            &["--detect"],
        ] {
            let printed = output("stack-parse", args, input);
            let all = [printed.stdout, printed.stderr].concat();
            let is_odd = |byte: &&u8| byte.is_ascii_control() && !b"\n\t".contains(byte);
            let text = String::from_utf8_lossy(&all).escape_debug().to_string();
            assert_eq!(all.iter().find(is_odd), None, "{name} {args:?}: {text}");
            assert!(!all.is_empty(), "{name} {args:?}");
        }
    }
    let header = output("stack-parse", &["--per-sample"], FOLDED).stdout;
    let header = String::from_utf8(header).expect("UTF-8");
    assert!(header.contains("# unit: a [31mb\n"), "{header}");
}
