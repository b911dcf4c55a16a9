//! Debug information from servers, by debuginfod's own client `debuginfod-find`.

use std::collections::HashMap;
use std::env;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use bstr::ByteSlice;
use common::Waiting;
use symbolize::{Artifact, Fetch};

/// How long a file may take unless the user says otherwise.
pub(crate) const LIMIT: Duration = Duration::from_secs(90);

/// Which servers the client asks.
const URLS: &str = "DEBUGINFOD_URLS";

const CLIENT: &str = "debuginfod-find";

/// How often a download is looked after.
const STEP: Duration = Duration::from_millis(20);

/// The folders in which the client keeps what it downloaded.
pub(crate) fn caches() -> Vec<PathBuf> {
    let folder = |name: &str| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let own = folder("DEBUGINFOD_CACHE_PATH");
    let of_user = folder("XDG_CACHE_HOME").map(|it| it.join("debuginfod_client"));
    let of_home = folder("HOME").map(|it| it.join(".cache/debuginfod_client"));
    own.into_iter().chain(of_user).chain(of_home).collect()
}

/// Whether there are servers that could be asked.
pub(crate) fn has_servers() -> bool {
    env::var_os(URLS).is_some_and(|urls| !urls.is_empty())
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
    /// What went wrong, other than that no server has the file.
    troubles: Vec<String>,
}

impl Debuginfod {
    pub(crate) fn new(limit: Duration) -> Debuginfod {
        Debuginfod { limit, state: Mutex::default() }
    }

    /// What went wrong so far.
    pub(crate) fn troubles(&self) -> Vec<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).troubles.clone()
    }

    /// Runs the client.
    ///
    /// # Errors
    ///
    /// What went wrong, other than that no server has the file.
    fn download(
        &self,
        build_id: &str,
        what: Artifact,
        path: &[u8],
    ) -> Result<Option<PathBuf>, String> {
        if !has_servers() {
            return Err(format!("--debuginfod: {URLS} names no server"));
        }
        let mut client = Command::new(CLIENT);
        client.args([what.name(), build_id]).stdin(Stdio::null()).stderr(Stdio::null());
        let mut child =
            client.stdout(Stdio::piped()).spawn().map_err(|error| match error.kind() {
                ErrorKind::NotFound => {
                    format!("--debuginfod needs the program {CLIENT}, which was not found")
                }
                _ => format!("{CLIENT}: {error}"),
            })?;
        let waiting =
            Waiting::new(format!("downloading the {} of {}", what.name(), path.as_bstr()));
        if !ends_within(&mut child, self.limit, &waiting) {
            let seconds = self.limit.as_secs();
            let (path, what) = (path.as_bstr(), what.name());
            return Err(format!(
                "{path}: its {what} did not come within {seconds} s: --debuginfod=SECONDS sets the time"
            ));
        }
        let mut answer = Vec::new();
        let mut output = child.stdout.take();
        let is_read = output.as_mut().is_some_and(|output| output.read_to_end(&mut answer).is_ok());
        let is_found = child.wait().is_ok_and(|status| status.success());
        let file = answer.trim_ascii_end().to_path_lossy().into_owned();
        Ok(Some(file).filter(|file| is_read && is_found && file.is_absolute()))
    }
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
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (Box::from(build_id), what);
        if let Some(known) = state.files.get(&key) {
            return known.clone();
        }
        let digits: String = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
        let file = self.download(&digits, what, path).unwrap_or_else(|trouble| {
            if !state.troubles.contains(&trouble) {
                state.troubles.push(trouble);
            }
            None
        });
        state.files.insert(key, file.clone());
        file
    }
}
