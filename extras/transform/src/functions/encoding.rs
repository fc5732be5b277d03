//! JSON, XML, Base64, Base32, hashes, addresses and dates.

use super::{Args, Done, shown, to_int};
use crate::value::{Map, Value};
use crate::{dates, marshal, xml};
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use base64::{DecodeError, Engine as _, alphabet};
use sha2::Digest as _;

pub(super) const NAMES: &str = "adler32sum ago b32dec b32enc b64dec b64enc base date dateInZone dateModify \
    date_in_zone date_modify dir duration durationRound ext clean fromJson htmlDate htmlDateInZone isAbs jsonMarshal \
    mustDateModify mustFromJson mustToDate mustToJson mustToPrettyJson mustToRawJson must_date_modify now osBase osClean \
    osDir osExt osIsAbs sha1sum sha256sum sha512sum toDate toJson toPrettyJson toRawJson unixEpoch urlJoin urlParse \
    xmlMarshal";

pub(super) fn by_name(name: &str, args: &Args<'_>) -> Done {
    let hex = |bytes: &[u8]| {
        Value::str(
            bytes
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>(),
        )
    };
    // These variants report failures instead of returning a default.
    let must = name.starts_with("must");
    let or_fail = |value: Option<Value>, other: Value| match value {
        Some(value) => Ok(value),
        None if must => Err(format!("{name}: the text can't be read")),
        None => Ok(other),
    };
    // The functions for the operating system's paths are the same as the others here.
    let name = match name
        .strip_prefix("must")
        .or_else(|| name.strip_prefix("os"))
    {
        Some(rest) => {
            let mut letters = rest.trim_start_matches('_').chars();
            let first = letters.next().unwrap_or_default().to_ascii_lowercase();
            format!("{first}{}", letters.as_str())
        }
        None => name.to_owned(),
    };
    Ok(match name.as_str() {
        "jsonMarshal" | "toJson" => Value::str(marshal::json(args.get(0)?, true, None)),
        "toRawJson" => Value::str(marshal::json(args.get(0)?, false, None)),
        "toPrettyJson" => Value::str(marshal::json(args.get(0)?, true, Some(0))),
        "fromJson" => or_fail(marshal::from_json(args.text(0)?), Value::Nil)?,
        "xmlMarshal" => Value::str(xml::marshal(args.get(0)?)?),
        "b64enc" => Value::str(STANDARD.encode(args.text(0)?)),
        "b64dec" => Value::str(unbase64(args.text(0)?)),
        "b32enc" => Value::str(base32(args.text(0)?.as_bytes())),
        "b32dec" => Value::str(String::from_utf8_lossy(&unbase32(args.text(0)?))),
        "sha256sum" => hex(&sha2::Sha256::digest(args.text(0)?)),
        "sha512sum" => hex(&sha2::Sha512::digest(args.text(0)?)),
        "sha1sum" => Value::str(sha1_smol::Sha1::from(args.text(0)?).digest().to_string()),
        "adler32sum" => Value::str(adler(args.text(0)?.as_bytes()).to_string()),
        "base" => match args.text(0)? {
            "" => Value::str("."),
            path => {
                let last = path.trim_end_matches('/').rsplit('/').next();
                Value::str(last.filter(|last| !last.is_empty()).unwrap_or("/"))
            }
        },
        "ext" => {
            let last = args.text(0)?.rsplit('/').next().unwrap_or_default();
            Value::str(
                last.rfind('.')
                    .and_then(|at| last.get(at..))
                    .unwrap_or_default(),
            )
        }
        "dir" => {
            let path = args.text(0)?;
            let end = path.rfind('/').map_or(0, |at| at.saturating_add(1));
            Value::str(clean(path.get(..end).unwrap_or_default()))
        }
        "clean" => Value::str(clean(args.text(0)?)),
        "isAbs" => Value::Bool(args.text(0)?.starts_with('/')),
        "urlParse" => url_parse(args.text(0)?),
        "urlJoin" => Value::str(url_join(&args.map(0)?)),
        "now" => Value::Time(dates::now()),
        "unixEpoch" => Value::str(seconds(args.get(0)?).to_string()),
        "toDate" => {
            let read = dates::parse(args.text(0)?, args.text(1)?).map(Value::Time);
            or_fail(read, Value::Time(dates::ZERO))?
        }
        "date" | "dateInZone" | "date_in_zone" => {
            Value::str(dates::format(seconds(args.get(1)?), args.text(0)?))
        }
        "htmlDate" | "htmlDateInZone" => {
            Value::str(dates::format(seconds(args.get(0)?), "2006-01-02"))
        }
        "dateModify" | "date_modify" => {
            let from = seconds(args.get(1)?);
            let by = dates::duration(args.text(0)?);
            let to = by.map(|by| Value::Time(from.saturating_add(by)));
            or_fail(to, Value::Time(from))?
        }
        "ago" => {
            let past = dates::now().saturating_sub(seconds(args.get(0)?));
            Value::str(dates::spelled(past))
        }
        "duration" => Value::str(dates::spelled(match args.get(0)? {
            Value::Float(_) | Value::Bool(_) => 0,
            other => to_int(other),
        })),
        _ => Value::str(dates::rounded(match args.get(0)? {
            Value::Str(text) => dates::duration(text).unwrap_or_default(),
            Value::Time(at) => dates::now().saturating_sub(*at),
            other => to_int(other),
        })),
    })
}

fn seconds(value: &Value) -> i64 {
    match value {
        Value::Time(seconds) => *seconds,
        Value::Int(_) | Value::Float(_) => to_int(value),
        _ => dates::now(),
    }
}

/// Decodes Base64; returns Go's error message if that fails.
fn unbase64(text: &str) -> String {
    let text = text.replace(['\r', '\n'], "");
    // Trailing bits are ignored.
    let config = GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
    let at = match GeneralPurpose::new(&alphabet::STANDARD, config).decode(&text) {
        Ok(bytes) => return String::from_utf8_lossy(&bytes).into_owned(),
        Err(DecodeError::InvalidByte(at, _)) => at,
        Err(_) => text.len() & !3,
    };
    format!("illegal base64 data at input byte {at}")
}

/// The alphabet of Base32 (RFC 4648 section 6).
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

fn base32(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(5) {
        let mut group = [0_u8; 5];
        for (place, byte) in group.iter_mut().zip(chunk) {
            *place = *byte;
        }
        let bits = group
            .iter()
            .fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
        let letters = chunk.len().saturating_mul(8).div_ceil(5);
        for place in 0..8_u32 {
            let index =
                usize::try_from((bits >> (35_u32.saturating_sub(place.saturating_mul(5)))) & 31)
                    .unwrap_or_default();
            let letter = BASE32.get(index).copied().unwrap_or(b'=');
            let is_padding = usize::try_from(place).unwrap_or_default() >= letters;
            out.push(if is_padding { '=' } else { char::from(letter) });
        }
    }
    out
}

fn unbase32(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bits = 0_u32;
    let mut count = 0_u32;
    for letter in text.bytes() {
        let Some(value) = BASE32.iter().position(|known| *known == letter) else {
            break;
        };
        bits = (bits << 5) | u32::try_from(value).unwrap_or_default();
        count = count.saturating_add(5);
        if count >= 8 {
            count = count.saturating_sub(8);
            out.push(u8::try_from((bits >> count) & 0xff).unwrap_or_default());
        }
    }
    out
}

/// Returns the Adler-32 checksum (RFC 1950 section 9).
fn adler(bytes: &[u8]) -> u32 {
    const PRIME: u32 = 65_521;
    let add = |sum: u32, by: u32| {
        sum.saturating_add(by)
            .checked_rem(PRIME)
            .unwrap_or_default()
    };
    let (low, high) = bytes.iter().fold((1_u32, 0_u32), |(low, high), byte| {
        let low = add(low, u32::from(*byte));
        (low, add(high, low))
    });
    (high << 16) | low
}

fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let is_absolute = path.starts_with('/');
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if is_absolute => {}
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    match (is_absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

fn url_parse(url: &str) -> Value {
    let (url, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (url, query) = url.split_once('?').unwrap_or((url, ""));
    let is_scheme = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || b"+-.".contains(&c))
    };
    let split = url.split_once(':').filter(|(scheme, _)| is_scheme(scheme));
    let (scheme, rest) = split.unwrap_or(("", url));
    let (opaque, rest) = match scheme.is_empty() || rest.starts_with('/') {
        true => ("", rest),
        false => (rest, ""),
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let port = host
        .rsplit_once(':')
        .filter(|(_, port)| !port.ends_with(']'));
    let hostname = port.map_or(host, |(name, _)| name);
    let hostname = hostname.trim_start_matches('[').trim_end_matches(']');
    let members = [
        ("scheme", scheme),
        ("userinfo", user),
        ("host", host),
        ("hostname", hostname),
        ("path", path),
        ("query", query),
        ("fragment", fragment),
        ("opaque", opaque),
    ];
    Value::map(
        members
            .into_iter()
            .map(|(name, text)| (name.into(), Value::str(text)))
            .collect(),
    )
}

fn url_join(members: &Map) -> String {
    let part = |name: &str| members.get(name).map(shown).unwrap_or_default();
    let with = |mark: &str, text: String| {
        if text.is_empty() {
            text
        } else {
            format!("{mark}{text}")
        }
    };
    let user = part("userinfo");
    let user = if user.is_empty() {
        user
    } else {
        format!("{user}@")
    };
    let (scheme, host, path) = (part("scheme"), part("host"), part("path"));
    let opaque = part("opaque");
    let slash = if host.is_empty() || path.is_empty() || path.starts_with('/') {
        ""
    } else {
        "/"
    };
    let colon = if scheme.is_empty() { "" } else { ":" };
    let has_host = !host.is_empty() || (!scheme.is_empty() && opaque.is_empty());
    let slashes = if has_host { "//" } else { "" };
    format!(
        "{scheme}{colon}{opaque}{slashes}{user}{host}{slash}{path}{}{}",
        with("?", part("query")),
        with("#", part("fragment"))
    )
}
