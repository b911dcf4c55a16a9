//! Debug information from servers, by debuginfod's own client `debuginfod-find`.

use std::collections::HashMap;
use std::env;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use bstr::ByteSlice;
use common::Waiting;
use symbolize::{Artifact, Fetch};

use crate::nameless::hints;

/// How long a file may take unless the user says otherwise.
pub(crate) const LIMIT: Duration = Duration::from_secs(90);

/// Which servers the client asks.
const URLS: &str = "DEBUGINFOD_URLS";

const CLIENT: &str = "debuginfod-find";

/// How often a download is looked after.
const STEP: Duration = Duration::from_millis(20);

/// After so many files that do not come in time, no more is asked for.
const MOST_SLOW: usize = 3;

/// How the client says that no server has a file.
const NO_SUCH_FILE: &[u8] = b"No such file or directory";

/// As much as a pipe holds: the client waits for us if it prints more.
const PIPE_SIZE: usize = 64 << 10;

/// The folders in which the client keeps what it downloaded.
pub(crate) fn caches() -> Vec<PathBuf> {
    let folder = |name: &str| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let own = folder("DEBUGINFOD_CACHE_PATH");
    let of_user = folder("XDG_CACHE_HOME").map(|it| it.join("debuginfod_client"));
    let of_home = folder("HOME").map(|it| it.join(".cache/debuginfod_client"));
    // What versions before 0.182 made is used as long as it is there.
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
    /// Whether something went wrong, other than that no server has a file.
    had_trouble: bool,
    /// What it was, unless it has been said.
    new_troubles: Vec<String>,
    /// How many files did not come in time.
    slow: usize,
    /// Whether nothing more is to be asked for.
    is_over: bool,
}

/// Why a file did not come, other than that no server has it.
enum Trouble {
    /// It would be the same with all other files.
    Always(String),
    Slow(String),
}

impl Debuginfod {
    pub(crate) fn new(limit: Duration) -> Debuginfod {
        Debuginfod { limit, state: Mutex::default() }
    }

    /// Whether servers could be asked for all files so far.
    pub(crate) fn is_fine(&self) -> bool {
        !self.lock().had_trouble
    }

    /// What went wrong since this was last asked.
    pub(crate) fn new_troubles(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().new_troubles)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the client. `None`: no server has the file.
    ///
    /// # Errors
    ///
    /// What went wrong.
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

/// The client, asked for one file.
fn client(build_id: &str, what: Artifact) -> Command {
    let mut client = Command::new(CLIENT);
    client.args([what.name(), build_id]).stdin(Stdio::null());
    client.stdout(Stdio::piped()).stderr(Stdio::piped());
    // We read what it says, in the words of its source.
    client.env("LC_ALL", "C").env_remove("DEBUGINFOD_VERBOSE").env_remove("DEBUGINFOD_PROGRESS");
    client
}

/// What a client that has ended says.
///
/// # Errors
///
/// Anything else than the path of a file, or that no server has it.
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

/// The last line in the pipe of a client that has ended. The end of the pipe is not waited for:
/// what the client started may still have it.
fn said(mut pipe: impl Read) -> Vec<u8> {
    let mut bytes = vec![0; PIPE_SIZE];
    let length = pipe.read(&mut bytes).unwrap_or(0);
    bytes.truncate(length);
    bytes.trim_ascii_end().lines().next_back().unwrap_or_default().to_vec()
}

/// Whether the client ends in time; if not, it is ended.
fn ends_within(child: &mut Child, limit: Duration, waiting: &Waiting) -> bool {
    let started = Instant::now();
    while matches!(child.try_wait(), Ok(None)) {
        if started.elapsed() > limit {
            // It may have ended by itself.
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
        let digits: String = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
        let file = self.download(&digits, what, path).unwrap_or_else(|trouble| {
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
