//! `serve`: all of Gatewright on this machine: workerd with the built worker, its state in a folder, gateway and
//! console on two ports.

mod connect;
mod credential;
mod example;
mod layout;
mod log;
mod options;
mod runtime;
mod shards;

use std::fs::{File, TryLockError};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

pub(crate) use self::options::FLAGS;
use self::options::Options;
use crate::args::Args;
use crate::fail::{Context, Result, error};
use crate::ready::authority;
use crate::secrets::{self, Variables};
use crate::{build, paths, setup, term};

/// Runs until a signal ends it.
///
/// # Errors
/// One line if the command line is wrong, a port is in use, a tool is missing, the data folder can't be
/// used, a secret is too short, the build fails, or workerd ends.
pub(crate) fn run(args: &Args) -> Result<()> {
    let options = Options::read(args)?;
    let data = DataFolder::open(&options.data)?;
    options
        .listeners()
        .into_iter()
        .try_for_each(|(host, port, flag)| ensure_port_is_free(host, port, flag))?;
    let variables = secrets::load(&paths::at(secrets::FILE), |name| std::env::var(name).ok())?;
    if args.is_set("--no-build") {
        ensure_built()?;
        setup::for_run()?;
    } else {
        build::all(options.effort)?;
    }
    runtime::run(&options, &data.path, &variables)
}

/// Prints what a user needs once everything answers. Scripts wait for the last line.
fn announce(options: &Options, data: &Path, variables: &Variables, link: Option<&str>) {
    let (gateway, console) = options.urls();
    println!("gateway  {gateway}");
    println!("console  {console}/console/");
    if let Some(link) = link {
        println!("connect  {link}  (once, within a minute)");
    }
    println!(
        "secrets  {} in {}",
        secrets::NAMES.join(" and "),
        variables.source
    );
    println!("data     {}", paths::shown(data));
    if let Some(organisation) = &options.organisation {
        match credential::issue(organisation, options, variables) {
            Ok(token) => {
                println!("token    {token}  (dashboard of {organisation}, shown only now)")
            }
            Err(message) => term::error(&message),
        }
    }
    if options.workers > 1 {
        println!("workers  {}", options.workers);
    }
    println!("ready {gateway} console {console}/console/");
}

fn ensure_built() -> Result<()> {
    for product in [&build::WORKER, &build::SERVED, &build::CONSOLE] {
        if !product.exists() {
            return Err(error(format!(
                "the {} is not built: run without --no-build",
                product.name
            )));
        }
    }
    Ok(())
}

fn ensure_port_is_free(host: &str, port: u16, flag: &str) -> Result<()> {
    match TcpListener::bind((host, port)) {
        Ok(_) => Ok(()),
        Err(reason) if reason.kind() == std::io::ErrorKind::AddrInUse => Err(error(format!(
            "port {port} is in use: choose another with {flag}"
        ))),
        Err(reason) => Err(error(format!(
            "cannot listen on {}: {reason}",
            authority(host, port)
        ))),
    }
}

/// Denies other users access to a folder, which contains hashes of keys and all administered data. A folder of another
/// owner, such as a mounted volume, keeps its mode.
fn deny_other_users(folder: &Path) {
    #[cfg(unix)]
    let _ = std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700));
    #[cfg(not(unix))]
    let _ = folder;
}

/// The data folder, locked by this process: two runtimes on one database would each believe that it is theirs.
struct DataFolder {
    path: PathBuf,
    lock: File,
}

/// Unlocking, and not only closing, releases the folder reliably: a program that another thread is starting holds a
/// copy of the open file until its exec.
impl Drop for DataFolder {
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

impl DataFolder {
    fn open(path: &Path) -> Result<Self> {
        let shown = paths::shown(path);
        paths::make_folder(path)?;
        deny_other_users(path);
        for part in ["registry", "kv"] {
            let part = path.join(part);
            paths::make_folder(&part)?;
            std::fs::read_dir(&part).context(|| format!("cannot read the data folder {shown}"))?;
        }
        let lock = File::create(path.join(".lock"))
            .context(|| format!("cannot write in the data folder {shown}"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_path_buf(),
                lock,
            }),
            Err(TryLockError::WouldBlock) => Err(error(format!(
                "the data folder {shown} is in use by another Gatewright: choose another with --data-dir"
            ))),
            Err(TryLockError::Error(reason)) => Err(error(format!(
                "cannot lock the data folder {shown}: {reason}"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_in_use_is_one_clear_line() {
        let other = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = other.local_addr().unwrap().port();
        assert_eq!(
            ensure_port_is_free("127.0.0.1", port, "--port"),
            Err(error(format!(
                "port {port} is in use: choose another with --port"
            )))
        );
    }

    #[test]
    fn a_data_folder_has_one_user_and_is_free_afterwards() {
        let path = std::env::temp_dir().join(format!("gatewright-data-{}", std::process::id()));
        let first = DataFolder::open(&path).unwrap();
        assert!(DataFolder::open(&path).is_err());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
        // The copy that a program holds between its fork and its exec.
        let inherited = first.lock.try_clone().unwrap();
        drop(first);
        drop(DataFolder::open(&path).unwrap());
        drop(inherited);
        std::fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn a_data_folder_that_is_a_file_is_refused() {
        let path = std::env::temp_dir().join(format!("gatewright-file-{}", std::process::id()));
        std::fs::write(&path, "").unwrap();
        assert!(DataFolder::open(&path).is_err());
        std::fs::remove_file(&path).unwrap();
    }
}
