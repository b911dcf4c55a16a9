//! Headless Chromium, driven through chromedriver.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::needs::CHROMIUM;

/// What Chromium needs to run as root, without a network and a screen.
const ARGS: [&str; 9] = [
    "--no-sandbox",
    "--disable-gpu",
    // speedscope draws with WebGL; since version 148 Chromium has it without a GPU only with this
    // option.
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1200,800",
];

/// How long anything in the browser may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one window; both end when this is dropped.
pub(crate) struct Browser {
    process: Child,
    port: u16,
    session: String,
    /// For the temporary files of both, some of which they never delete.
    _folder: TempDir,
}

/// Starts chromedriver; returns it with its port, or `None` if it gave up.
fn start_driver(folder: &Path) -> Option<(Child, u16)> {
    let mut process = Command::new("chromedriver")
        .arg("--port=0")
        .env("TMPDIR", folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("chromedriver of Debian's package chromium-driver, which scripts/test installs");
    let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
    // ChromeDriver was started successfully on port 39105.
    let port = lines.find_map(|line| {
        let line = line.expect("text");
        let port = line.rsplit_once("successfully on port ")?.1;
        port.trim_end_matches('.').parse().ok()
    });
    match port {
        Some(port) => Some((process, port)),
        None => {
            let _ = process.wait();
            None
        }
    }
}

impl Browser {
    pub(crate) fn start() -> Browser {
        let folder = tempfile::tempdir().expect("a folder");
        // It takes a port that is free for IPv4, and gives up if another program has it for IPv6.
        let (process, port) =
            (0..20).find_map(|_| start_driver(folder.path())).expect("chromedriver names its port");
        let mut browser = Browser { process, port, session: String::new(), _folder: folder };
        let options = json!({ "args": ARGS, "binary": CHROMIUM });
        let wanted = json!({
            "timeouts": { "script": PATIENCE.as_millis() as u64 },
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let session =
            browser.ask("POST", "/session", &json!({ "capabilities": { "alwaysMatch": wanted } }));
        let id = session["sessionId"].as_str().expect("a session").to_owned();
        browser.session = format!("/session/{id}");
        browser
    }

    pub(crate) fn open(&self, url: &str) {
        self.post("/url", &json!({ "url": url }));
    }

    pub(crate) fn back(&self) {
        self.post("/back", &json!({}));
    }

    pub(crate) fn reload(&self) {
        self.post("/refresh", &json!({}));
        self.await_keyboard();
    }

    /// Waits until the page hears keys: until it has drawn itself for the first time, the browser
    /// drops them. No page of ours does anything at Shift.
    pub(crate) fn await_keyboard(&self) {
        self.value(
            "void addEventListener('keydown', () => { window.hearsKeys = true; }, \
             { once: true, capture: true })",
        );
        let start = Instant::now();
        while self.value("window.hearsKeys === true") != json!(true) {
            assert!(start.elapsed() < PATIENCE, "the page hears no keys");
            self.press("\u{e008}");
        }
    }

    /// The value of a JavaScript expression.
    pub(crate) fn value(&self, expression: &str) -> Value {
        self.post(
            "/execute/sync",
            &json!({ "script": format!("return {expression};"), "args": [] }),
        )
    }

    pub(crate) fn text(&self, expression: &str) -> String {
        let value = self.value(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression} is {value}, no text")).to_owned()
    }

    pub(crate) fn number(&self, expression: &str) -> f64 {
        let value = self.value(expression);
        value.as_f64().unwrap_or_else(|| panic!("{expression} is {value}, no number"))
    }

    /// Waits until an expression has a value.
    pub(crate) fn await_value(&self, expression: &str, expected: &Value) {
        let start = Instant::now();
        loop {
            let value = self.value(expression);
            if &value == expected {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{expression} is {value}, not {expected}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Types letters, and keys by their numbers in the standard: see [`key`].
    pub(crate) fn type_keys(&self, keys: &str) {
        self.press(keys);
        self.await_repaint();
    }

    fn press(&self, keys: &str) {
        let presses: Vec<Value> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|act| json!({ "type": act, "value": key })))
            .collect();
        let typed = json!({ "type": "key", "id": "keyboard", "actions": presses });
        self.post("/actions", &json!({ "actions": [typed] }));
    }

    /// Presses a key while Control is held.
    pub(crate) fn type_control(&self, key: &str) {
        self.type_held("\u{e009}", key);
    }

    fn type_held(&self, held: &str, key: &str) {
        let presses = json!([
            { "type": "keyDown", "value": held },
            { "type": "keyDown", "value": key },
            { "type": "keyUp", "value": key },
            { "type": "keyUp", "value": held },
        ]);
        self.act(&json!({ "type": "key", "id": "keyboard", "actions": presses }));
    }

    /// Moves the mouse to the middle of an element.
    pub(crate) fn point_at(&self, element: &str) {
        self.act(&json!({ "type": "pointer", "id": "mouse", "actions": [self.move_to(element)] }));
    }

    /// Clicks on the middle of an element.
    pub(crate) fn click(&self, element: &str) {
        let actions = json!([
            self.move_to(element),
            { "type": "pointerDown", "button": 0 },
            { "type": "pointerUp", "button": 0 },
        ]);
        self.act(&json!({ "type": "pointer", "id": "mouse", "actions": actions }));
    }

    /// Presses the mouse at one point of an element, moves it to another, and releases it there.
    /// Points are fractions of the element's width and height.
    pub(crate) fn drag(&self, element: &str, from: [f64; 2], to: [f64; 2]) {
        let actions = json!([
            self.move_within(element, from),
            { "type": "pointerDown", "button": 0 },
            self.move_within(element, to),
            { "type": "pointerUp", "button": 0 },
        ]);
        self.act(&json!({ "type": "pointer", "id": "mouse", "actions": actions }));
    }

    /// Turns the wheel by this many pixels while the mouse is at a point of an element.
    pub(crate) fn wheel(&self, element: &str, at: [f64; 2], pixels: i32) {
        let mut turn = self.move_within(element, at);
        turn["type"] = json!("scroll");
        turn["deltaX"] = json!(0);
        turn["deltaY"] = json!(pixels);
        self.act(&json!({ "type": "wheel", "id": "wheel", "actions": [turn] }));
    }

    /// Turns the wheel while Control is held.
    pub(crate) fn wheel_with_control(&self, element: &str, at: [f64; 2], pixels: i32) {
        let key = |what: &str| json!({ "type": what, "value": "\u{e009}" });
        let press =
            |what: &str| self.act(&json!({ "type": "key", "id": "keys", "actions": [key(what)] }));
        press("keyDown");
        self.wheel(element, at, pixels);
        press("keyUp");
    }

    /// Presses a key while Shift is held.
    pub(crate) fn type_shift(&self, key: &str) {
        self.type_held("\u{e008}", key);
    }

    fn move_to(&self, element: &str) -> Value {
        self.move_within(element, [0.5, 0.5])
    }

    fn move_within(&self, element: &str, [across, down]: [f64; 2]) -> Value {
        let place = self.value(&format!(
            "(() => {{ const r = ({element}).getBoundingClientRect();
                return [r.x + r.width * {across}, r.y + r.height * {down}].map(Math.floor); }})()"
        ));
        json!({ "type": "pointerMove", "origin": "viewport", "x": place[0], "y": place[1] })
    }

    /// Does what a hand does, and waits until the page has drawn it.
    fn act(&self, source: &Value) {
        self.post("/actions", &json!({ "actions": [source] }));
        self.await_repaint();
    }

    /// Waits for the next time that the page is drawn, which pages use to draw at most so often.
    pub(crate) fn await_repaint(&self) {
        self.value("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
    }

    /// Goes to another fragment of the address, and waits until the page has noticed.
    pub(crate) fn go_to(&self, fragment: &str) {
        self.value(&format!(
            "new Promise((done) => {{
                addEventListener('hashchange', () => setTimeout(done), {{ once: true }});
                location.hash = {};
            }})",
            json!(fragment)
        ));
    }

    /// The page as it would be printed: a PDF in base 64.
    pub(crate) fn print(&self) -> String {
        let pdf = self.post("/print", &json!({}));
        pdf.as_str().expect("a PDF").to_owned()
    }

    /// A command of Chromium's own protocol.
    pub(crate) fn chromium(&self, command: &str, params: &Value) -> Value {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": params }))
    }

    /// The errors that the page has logged since the last call.
    pub(crate) fn messages(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({ "type": "browser" }));
        let entries = log.as_array().expect("a log").iter();
        let severe = entries.filter(|entry| entry["level"] == "SEVERE");
        let messages = severe.map(|entry| entry["message"].as_str().expect("a text").to_owned());
        // Every browser asks a server for its icon.
        messages.filter(|message| !message.contains("favicon")).collect()
    }

    /// The errors as soon as there is one: the browser logs it a moment after it happened.
    pub(crate) fn await_messages(&self) -> Vec<String> {
        let start = Instant::now();
        loop {
            let messages = self.messages();
            if !messages.is_empty() {
                return messages;
            }
            assert!(start.elapsed() < PATIENCE, "the page logs no error");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", &format!("{}{path}", self.session), body)
    }

    /// Asks chromedriver; its answer is `{"value": ...}`.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("chromedriver runs");
        stream.set_read_timeout(Some(2 * PATIENCE)).expect("a time");
        let body = body.to_string();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("chromedriver listens");
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("an answer");
            match line.trim_end().split_once(':') {
                Some((key, value)) if key.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().expect("a number");
                }
                None if line.trim_end().is_empty() => break,
                _ => {}
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).expect("a whole answer");
        let mut answer: Value = serde_json::from_slice(&answer).expect("JSON");
        let value = answer["value"].take();
        assert!(value["error"].is_null(), "{path} {body}: {}", value["message"]);
        value
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.ask("DELETE", &self.session.clone(), &json!({}));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The codes of keys that have no letter.
pub(crate) mod key {
    pub(crate) const ENTER: &str = "\u{e007}";
    pub(crate) const ESCAPE: &str = "\u{e00c}";
    pub(crate) const LEFT: &str = "\u{e012}";
    pub(crate) const UP: &str = "\u{e013}";
    pub(crate) const RIGHT: &str = "\u{e014}";
    pub(crate) const DOWN: &str = "\u{e015}";
    pub(crate) const END: &str = "\u{e010}";
    pub(crate) const HOME: &str = "\u{e011}";
}
