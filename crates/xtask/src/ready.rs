//! Whether a server answers yet: the smallest HTTP client that can find out.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// The timeout of one request.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Enough for a status line.
const STATUS_LINE: u64 = 32;

/// Formats an address for a URL: `127.0.0.1:8787`, `[::1]:8787`.
pub(crate) fn authority(host: &str, port: u16) -> String {
    if host.contains(':') {
        format!("[{host}]:{port}")
    } else {
        format!("{host}:{port}")
    }
}

/// Returns the address at which to reach a server that listens on `host`: the loopback one if it listens on every
/// address.
pub(crate) fn reachable(host: &str) -> &str {
    match host {
        "0.0.0.0" => "127.0.0.1",
        "::" => "::1",
        other => other,
    }
}

/// Returns the status of `GET path` at a Unix socket, `None` if nothing answers.
pub(crate) fn status_at(socket: &Path, path: &str) -> Option<u16> {
    let stream = UnixStream::connect(socket).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).ok()?;
    request_status(stream, "localhost", path)
}

/// Returns the status of `GET path`, `None` if nothing answers.
pub(crate) fn status(host: &str, port: u16, path: &str) -> Option<u16> {
    let address: SocketAddr = (host, port).to_socket_addrs().ok()?.next()?;
    let stream = TcpStream::connect_timeout(&address, TIMEOUT).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).ok()?;
    request_status(stream, &authority(host, port), path)
}

fn request_status(mut stream: impl Read + Write, host: &str, path: &str) -> Option<u16> {
    // In one write: the server might not wait for a second one.
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut line = Vec::new();
    let mut reader = BufReader::new(stream).take(STATUS_LINE);
    reader.read_until(b'\r', &mut line).ok()?;
    parse(&line)
}

fn parse(line: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(line).ok()?;
    line.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn status_lines_are_read() {
        assert_eq!(parse(b"HTTP/1.1 200 OK"), Some(200));
        assert_eq!(parse(b"HTTP/1.1 503"), Some(503));
        assert_eq!(parse(b"SSH-2.0-OpenSSH"), None);
    }

    #[test]
    fn an_answer_is_a_status_and_silence_is_none() {
        let server = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = server.local_addr().unwrap().port();
        let answer = std::thread::spawn(move || {
            let (mut client, _) = server.accept().unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                client.read_exact(&mut byte).unwrap();
                request.extend(byte);
            }
            client
                .write_all(b"HTTP/1.1 204 No Content\r\n\r\n")
                .unwrap();
            String::from_utf8_lossy(&request[..16]).into_owned()
        });
        assert_eq!(status("127.0.0.1", port, "/ready"), Some(204));
        assert_eq!(answer.join().unwrap(), "GET /ready HTTP/");
        assert_eq!(
            status("127.0.0.1", port, "/ready"),
            None,
            "nobody listens any more"
        );
    }

    #[test]
    fn addresses_become_urls() {
        assert_eq!(authority("localhost", 80), "localhost:80");
        assert_eq!(authority("::1", 80), "[::1]:80");
        assert_eq!(reachable("0.0.0.0"), "127.0.0.1");
        assert_eq!(reachable("192.168.1.5"), "192.168.1.5");
    }
}
