//! What `std` can't do for child processes: wait for the signal that ends us, pass it on, make sure that no child
//! outlives us, and let one inherit an open file.

use std::process::Command;

/// The signals that mean "please end": Ctrl-C, `kill`, a closed terminal.
const ENDING: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

fn ending_set() -> libc::sigset_t {
    // SAFETY: `sigset_t` is plain data for which all zeroes is a valid value; `sigemptyset` then initialises it, and
    // the signal numbers are the platform's own.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in ENDING {
            libc::sigaddset(&raw mut set, signal);
        }
        set
    }
}

/// Makes the ending signals wait for [`wait`] from here on, instead of ending the process. Call it before the first
/// thread starts: threads inherit the setting. Child processes would as well, if [`prepare`] didn't undo it for them.
pub(crate) fn block_ending_signals() {
    let set = ending_set();
    // SAFETY: `set` is initialised; the old mask isn't requested.
    unsafe {
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
    }
}

/// Waits until one of the held signals arrives.
pub(crate) fn wait() {
    let set = ending_set();
    let mut signal: libc::c_int = 0;
    // SAFETY: both pointers are to initialised locals. A failure (`EINVAL`) can't happen with this set.
    unsafe {
        libc::sigwait(&raw const set, &raw mut signal);
    }
}

/// Asks a process to end (`SIGTERM`).
pub(crate) fn terminate(process: u32) {
    send(process, libc::SIGTERM);
}

/// Ends a process at once (`SIGKILL`).
pub(crate) fn kill(process: u32) {
    send(process, libc::SIGKILL);
}

fn send(process: u32, signal: libc::c_int) {
    if let Ok(process) = libc::pid_t::try_from(process) {
        // SAFETY: no memory is involved; if the process is gone, the error doesn't matter here.
        unsafe {
            libc::kill(process, signal);
        }
    }
}

/// Lets child processes started from here on inherit an open file, under the same number.
///
/// # Errors
/// If there is no such file.
pub(crate) fn inherit(file: std::os::fd::RawFd) -> std::io::Result<()> {
    // SAFETY: no memory is involved; a file that is not open is an error.
    match unsafe { libc::fcntl(file, libc::F_SETFD, 0) } {
        -1 => Err(std::io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// How a child process is ended when its parent is gone.
#[derive(Clone, Copy)]
pub(crate) enum Ending {
    /// `SIGTERM`: it may clean up, and end its own children.
    Terminate,
    /// `SIGKILL`: at once. For a program that would otherwise wait for its open connections.
    Kill,
}

/// Makes a child process, before it is started, receive signals as usual, and end when this process dies, even by
/// `SIGKILL` (the latter on Linux). The last call counts.
pub(crate) fn prepare(command: &mut Command, ending: Ending) {
    use std::os::unix::process::CommandExt;
    let parent = std::process::id();
    let held = ending_set();
    // SAFETY: between fork and exec only async-signal-safe calls are allowed. `pthread_sigmask`, `prctl`
    // and `getppid` are plain system calls, and nothing is allocated.
    unsafe {
        command.pre_exec(move || {
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const held, std::ptr::null_mut());
            follow(parent, ending)
        });
    }
}

/// Asks the kernel for a signal when the parent is gone. Runs between fork and exec.
#[cfg(target_os = "linux")]
fn follow(parent: u32, ending: Ending) -> std::io::Result<()> {
    let signal = match ending {
        Ending::Terminate => libc::SIGTERM,
        Ending::Kill => libc::SIGKILL,
    };
    // SAFETY: two system calls without memory.
    let (asked, parent_now) =
        unsafe { (libc::prctl(libc::PR_SET_PDEATHSIG, signal), libc::getppid()) };
    if asked != 0 {
        return Err(std::io::Error::last_os_error());
    }
    // The parent may have died before the request.
    if u32::try_from(parent_now).ok() == Some(parent) {
        Ok(())
    } else {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }
}

#[cfg(not(target_os = "linux"))]
fn follow(_parent: u32, _ending: Ending) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn a_child_process_receives_the_signals_that_we_block() {
        // In a thread of its own, so that only this one blocks them.
        let status = std::thread::spawn(|| {
            block_ending_signals();
            let mut command = Command::new("sleep");
            prepare(command.arg("60"), Ending::Terminate);
            let mut child = command.spawn().unwrap();
            terminate(child.id());
            child.wait().unwrap()
        });
        assert_eq!(status.join().unwrap().signal(), Some(libc::SIGTERM));
    }
}
