//! Downloads debug information from servers with debuginfod's own client, `debuginfod-find`.

use std::collections::HashMap;
use std::env;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use bstr::ByteSlice;
use common::io::Waiting;
use symbolize::{Artifact, Fetch};

use crate::nameless::hints;
use crate::read::numbers::hex;

/// How long a download may take unless the user sets another limit.
pub(crate) const LIMIT: Duration = Duration::from_secs(90);

/// The environment variable with the servers to ask.
const URLS: &str = "DEBUGINFOD_URLS";

const CLIENT: &str = "debuginfod-find";

/// How often a running download is checked.
const STEP: Duration = Duration::from_millis(20);

/// After this many files that did not arrive in time, nothing more is downloaded.
const MOST_SLOW: usize = 3;

/// What the client prints when no server has a file.
const NO_SUCH_FILE: &[u8] = b"No such file or directory";

/// The capacity of a pipe: a client that prints more waits until we read.
const PIPE_SIZE: usize = 64 << 10;

/// The folders in which the client keeps what it downloaded.
pub(crate) fn caches() -> Vec<PathBuf> {
    let folder = |name: &str| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let own = folder("DEBUGINFOD_CACHE_PATH");
    let of_user = folder("XDG_CACHE_HOME").map(|it| it.join("debuginfod_client"));
    let of_home = folder("HOME").map(|it| it.join(".cache/debuginfod_client"));
    // Versions before 0.182 made this folder; the client uses it as long as it exists.
    let old = folder("HOME").map(|it| it.join(".debuginfod_client_cache"));
    [own, of_user, of_home, old].into_iter().flatten().collect()
}

/// Whether there are servers that could be asked.
pub(crate) fn has_servers() -> bool {
    env::var_os(URLS).is_some_and(|urls| !urls.as_encoded_bytes().trim_ascii().is_empty())
}

/// Downloads files, each once.
#[derive(Debug)]
pub(crate) struct Debuginfod {
    /// How long each may take.
    limit: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    files: HashMap<(Box<[u8]>, Artifact), Option<PathBuf>>,
    /// Whether a download failed for another reason than that no server has the file.
    had_trouble: bool,
    /// The failures that were not reported yet.
    new_troubles: Vec<String>,
    /// How many files did not arrive in time.
    slow: usize,
    /// Whether nothing more will be downloaded.
    is_over: bool,
}

/// Why a download failed, other than that no server has the file.
enum Trouble {
    /// All other downloads would fail, too.
    Always(String),
    Slow(String),
}

impl Debuginfod {
    pub(crate) fn new(limit: Duration) -> Debuginfod {
        Debuginfod { limit, state: Mutex::default() }
    }

    /// Whether no download has failed so far, other than for files that no server has.
    pub(crate) fn is_fine(&self) -> bool {
        !self.lock().had_trouble
    }

    /// The failures since the last call.
    pub(crate) fn new_troubles(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().new_troubles)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the client. `None` if no server has the file.
    ///
    /// # Errors
    ///
    /// Why the download failed.
    fn download(
        &self,
        build_id: &str,
        what: Artifact,
        path: &[u8],
    ) -> Result<Option<PathBuf>, Trouble> {
        if !has_servers() {
            return Err(Trouble::Always(hints::NO_SERVER.text()));
        }
        let mut child = client(build_id, what).spawn().map_err(|error| {
            Trouble::Always(match error.kind() {
                ErrorKind::NotFound => hints::NO_CLIENT.text(),
                _ => hints::NO_ANSWER.with(&[("WHY", &error.to_string())]),
            })
        })?;
        let name = match what {
            Artifact::DebugInfo => "debug information",
            Artifact::Executable => "executable",
        };
        let path = path.as_bstr();
        let waiting = Waiting::new(format!("downloading the {name} of {path}"));
        if !ends_within(&mut child, self.limit, &waiting) {
            let seconds = self.limit.as_secs().to_string();
            let said = hints::SLOW.with(&[("WHAT", name), ("SECONDS", &seconds)]);
            return Err(Trouble::Slow(format!("{path}: {said}")));
        }
        answer(child)
    }
}

/// The command that downloads one file.
fn client(build_id: &str, what: Artifact) -> Command {
    let mut client = Command::new(CLIENT);
    client.args([what.name(), build_id]).stdin(Stdio::null());
    client.stdout(Stdio::piped()).stderr(Stdio::piped());
    // We parse its messages, so they must be in English.
    client.env("LC_ALL", "C").env_remove("DEBUGINFOD_VERBOSE").env_remove("DEBUGINFOD_PROGRESS");
    client
}

/// The result of a client that has ended: the path of the file, or `None` if no server has it.
///
/// # Errors
///
/// Any other message of the client.
fn answer(mut child: Child) -> Result<Option<PathBuf>, Trouble> {
    let is_found = child.wait().is_ok_and(|status| status.success());
    if is_found {
        let path = child.stdout.take().map(said).unwrap_or_default().to_path_lossy().into_owned();
        if path.is_absolute() {
            return Ok(Some(path));
        }
    }
    let said = child.stderr.take().filter(|_| !is_found).map(said).unwrap_or_default();
    if said.ends_with(NO_SUCH_FILE) {
        return Ok(None);
    }
    // Server query failed: Connection refused
    let why = said.rsplit_once_str(": ").map_or(&said[..], |(_, why)| why);
    let why = if why.is_empty() { &b"nothing"[..] } else { why };
    Err(Trouble::Always(hints::NO_ANSWER.with(&[("WHY", &why.as_bstr().to_string())])))
}

/// The last line in the pipe of a client that has ended. This does not wait for the end of the
/// pipe: processes that the client started may still hold it open.
fn said(mut pipe: impl Read) -> Vec<u8> {
    let mut bytes = vec![0; PIPE_SIZE];
    let length = pipe.read(&mut bytes).unwrap_or(0);
    bytes.truncate(length);
    bytes.trim_ascii_end().lines().next_back().unwrap_or_default().to_vec()
}

/// Whether the client ends within `limit`; if not, kills it.
fn ends_within(child: &mut Child, limit: Duration, waiting: &Waiting) -> bool {
    let started = Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if started.elapsed() > limit {
            // It may have ended by itself meanwhile.
            let _ = child.kill();
            let _ = child.wait();
            return false;
        }
        waiting.tick();
        thread::sleep(STEP);
    }
    true
}

impl Fetch for Debuginfod {
    fn fetch(&self, build_id: &[u8], what: Artifact, path: &[u8]) -> Option<PathBuf> {
        // One download at a time: the file may be the one that another thread waits for.
        let mut state = self.lock();
        let key = (Box::from(build_id), what);
        if let Some(known) = state.files.get(&key) {
            return known.clone();
        }
        if state.is_over {
            return None;
        }
        let file = self.download(&hex(build_id), what, path).unwrap_or_else(|trouble| {
            state.note(trouble);
            None
        });
        state.files.insert(key, file.clone());
        file
    }
}

impl State {
    fn note(&mut self, trouble: Trouble) {
        self.had_trouble = true;
        match trouble {
            Trouble::Always(said) => {
                self.new_troubles.push(said);
                self.is_over = true;
            }
            Trouble::Slow(said) => {
                self.new_troubles.push(said);
                self.slow += 1;
                if self.slow == MOST_SLOW {
                    let files = self.slow.to_string();
                    self.new_troubles.push(hints::TOO_SLOW.with(&[("FILES", &files)]));
                    self.is_over = true;
                }
            }
        }
    }
}
