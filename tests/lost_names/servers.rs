//! A server of debug information, debuginfod's own.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A server that runs until it is dropped.
pub(super) struct Server {
    child: Child,
    port: u16,
    log: PathBuf,
}

impl Server {
    /// Serves the files in `folder` that are there now.
    pub(super) fn start(folder: &Path) -> Server {
        let port = free_port();
        let log = folder.with_extension("log");
        let log_file = fs::File::create(&log).expect("a writable folder");
        let child = Command::new("debuginfod")
            .args(["-vvv", "-F", "-t", "0", "-g", "0", "--disable-source-scan", "-p"])
            .args([&port.to_string(), "-d", ":memory:"])
            .arg(folder)
            .env_remove("DEBUGINFOD_URLS")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log_file)
            .spawn()
            .expect("debuginfod");
        let server = Server { child, port, log };
        server.wait_until(|log| log.contains("recorded buildid="));
        let address = ("127.0.0.1", port);
        server.wait_until(|_| TcpStream::connect(address).is_ok());
        server
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The requests so far, in order: `BUILDID/debuginfo 200`.
    pub(super) fn requests(&self) -> Vec<String> {
        // 127.0.0.1:51724 UA:elfutils/0.188 XFF: GET /buildid/a1c9/debuginfo 200 5280 0+0ms
        let request = |line: &str| {
            let (_, request) = line.split_once("GET /buildid/")?;
            let mut words = request.split(' ');
            Some(format!("{} {}", words.next()?, words.next()?))
        };
        self.log().lines().filter_map(request).collect()
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).expect("a log")
    }

    fn wait_until(&self, is_so: impl Fn(&str) -> bool) {
        let started = Instant::now();
        while !is_so(&self.log()) {
            assert!(started.elapsed() < Duration::from_secs(60), "{}", self.log());
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that no program listens on now, and that systems do not give to programs that ask for any
/// port.
fn free_port() -> u16 {
    // Each call finds another one, also in another run of the tests.
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let found = std::iter::repeat_with(|| {
        let number = std::process::id() * 16 + CALLS.fetch_add(1, Ordering::Relaxed);
        10_000 + (number % 20_000) as u16
    });
    found.take(20_000).find(is_free).expect("a free port")
}

/// The address of a server that accepts connections but never answers.
pub(super) fn silent_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        let _open: Vec<TcpStream> = listener.incoming().map_while(Result::ok).collect();
    });
    format!("http://127.0.0.1:{port}")
}

/// The address of a server that is not there.
pub(super) fn no_server() -> String {
    // The port of a service that no system has.
    "http://127.0.0.1:1".to_owned()
}
