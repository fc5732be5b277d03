//! Server-sent events (HTML standard, section 9.2), parsed from chunks of bytes.

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its id, which a client sends when it reconnects.
    pub id: String,
    /// Its type; empty for the default.
    pub kind: String,
    /// Its text.
    pub data: String,
}

/// A parser for a stream. Lines end with LF or CR LF; no server uses CR alone.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    line: Vec<u8>,
    event: Event,
}

impl Reader {
    /// Processes a chunk, wherever it was split, and returns the completed events.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for &byte in bytes {
            if byte != b'\n' {
                self.line.push(byte);
                continue;
            }
            let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
            let line = line.strip_suffix('\r').unwrap_or(&line);
            if !line.is_empty() {
                self.field(line);
                continue;
            }
            let event = std::mem::take(&mut self.event);
            if !event.data.is_empty() {
                events.push(event);
            }
        }
        events
    }

    /// Processes a line. One that starts with a colon is a comment: its field has no name.
    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "id" => value.clone_into(&mut self.event.id),
            "event" => value.clone_into(&mut self.event.kind),
            "data" => {
                if !self.event.data.is_empty() {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            _ => {}
        }
    }
}
