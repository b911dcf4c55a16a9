//! The most important cases in Firefox, driven by its own protocol, Marionette, which needs no
//! other program.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Server;
use super::asking::by_shell;
use super::driver::key;
use super::numbers::{TREES, paths};
use super::strip::{lines, selections, without_labels};
use crate::needs::{FIREFOX, goes_without};
use crate::util::{filter_bytes, output};

/// How long the start may take, and each command.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one window, which ends when this is dropped.
struct Firefox {
    process: Child,
    stream: BufReader<TcpStream>,
    commands: u64,
}

impl Firefox {
    fn start() -> Firefox {
        // Tests run in parallel, and each browser needs its own profile.
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("firefox-{number}"));
        let _ = std::fs::remove_dir_all(&profile);
        std::fs::create_dir_all(&profile).expect("a writable target directory");
        // Marionette writes its port into a file.
        let settings = "user_pref(\"marionette.port\", 0);\n";
        std::fs::write(profile.join("user.js"), settings).expect("a profile");
        let process = Command::new("firefox-esr")
            .args(["--headless", "--marionette", "--no-remote", "--profile"])
            .arg(&profile)
            .env("HOME", &profile)
            .env("MOZ_HEADLESS_WIDTH", "1200")
            .env("MOZ_HEADLESS_HEIGHT", "800")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("Firefox of Debian's package firefox-esr, which scripts/test installs");
        let start = Instant::now();
        let port: u16 = loop {
            let port = std::fs::read_to_string(profile.join("MarionetteActivePort"));
            if let Ok(port) = port.unwrap_or_default().parse() {
                break port;
            }
            assert!(start.elapsed() < PATIENCE, "Firefox does not start");
            std::thread::sleep(Duration::from_millis(50));
        };
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("Firefox listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let mut firefox = Firefox { process, stream: BufReader::new(stream), commands: 0 };
        // Marionette sends a greeting first.
        firefox.read();
        firefox.ask("NewSession", &json!({}));
        firefox
    }

    /// A message is `LENGTH:JSON`.
    fn read(&mut self) -> Value {
        let mut length = Vec::new();
        self.stream.read_until(b':', &mut length).expect("a message");
        let length = String::from_utf8(length).expect("digits");
        let mut text = vec![0; length.trim_end_matches(':').parse().expect("a length")];
        self.stream.read_exact(&mut text).expect("a whole message");
        serde_json::from_slice(&text).expect("JSON")
    }

    /// A command is `[0, NUMBER, NAME, PARAMETERS]`, and its answer `[1, NUMBER, ERROR, RESULT]`.
    fn ask(&mut self, command: &str, params: &Value) -> Value {
        self.commands += 1;
        let text = json!([0, self.commands, format!("WebDriver:{command}"), params]).to_string();
        write!(self.stream.get_mut(), "{}:{text}", text.len()).expect("Firefox listens");
        let mut answer = self.read();
        assert!(answer[2].is_null(), "{command} {params}: {}", answer[2]);
        answer[3].take()
    }

    /// The value of a JavaScript expression.
    fn value(&mut self, expression: &str) -> Value {
        let script = format!("return {expression};");
        self.ask("ExecuteScript", &json!({ "script": script, "args": [] }))["value"].take()
    }

    fn text(&mut self, expression: &str) -> String {
        let value = self.value(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression} is {value}, no text")).to_owned()
    }

    /// Waits until an element has a text.
    fn await_text(&mut self, class: &str, expected: &str) {
        let text = format!("document.querySelector('.{class}')?.innerText.trim() ?? ''");
        let start = Instant::now();
        loop {
            let found = self.text(&text);
            if found == expected {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{class} is {found}, not {expected}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn click(&mut self, element: &str) {
        let middle = self.value(&format!(
            "(() => {{ const r = ({element}).getBoundingClientRect();
                return [r.x + r.width / 2, r.y + r.height / 2].map(Math.floor); }})()"
        ));
        let at = json!({ "type": "pointerMove", "x": middle[0], "y": middle[1] });
        let press = ["pointerDown", "pointerUp"].map(|act| json!({ "type": act, "button": 0 }));
        self.act("pointer", &json!([at, press[0], press[1]]));
    }

    fn type_keys(&mut self, keys: &str) {
        let presses: Vec<Value> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|act| json!({ "type": act, "value": key })))
            .collect();
        self.act("key", &json!(presses));
    }

    fn act(&mut self, kind: &str, actions: &Value) {
        let source = json!({ "type": kind, "id": kind, "actions": actions });
        self.ask("PerformActions", &json!({ "actions": [source] }));
    }

    /// The names of the frames that are drawn.
    fn drawn(&mut self) -> Value {
        self.value(
            "[...document.querySelectorAll('.frame[role]')]
                .map((e) => e.getAttribute('aria-label').split(', ')[0]).sort()",
        )
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn frame(name: &str) -> String {
    format!("document.querySelector('.frame[aria-label^=\"{name},\"]')")
}

#[test]
fn the_core_of_a_picture_works_in_firefox() {
    if goes_without(&[FIREFOX]) {
        return;
    }
    let folded = "main;f;malloc 30\nmain;g;malloc 40\nmain 10\nx;f 20\n";
    let svg = filter_bytes("stack-svg", &[], folded);
    let server = Server::start();
    let mut firefox = Firefox::start();
    firefox.ask("Navigate", &json!({ "url": server.add("picture", svg, "") }));
    assert_eq!(firefox.drawn(), json!(["all", "f", "f", "g", "main", "malloc", "malloc", "x"]));
    // Zoom, and back.
    firefox.click(&frame("main"));
    firefox.await_text("crumbs", "all\nmain");
    assert_eq!(firefox.drawn(), json!(["all", "f", "g", "main", "malloc", "malloc"]));
    firefox.type_keys(key::ESCAPE);
    firefox.await_text("crumbs", "all");
    // Search for a text, and for a pattern.
    firefox.type_keys("/malloc");
    firefox.await_text("matched", "70.0% found");
    firefox.type_keys(key::ESCAPE);
    firefox.type_keys("//^[fx]$/");
    firefox.await_text("matched", "50.0% found");
    firefox.type_keys(key::ESCAPE);
    // The views.
    firefox.click(&frame("g"));
    firefox.type_keys("3");
    assert_eq!(firefox.drawn(), json!(["g", "main", "malloc"]));
    firefox.type_keys("4");
    firefox.await_text("table-sum .name", "all 2 functions");
    firefox.type_keys("01");
    // A step, and what is saved of it.
    firefox.click(&frame("x"));
    firefox.type_keys("f");
    firefox.click("document.querySelectorAll('.item')[1]");
    firefox.await_text("left", "80.0% of 100 counts left");
    firefox.value(
        "(() => {
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => { window.saved = blob.text(); return make.call(URL, blob); };
        })()",
    );
    firefox.type_keys("w");
    let saved = firefox.value("window.saved");
    assert_eq!(saved, json!("main;f;malloc 30\nmain;g;malloc 40\nmain 10\n"));
}

/// Every frame of the flame graph under random selections, as in the other browser.
#[test]
fn numbers_of_a_selection_of_time_are_those_of_its_command_in_firefox() {
    if goes_without(&[FIREFOX]) {
        return;
    }
    let folded = lines();
    let server = Server::start();
    let url = server.add("time", output("stack-svg", &[], &folded).stdout, "");
    let mut firefox = Firefox::start();
    let mut checked = 0;
    for fragment in selections(32) {
        firefox.ask("Navigate", &json!({ "url": "about:blank" }));
        firefox.ask("Navigate", &json!({ "url": format!("{url}{fragment}") }));
        let command = firefox.text("document.querySelector('.command')?.textContent ?? 'cat'");
        let expected = by_shell(&without_labels(&command), folded.as_bytes());
        let frames = paths(&firefox.text(TREES), "TopDown");
        for (path, [_, weight, _]) in &frames {
            assert_eq!(*weight, expected[path][0], "{path}: {command}");
        }
        assert_eq!(frames.len(), expected.len(), "{command}");
        checked += expected.len();
    }
    assert!(checked > 2_000, "{checked} numbers were checked");
}
