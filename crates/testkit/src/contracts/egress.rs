//! The contract of [`Egress`].

use super::servers::TEXT;
use super::{Case, Outcome, cases, ensure_eq};
use gatewright_controlplane::ports::{Egress, Fetched, Outgoing, Replied, Unfetched};

/// Egress in both configurations, and a server that answers as in [`super::servers`]. Timeouts are short, so that no
/// case waits long.
#[derive(Debug)]
pub struct Outside<E> {
    /// Private networks may be called.
    pub open: E,
    /// Private networks may not be called.
    pub closed: E,
    /// The address of the server, in a private network, without a trailing slash.
    pub server: String,
    /// An address where nothing listens.
    pub nobody: String,
}

impl<E: Egress> Outside<E> {
    async fn get(&self, path: &str) -> Result<Fetched, Unfetched> {
        self.open.get(&self.at(path), 10_000).await
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.server)
    }

    /// Returns the last request that the server received.
    async fn seen(&self) -> Result<Outgoing, String> {
        let seen = self.get("/seen").await;
        let seen = seen.map_err(|error| format!("/seen: {error:?}"))?;
        serde_json::from_slice(&seen.body).map_err(|error| format!("/seen: {error}"))
    }

    async fn sent(&self, method: &str, path: &str) -> Result<u16, Unfetched> {
        let outgoing = Outgoing {
            method: method.to_owned(),
            url: self.at(path),
            ..Outgoing::default()
        };
        let replied = self.replied(outgoing, 0).await;
        replied.map(|replied| replied.status)
    }

    async fn replied(&self, outgoing: Outgoing, max: usize) -> Result<Replied, Unfetched> {
        self.open.send(&outgoing, max).await
    }
}

/// Returns every case.
#[must_use]
pub fn cases<E: Egress>() -> Vec<Case<Outside<E>>> {
    cases![
        private_networks_are_allowed_as_configured,
        a_text_arrives_as_it_is,
        a_compressed_text_arrives_decoded,
        an_answer_without_a_type_has_an_empty_one,
        every_status_is_an_answer,
        a_redirect_is_answered_and_not_followed,
        a_body_up_to_the_limit_is_read,
        a_longer_body_is_too_large_also_one_without_end,
        an_answer_that_does_not_come_is_timed_out,
        an_answer_that_does_not_end_is_timed_out,
        a_connection_that_ends_is_unreachable,
        a_server_that_does_not_run_is_unreachable,
        a_name_without_an_address_is_unreachable,
        a_private_address_is_unreachable_unless_allowed,
        what_is_sent_arrives_with_its_headers_and_body,
        a_request_without_a_body_is_sent_without_one,
        the_status_of_what_was_sent_is_answered_whatever_the_body,
        what_was_sent_is_answered_with_the_beginning_of_the_body,
        what_is_sent_can_fail_as_well,
    ]
}

async fn private_networks_are_allowed_as_configured<E: Egress>(outside: &Outside<E>) -> Outcome {
    ensure_eq(
        "where they may be called",
        outside.open.allows_private(),
        true,
    )?;
    ensure_eq("where they may not", outside.closed.allows_private(), false)
}

async fn a_text_arrives_as_it_is<E: Egress>(outside: &Outside<E>) -> Outcome {
    let wanted = Fetched {
        status: 200,
        location: None,
        content_type: "application/json; charset=utf-8".to_owned(),
        body: TEXT.as_bytes().to_vec(),
    };
    ensure_eq("the answer", outside.get("/text?q=1").await, Ok(wanted))
}

async fn a_compressed_text_arrives_decoded<E: Egress>(outside: &Outside<E>) -> Outcome {
    let body = outside.get("/gzip").await.map(|answer| answer.body);
    ensure_eq("the body", body, Ok(TEXT.as_bytes().to_vec()))
}

async fn an_answer_without_a_type_has_an_empty_one<E: Egress>(outside: &Outside<E>) -> Outcome {
    let media = outside.get("/gzip").await.map(|answer| answer.content_type);
    ensure_eq("the type", media, Ok(String::new()))
}

async fn every_status_is_an_answer<E: Egress>(outside: &Outside<E>) -> Outcome {
    for (path, status, body) in [
        ("/unavailable", 503, "later"),
        ("/elsewhere", 404, "not found"),
        ("/nothing", 204, ""),
    ] {
        let answer = outside.get(path).await;
        let answer = answer.map(|answer| (answer.status, answer.body));
        ensure_eq(path, answer, Ok((status, body.as_bytes().to_vec())))?;
    }
    Ok(())
}

async fn a_redirect_is_answered_and_not_followed<E: Egress>(outside: &Outside<E>) -> Outcome {
    let text = outside.at("/text");
    for (path, status, location) in [
        (
            "/absolute",
            302,
            "http://elsewhere.example/x?y=1".to_owned(),
        ),
        ("/rooted/here", 301, format!("{text}?x=1")),
        ("/relative/here", 307, text.clone()),
    ] {
        let answer = outside.get(path).await;
        let answer = answer.map(|answer| (answer.status, answer.location, answer.body));
        let wanted = (status, Some(location), b"moved".to_vec());
        ensure_eq(path, answer, Ok(wanted))?;
        ensure_eq(path, outside.sent("POST", path).await, Ok(status))?;
    }
    Ok(())
}

async fn a_body_up_to_the_limit_is_read<E: Egress>(outside: &Outside<E>) -> Outcome {
    let answer = outside.open.get(&outside.at("/thousand"), 1000).await;
    ensure_eq(
        "its length",
        answer.map(|answer| answer.body.len()),
        Ok(1000),
    )
}

async fn a_longer_body_is_too_large_also_one_without_end<E: Egress>(
    outside: &Outside<E>,
) -> Outcome {
    let answer = outside.open.get(&outside.at("/thousand"), 999).await;
    ensure_eq("one byte more", answer, Err(Unfetched::TooLarge))?;
    ensure_eq(
        "no end",
        outside.get("/endless").await,
        Err(Unfetched::TooLarge),
    )
}

async fn an_answer_that_does_not_come_is_timed_out<E: Egress>(outside: &Outside<E>) -> Outcome {
    ensure_eq(
        "the answer",
        outside.get("/silent").await,
        Err(Unfetched::TimedOut),
    )
}

async fn an_answer_that_does_not_end_is_timed_out<E: Egress>(outside: &Outside<E>) -> Outcome {
    ensure_eq(
        "the answer",
        outside.get("/stuck").await,
        Err(Unfetched::TimedOut),
    )
}

async fn a_connection_that_ends_is_unreachable<E: Egress>(outside: &Outside<E>) -> Outcome {
    ensure_eq(
        "the answer",
        outside.get("/reset").await,
        Err(Unfetched::Unreachable),
    )
}

async fn a_server_that_does_not_run_is_unreachable<E: Egress>(outside: &Outside<E>) -> Outcome {
    let answer = outside.open.get(&outside.nobody, 10).await;
    ensure_eq("the answer", answer, Err(Unfetched::Unreachable))
}

async fn a_name_without_an_address_is_unreachable<E: Egress>(outside: &Outside<E>) -> Outcome {
    // No name below `invalid` has an address (RFC 6761 section 6.4).
    let url = "http://no-such-host.invalid/";
    let open = outside.open.get(url, 10).await;
    ensure_eq(
        "where private networks may be called",
        open,
        Err(Unfetched::Unreachable),
    )?;
    let closed = outside.closed.get(url, 10).await;
    ensure_eq("where they may not", closed, Err(Unfetched::Unreachable))
}

async fn a_private_address_is_unreachable_unless_allowed<E: Egress>(
    outside: &Outside<E>,
) -> Outcome {
    let url = outside.at("/text");
    let got = outside.closed.get(&url, 10_000).await;
    ensure_eq("what was got", got, Err(Unfetched::Unreachable))?;
    let outgoing = Outgoing {
        method: "POST".to_owned(),
        url,
        ..Outgoing::default()
    };
    let sent = outside.closed.send(&outgoing, 0).await;
    ensure_eq("what was sent", sent, Err(Unfetched::Unreachable))
}

async fn what_is_sent_arrives_with_its_headers_and_body<E: Egress>(
    outside: &Outside<E>,
) -> Outcome {
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let headers = [
        ("content-type", "application/json"),
        ("x-empty", ""),
        ("x-own", "a: b, c=\"d\""),
    ]
    .map(owned);
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let outgoing = Outgoing {
            method: method.to_owned(),
            url: outside.at("/text?a=%20&b=%C3%BC"),
            headers: headers.to_vec(),
            body: Some(TEXT.to_owned()),
        };
        let sent = outside.replied(outgoing.clone(), 0).await;
        ensure_eq(method, sent.map(|replied| replied.status), Ok(200))?;
        let mut seen = outside.seen().await?;
        // The platform adds headers of its own.
        seen.headers.retain(|field| headers.contains(field));
        seen.headers.sort();
        ensure_eq("what the server saw", seen, outgoing)?;
    }
    Ok(())
}

async fn a_request_without_a_body_is_sent_without_one<E: Egress>(outside: &Outside<E>) -> Outcome {
    for method in ["GET", "POST"] {
        ensure_eq(method, outside.sent(method, "/text").await, Ok(200))?;
        let seen = outside.seen().await?;
        ensure_eq(
            "what the server saw",
            (seen.method, seen.body),
            (method.to_owned(), None),
        )?;
    }
    Ok(())
}

async fn the_status_of_what_was_sent_is_answered_whatever_the_body<E: Egress>(
    outside: &Outside<E>,
) -> Outcome {
    for (path, status) in [
        ("/unavailable", 503),
        ("/nothing", 204),
        ("/endless", 200),
        ("/stuck", 200),
    ] {
        ensure_eq(path, outside.sent("POST", path).await, Ok(status))?;
    }
    Ok(())
}

async fn what_was_sent_is_answered_with_the_beginning_of_the_body<E: Egress>(
    outside: &Outside<E>,
) -> Outcome {
    let media = "application/json; charset=utf-8";
    let whole = TEXT.len();
    for (path, media, max, length, cut) in [
        ("/text", media, whole, Some(whole), false),
        ("/text", media, 4, Some(4), true),
        ("/gzip", "", whole, Some(whole), false),
        ("/thousand", "", 1000, Some(1000), false),
        ("/thousand", "", 999, Some(999), true),
        ("/nothing", "", 10, Some(0), false),
        ("/endless", "", 100, Some(100), true),
        // What has arrived of it is not certain.
        ("/stuck", "", 100, None, true),
    ] {
        let outgoing = Outgoing {
            method: "POST".to_owned(),
            url: outside.at(path),
            ..Outgoing::default()
        };
        let replied = outside.replied(outgoing, max).await;
        let replied = replied.map_err(|error| format!("{path}: {error:?}"))?;
        ensure_eq(path, replied.content_type.as_str(), media)?;
        ensure_eq(path, replied.cut, cut)?;
        ensure_eq(
            path,
            replied.body.len(),
            length.unwrap_or(replied.body.len()),
        )?;
    }
    Ok(())
}

async fn what_is_sent_can_fail_as_well<E: Egress>(outside: &Outside<E>) -> Outcome {
    ensure_eq(
        "silence",
        outside.sent("POST", "/silent").await,
        Err(Unfetched::TimedOut),
    )?;
    ensure_eq(
        "an end",
        outside.sent("POST", "/reset").await,
        Err(Unfetched::Unreachable),
    )
}
