//! Query parameters, as both APIs read them.

use gatewright_protocol::http::Request;
use serde::de::DeserializeOwned;
use std::str::FromStr;

/// A parameter with a value that it can't have: the message of the refusal, which is a 400.
#[derive(Debug)]
pub(crate) struct Wrong(pub(crate) String);

/// Returns the value of a parameter, unless it is empty.
pub(crate) fn given<'r>(request: &'r Request, name: &str) -> Option<&'r str> {
    request.parameter(name).filter(|text| !text.is_empty())
}

/// Returns the value of a parameter that takes a whole number.
pub(crate) fn number<T: FromStr>(request: &Request, name: &str) -> Result<Option<T>, Wrong> {
    let number = given(request, name).map(str::parse).transpose();
    number.map_err(|_| Wrong(format!("The query parameter {name} takes a whole number")))
}

/// Parses the value of a parameter that takes one of a few words, which are the type's serde names.
pub(crate) fn word<T: DeserializeOwned>(name: &str, text: &str) -> Result<Option<T>, Wrong> {
    if text.is_empty() {
        return Ok(None);
    }
    let word = serde_json::from_value(text.into());
    word.map(Some)
        .map_err(|error| Wrong(format!("The query parameter {name} is wrong: {error}")))
}

/// Splits the order of a list into the member it is sorted by, and whether that is in descending order.
pub(crate) fn order(sort: &str) -> (&str, bool) {
    match sort.strip_prefix('-') {
        Some(member) => (member, true),
        None => (sort, false),
    }
}

/// Returns which revisions are listed: those before a number, and how many at most.
pub(crate) fn revisions(request: &Request) -> Result<(Option<u64>, u32), Wrong> {
    let before = number::<u32>(request, "before")?.map(u64::from);
    let limit = number(request, "limit")?.unwrap_or(100);
    Ok((before, limit.clamp(1, 500)))
}
