//! Which workerd processes serve, and how each is started: one with everything in it, or one with the objects and
//! several that serve on one shared listening socket.

use std::ffi::OsString;
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::connect::Code;
use super::options::{MOST_WORKERS, Options};
use super::shards::Shards;
use crate::fail::{Context, Result};
use crate::secrets::Variables;
use crate::signals::{self, Ending};
use crate::{build, npm, paths, process, ready};

/// The maximum length of the path of a Unix socket's folder in bytes (`sun_path` of unix(7), minus the longest name in
/// the folder).
const SOCKET_PATH: usize = 100 - "/administration".len();

/// The processes of one gateway.
pub(super) struct Layout<'a> {
    options: &'a Options,
    data: &'a Path,
    variables: &'a Variables,
    /// With several processes: the folder of their sockets, and the socket they listen on.
    shared: Option<(PathBuf, TcpListener)>,
    shards: Shards,
    code: Option<Code>,
}

impl<'a> Layout<'a> {
    /// Prepares the processes.
    ///
    /// # Errors
    /// If the folder of the sockets can't be created, or the gateway's port is in use.
    pub(super) fn new(
        options: &'a Options,
        data: &'a Path,
        variables: &'a Variables,
    ) -> Result<Self> {
        let shared = match options.workers {
            1 => None,
            _ => {
                let folder = sockets(data)?;
                let listener = TcpListener::bind((options.host.as_str(), options.port))
                    .context(|| format!("cannot listen on port {}", options.port))?;
                signals::inherit(listener.as_raw_fd())
                    .context(|| "cannot share the listening socket".to_owned())?;
                Some((folder, listener))
            }
        };
        let chosen = named(variables, "LEDGER_SHARDS");
        Ok(Self {
            options,
            data,
            variables,
            shared,
            shards: Shards::of(data, chosen)?,
            code: Code::new(options)?,
        })
    }

    /// Returns the code that connects a console once, if there is one.
    pub(super) fn code(&self) -> Option<&Code> {
        self.code.as_ref()
    }

    /// Returns the number of processes. The first has the objects: when it ends, all do.
    pub(super) fn len(&self) -> usize {
        match self.shared {
            None => 1,
            Some(_) => self.options.workers.saturating_add(1),
        }
    }

    /// Returns the name of a process in messages.
    pub(super) fn name(&self, number: usize) -> String {
        match number {
            0 => "workerd".to_owned(),
            number => format!("process {number}"),
        }
    }

    /// Returns the socket on which a process reports readiness; `None` for the first, which is checked at its ports.
    pub(super) fn socket(&self, number: usize) -> Option<PathBuf> {
        let (folder, _) = self.shared.as_ref().filter(|_| number > 0)?;
        Some(folder.join(format!("process-{number}")))
    }

    /// Returns the command that starts a process.
    ///
    /// # Errors
    /// If its folder can't be created.
    pub(super) fn command(&self, number: usize) -> Result<Command> {
        let mut command = process::command(npm::workerd());
        command.arg("serve");
        match &self.shared {
            None => self.alone(&mut command),
            Some((folder, _)) if number == 0 => self.objects(&mut command, folder),
            Some((folder, listener)) => self.serving(&mut command, folder, listener, number)?,
        }
        directory(&mut command, "assets-disk", &paths::at(build::ASSETS));
        self.environment(&mut command, number);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C in the terminal reaches only us; workerd is then asked to finish its requests.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        signals::prepare(&mut command, Ending::Kill);
        Ok(command)
    }

    fn alone(&self, command: &mut Command) {
        command.arg(paths::at("worker/workerd.capnp"));
        for (name, (host, port, _)) in ["gateway", "console"].iter().zip(self.options.listeners()) {
            socket(command, name, ready::authority(host, port));
        }
        self.disks(command);
    }

    fn objects(&self, command: &mut Command, folder: &Path) {
        command.arg(paths::at("worker/objects.capnp"));
        let (host, port) = (&self.options.host, self.options.console_port);
        socket(command, "console", ready::authority(host, port));
        for name in ["administration", "objects", "kv"] {
            socket(command, name, unix(folder, name));
        }
        // The configuration names the most there can be; `WORKERS` says how many there are.
        for number in 1..=MOST_WORKERS {
            let name = format!("process-{number}");
            external(command, &name, unix(folder, &name));
        }
        self.disks(command);
    }

    fn serving(
        &self,
        command: &mut Command,
        folder: &Path,
        listener: &TcpListener,
        number: usize,
    ) -> Result<()> {
        command.arg(paths::at("worker/process.capnp"));
        let shared = format!("gateway={}", listener.as_raw_fd());
        command.arg("--socket-fd").arg(shared);
        let own = format!("process-{number}");
        // Removes the socket of an earlier process.
        let _ = std::fs::remove_file(folder.join(&own));
        socket(command, "process", unix(folder, &own));
        for name in ["objects", "administration", "kv"] {
            external(command, name, unix(folder, name));
        }
        let unused = folder.join(format!("unused-{number}"));
        paths::make_folder(&unused)?;
        directory(command, "registry-disk", &unused);
        Ok(())
    }

    fn disks(&self, command: &mut Command) {
        directory(command, "registry-disk", &self.data.join("registry"));
        directory(command, "kv-disk", &self.data.join("kv"));
    }

    /// Sets the environment. Its variables override those of the file, except for the secrets, which were chosen
    /// already, and the host names, which are added to ours.
    fn environment(&self, command: &mut Command, number: usize) {
        for (name, value) in &self.variables.values {
            if std::env::var_os(name).is_none_or(|value| value.is_empty()) {
                command.env(name, value);
            }
        }
        for (name, port) in [
            ("GATEWAY_HOST", self.options.port),
            ("CONSOLE_HOST", self.options.console_port),
        ] {
            command.env(
                name,
                self.options
                    .hosts(port, named(self.variables, name).as_deref()),
            );
        }
        let before = named(self.variables, "LEDGER_SHARDS_BEFORE");
        let before = before.filter(|text| !text.is_empty());
        command.env("LEDGER_SHARDS", &self.shards.now);
        command.env(
            "LEDGER_SHARDS_BEFORE",
            before.as_ref().unwrap_or(&self.shards.before),
        );
        command.env_remove("PROCESS");
        // Only the first process serves the console.
        match self.code.as_ref().filter(|_| number == 0) {
            Some(code) => command.env("CONNECT_CODE", code.variable()),
            None => command.env_remove("CONNECT_CODE"),
        };
        command.env("WORKERS", self.options.workers.to_string());
        if number > 0 {
            command.env("PROCESS", number.to_string());
        }
    }
}

/// Returns a variable of the worker.
fn named(variables: &Variables, name: &str) -> Option<String> {
    let value = variables.value(name);
    value.or_else(|| std::env::var(name).ok())
}

impl Drop for Layout<'_> {
    fn drop(&mut self) {
        if let Some((folder, _)) = &self.shared {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Returns an empty folder for sockets that only this user can open: in the data folder, or, if its path is too long
/// for a socket's address, in that of temporary files.
fn sockets(data: &Path) -> Result<PathBuf> {
    let own = data.join("run");
    let folder = match own.as_os_str().len() <= SOCKET_PATH {
        true => own,
        false => std::env::temp_dir().join(format!("gatewright-{}", std::process::id())),
    };
    let _ = std::fs::remove_dir_all(&folder);
    paths::make_folder(&folder)?;
    std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))
        .context(|| format!("cannot keep other users out of {}", paths::shown(&folder)))?;
    Ok(folder)
}

fn unix(folder: &Path, name: &str) -> OsString {
    let mut address = OsString::from("unix:");
    address.push(folder.join(name));
    address
}

fn mapping(name: &str, value: impl AsRef<std::ffi::OsStr>) -> OsString {
    let mut mapping = OsString::from(name);
    mapping.push("=");
    mapping.push(value);
    mapping
}

fn socket(command: &mut Command, name: &str, address: impl AsRef<std::ffi::OsStr>) {
    command.arg("--socket-addr").arg(mapping(name, address));
}

fn external(command: &mut Command, name: &str, address: impl AsRef<std::ffi::OsStr>) {
    command.arg("--external-addr").arg(mapping(name, address));
}

fn directory(command: &mut Command, name: &str, path: &Path) {
    command.arg("--directory-path").arg(mapping(name, path));
}
