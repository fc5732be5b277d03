//! What is kept of a response to a request that the gateway sent: its type and length, and the beginning of its text.

use crate::ports::{Outgoing, Replied};
use gatewright_api::dashboard::delivery::Received;

/// How much of a body is kept, in bytes.
const BODY_MAX_BYTES: usize = 1024;

/// How much of a body is read, in bytes: more than is kept, so that a secret at the end is recognised as a whole.
pub(super) const READ_MAX_BYTES: usize = 4 * BODY_MAX_BYTES;

/// The most characters of a `Content-Type` that are kept.
const TYPE_MAX: usize = 100;

/// Shorter values are too common in texts to be secrets.
const SECRET_MIN_BYTES: usize = 6;

/// Stands for what is left out.
const LEFT_OUT: &str = "[redacted]";

/// Shortens a response to a request, and removes what it repeats of the request's own headers and query.
pub(super) fn received(replied: Replied, to: &Outgoing) -> Received {
    let kind = replied.content_type.chars();
    let mut received = Received {
        content_type: kind.filter(|c| !c.is_control()).take(TYPE_MAX).collect(),
        content_length: replied.content_length,
        ..Received::default()
    };
    if let Some(text) = text(replied.body) {
        let mut text = redacted(text, to);
        let end = text.floor_char_boundary(BODY_MAX_BYTES);
        received.truncated = replied.cut || end < text.len();
        text.truncate(end);
        received.body = Some(text);
    }
    received
}

/// Returns a body as text, `None` if it is something else. The last character may be incomplete.
fn text(body: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(body).or_else(|error| {
        let end = error.utf8_error();
        let (whole, incomplete) = (end.valid_up_to(), end.error_len().is_none());
        let mut bytes = error.into_bytes();
        bytes.truncate(whole);
        incomplete
            .then(|| String::from_utf8(bytes).ok())
            .flatten()
            .ok_or(())
    });
    let plain = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    text.ok().filter(|text| text.chars().all(plain))
}

/// Replaces the values of the request's headers and query wherever they occur.
fn redacted(mut text: String, to: &Outgoing) -> String {
    let known = [
        "user-agent",
        "content-type",
        "webhook-id",
        "webhook-timestamp",
    ];
    let own = to
        .headers
        .iter()
        .filter(|(name, _)| !known.contains(&name.as_str()));
    let query = to.url.split_once('?').map(|(_, query)| query);
    // The words of a value, too: a server may repeat a token without its scheme.
    let values = own.map(|(_, value)| value.as_str()).chain(query);
    let words = values.flat_map(|value| value.split([' ', '&', '=', ',']).chain([value]));
    let mut secrets: Vec<&str> = words
        .filter(|word| word.len() >= SECRET_MIN_BYTES)
        .collect();
    secrets.sort_by_key(|word| std::cmp::Reverse(word.len()));
    for secret in secrets {
        text = text.replace(secret, LEFT_OUT);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(body: &[u8], cut: bool, to: &Outgoing) -> Received {
        let replied = Replied {
            status: 200,
            content_type: "text/plain".to_owned(),
            content_length: Some(9),
            body: body.to_vec(),
            cut,
        };
        received(replied, to)
    }

    fn body(bytes: &[u8]) -> Option<String> {
        excerpt(bytes, false, &Outgoing::default()).body
    }

    #[test]
    fn only_text_is_kept() {
        assert_eq!(
            body(b"{\"ok\":true}\r\n\t").as_deref(),
            Some("{\"ok\":true}\r\n\t")
        );
        assert_eq!(body(b"").as_deref(), Some(""));
        assert_eq!(body("gr\u{fc}n".as_bytes()).as_deref(), Some("gr\u{fc}n"));
        // The last character is cut.
        assert_eq!(body(b"gr\xc3").as_deref(), Some("gr"));
        for binary in [&b"\xff\xd8\xff"[..], b"a\0b", b"\x1b[31m", b"a\xffb"] {
            assert_eq!(body(binary), None, "{binary:?}");
        }
    }

    #[test]
    fn at_most_a_kilobyte_is_kept() {
        let none = Outgoing::default();
        let long = excerpt("\u{fc}".repeat(1000).as_bytes(), false, &none);
        assert_eq!((long.body.unwrap().len(), long.truncated), (1024, true));
        let odd = excerpt(
            format!("a{}", "\u{fc}".repeat(1000)).as_bytes(),
            true,
            &none,
        );
        assert_eq!((odd.body.unwrap().len(), odd.truncated), (1023, true));
        let whole = excerpt(&[b'x'; 1024], false, &none);
        assert_eq!((whole.body.unwrap().len(), whole.truncated), (1024, false));
        let kind = Replied {
            content_type: "x\n".repeat(500),
            ..Replied::default()
        };
        assert_eq!(received(kind, &none).content_type, "x".repeat(TYPE_MAX));
    }

    #[test]
    fn what_a_server_repeats_of_the_request_is_left_out() {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let to = Outgoing {
            url: "https://e.example/in?key=abcdef123&v=1".to_owned(),
            headers: vec![
                header("user-agent", "Gatewright"),
                header("authorization", "Bearer s3cr3t-token"),
                header("webhook-id", "ntc_1234567"),
                header("webhook-signature", "v1,c2lnbmF0dXJl"),
            ],
            ..Outgoing::default()
        };
        let said =
            "Gatewright ntc_1234567 Bearer s3cr3t-token; s3cr3t-token, abcdef123 c2lnbmF0dXJl v=1";
        let kept = excerpt(said.as_bytes(), false, &to).body.unwrap();
        assert_eq!(
            kept,
            "Gatewright ntc_1234567 [redacted]; [redacted], [redacted] [redacted] v=1"
        );
        // A value that crosses the end of what is kept is not kept in part.
        let late = format!("{}s3cr3t-token", "x".repeat(1020));
        let kept = excerpt(late.as_bytes(), false, &to).body.unwrap();
        assert!(kept.ends_with("x[red"), "{kept}");
    }
}
