//! Key sets at addresses (RFC 7517).

use crate::jose::{Algorithm, Token};
use crate::keys::Key;
use crate::report::Stop;
use crate::wishes::{Fetch, Wishes};
use gatewright_model::json::{Value, parse};

/// For how many seconds a key set is used that nothing else is said about.
pub const SECONDS: i64 = 240;
/// A token names a key that there isn't: a set as old as this, seconds, is asked for again.
const RENEWED_SECONDS: i64 = 10;

/// Where a key set is, and for how many seconds it is used.
pub type Address = (String, i64);

/// Fetches a key set that is as old as this at most, seconds; nothing where it can't be had.
fn fetch(url: &str, seconds: i64, wishes: &mut Wishes<'_>) -> Result<String, Stop> {
    let form = "";
    let fetched = wishes.fetch(Fetch { url, form, seconds })?;
    Ok(fetched.good().unwrap_or_default().to_owned())
}

fn is_set(text: &str) -> bool {
    parse(text).is_ok_and(|value| value.get("keys").is_some())
}

/// The key of a set that a token names, if the algorithm can use it. A token that names none means the only one.
fn named(text: &str, token: &Token<'_>, algorithm: &Algorithm, needs_kid: bool) -> Option<Key> {
    let set = parse(text).ok()?;
    let keys = set.get("keys").map(Value::items)?;
    let says = |key: &Value<'_>| key.str("alg").is_none_or(|alg| alg == algorithm.name);
    let usable =
        |key: &&Value<'_>| says(key) && Key::of_set(key).is_some_and(|key| key.fits(algorithm));
    let mut usable = keys.iter().filter(usable);
    let found = match token.kid() {
        Some(kid) => usable.find(|key| key.str("kid") == Some(kid))?,
        None if needs_kid => return None,
        None => {
            let only = usable.next()?;
            usable.next().is_none().then_some(only)?
        }
    };
    Key::of_set(found)
}

/// The key of a token in the first of these sets that has it. A set that can't be had is passed over.
///
/// # Errors
/// The wish for a set.
pub fn key(
    addresses: &[Address],
    (token, algorithm): (&Token<'_>, &Algorithm),
    needs_kid: bool,
    wishes: &mut Wishes<'_>,
) -> Result<Option<Key>, Stop> {
    if needs_kid && token.kid().is_none() {
        return Ok(None);
    }
    let mut texts = Vec::new();
    for (url, seconds) in addresses {
        let mut text = fetch(url, *seconds, wishes)?;
        // One that can't be read is asked for once more.
        if !text.is_empty() && !is_set(&text) {
            text = fetch(url, 0, wishes)?;
        }
        texts.push(text);
    }
    let look = |texts: &[String]| {
        let mut texts = texts.iter();
        texts.find_map(|text| named(text, token, algorithm, needs_kid))
    };
    if let Some(found) = look(&texts) {
        return Ok(Some(found));
    }
    // A key that was added since is found soon, and who makes up names asks the server no more often than that.
    for ((url, _), text) in addresses.iter().zip(&mut texts) {
        if is_set(text) {
            *text = fetch(url, RENEWED_SECONDS, wishes)?;
        }
    }
    Ok(look(&texts))
}
