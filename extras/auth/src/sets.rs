//! Key sets fetched from an address (RFC 7517).

use crate::jose::{Algorithm, Token};
use crate::keys::Key;
use crate::report::Stop;
use crate::wishes::{Fetch, Wishes};
use gatewright_model::compiled::Compiled;
use gatewright_model::json::{Value, parse};
use std::cell::RefCell;
use std::rc::Rc;

/// The default number of seconds for which a key set is used.
pub const SECONDS: i64 = 240;
/// If a token names a key that isn't in the set, a set older than this many seconds is fetched again.
const RENEWED_SECONDS: i64 = 10;

/// The address of a key set, and the number of seconds for which it is used.
pub type Address = (String, i64);

/// Why there is no key for a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// No set has one.
    Key,
    /// No set is available.
    Set,
}

/// Fetches a key set at most this many seconds old; empty if it isn't available.
fn fetch(url: &str, seconds: i64, wishes: &mut Wishes<'_>) -> Result<String, Stop> {
    let form = "";
    let fetched = wishes.fetch(Fetch { url, form, seconds })?;
    Ok(fetched.good().unwrap_or_default().to_owned())
}

/// A key of a set that can verify signatures, with its members `kid` and `alg`.
#[derive(Debug)]
struct Known {
    id: Option<String>,
    algorithm: Option<String>,
    key: Key,
}

/// Parses a set; `None` if it isn't one.
fn read(text: &str) -> Option<Vec<Known>> {
    let set = parse(text).ok()?;
    let keys = set.get("keys")?.items().iter();
    let member = |key: &Value<'_>, name: &str| key.str(name).map(str::to_owned);
    let known = keys.filter_map(|key| {
        Some(Known {
            id: member(key, "kid"),
            algorithm: member(key, "alg"),
            key: Key::of_set(key)?,
        })
    });
    Some(known.collect())
}

thread_local! {
    static SETS: RefCell<Compiled<Option<Vec<Known>>>> = RefCell::default();
}

/// Does the same, once for each text.
fn parsed(text: &str) -> Rc<Option<Vec<Known>>> {
    SETS.with_borrow_mut(|sets| sets.get(text, read))
}

fn is_set(text: &str) -> bool {
    !text.is_empty() && parsed(text).is_some()
}

/// Finds a token's key in a set by its id, if the algorithm can use it. Without an id, it is the only usable key.
fn named(text: &str, token: &Token<'_>, algorithm: &Algorithm, needs_kid: bool) -> Option<Key> {
    let set = parsed(text);
    let says = |known: &Known| {
        let algorithms = known.algorithm.as_deref();
        algorithms.is_none_or(|name| name == algorithm.name)
    };
    let keys = set.as_ref().as_ref()?.iter();
    let mut usable = keys.filter(|known| says(known) && known.key.fits(algorithm));
    let found = match token.kid() {
        Some(kid) => usable.find(|known| known.id.as_deref() == Some(kid))?,
        None if needs_kid => return None,
        None => {
            let only = usable.next()?;
            usable.next().is_none().then_some(only)?
        }
    };
    Some(found.key.clone())
}

/// Finds a token's key in the first of these sets that has it. Sets that aren't available are skipped.
///
/// # Errors
/// The wish for a set.
pub fn key(
    addresses: &[Address],
    (token, algorithm): (&Token<'_>, &Algorithm),
    needs_kid: bool,
    wishes: &mut Wishes<'_>,
) -> Result<Result<Key, Missing>, Stop> {
    if needs_kid && token.kid().is_none() {
        return Ok(Err(Missing::Key));
    }
    let mut texts = Vec::new();
    for (url, seconds) in addresses {
        let mut text = fetch(url, *seconds, wishes)?;
        // A set that can't be parsed is fetched once more.
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
        return Ok(Ok(found));
    }
    if !texts.iter().any(|text| is_set(text)) {
        return Ok(Err(Missing::Set));
    }
    // A key added since is found soon, and made-up ids don't make the gateway call the server more often than that.
    for ((url, _), text) in addresses.iter().zip(&mut texts) {
        if is_set(text) {
            *text = fetch(url, RENEWED_SECONDS, wishes)?;
        }
    }
    Ok(look(&texts).ok_or(Missing::Key))
}
