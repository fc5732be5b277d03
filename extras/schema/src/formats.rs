//! Formats of texts. An unknown format restricts nothing.

use gatewright_model::text::pattern;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether a text conforms to a format; true if the format is unknown.
#[must_use]
pub(crate) fn fits(format: &str, text: &str) -> bool {
    match format {
        "date" => is_date(text),
        "time" => is_time(text),
        "date-time" => is_date_time(text),
        "duration" => is_duration(text),
        "email" => text.is_ascii() && is_email(text),
        "idn-email" => is_email(text),
        "hostname" => is_hostname(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "uri" => text.is_ascii() && is_uri(text),
        "iri" => is_uri(text),
        "uri-reference" => text.is_ascii() && is_reference(text),
        "iri-reference" => is_reference(text),
        "uri-template" => is_template(text),
        "uuid" => is_uuid(text),
        "regex" => pattern::check(text).is_ok(),
        "json-pointer" => is_pointer(text),
        "relative-json-pointer" => is_relative_pointer(text),
        _ => true,
    }
}

fn number(text: &str, length: usize) -> Option<u32> {
    let is_number = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Whether a text is a date (RFC 3339 section 5.6, `full-date`).
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut part = |length| parts.next().and_then(|part| number(part, length));
    let (Some(year), Some(month), Some(day)) = (part(4), part(2), part(2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day) && parts.next().is_none()
}

/// Whether a text is a time (RFC 3339 section 5.6, `full-time`). A leap second must end a day of UTC.
fn is_time(text: &str) -> bool {
    let Some(at) = text.find(['Z', 'z', '+', '-']) else {
        return false;
    };
    let Some((clock, zone)) = text.split_at_checked(at) else {
        return false;
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let Some([hours, minutes, seconds]) = clock_of(clock) else {
        return false;
    };
    let Some(offset) = offset_of(zone) else {
        return false;
    };
    let minute = i64::from(hours)
        .wrapping_mul(60)
        .wrapping_add(i64::from(minutes));
    let is_last = minute.wrapping_sub(offset).rem_euclid(1440) == 1439;
    is_fraction && hours < 24 && minutes < 60 && (seconds < 60 || seconds == 60 && is_last)
}

fn clock_of(text: &str) -> Option<[u32; 3]> {
    let mut parts = text.split(':').map(|part| number(part, 2));
    let clock = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(clock)
}

/// Parses an offset from UTC, in minutes.
fn offset_of(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
    let offset = i64::from(hours)
        .wrapping_mul(60)
        .wrapping_add(i64::from(minutes));
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    (hours < 24 && minutes < 60).then_some(offset.wrapping_mul(sign))
}

fn is_date_time(text: &str) -> bool {
    text.split_once(['T', 't'])
        .is_some_and(|(date, time)| is_date(date) && is_time(time))
}

/// Whether a text is a duration (RFC 3339 appendix A): weeks alone, or other units from large to small, those of times
/// after `T`.
fn is_duration(text: &str) -> bool {
    let Some(text) = text.strip_prefix('P') else {
        return false;
    };
    if let Some(weeks) = text.strip_suffix('W') {
        return !weeks.is_empty() && weeks.bytes().all(|byte| byte.is_ascii_digit());
    }
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let is_some = !date.is_empty() || time.is_some();
    is_some
        && has_units(date, "YMD")
        && time.is_none_or(|time| !time.is_empty() && has_units(time, "HMS"))
}

/// Whether a text consists of numbers, each followed by one of these units, in their order.
fn has_units(text: &str, units: &str) -> bool {
    let mut left = units;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let Some(unit) = rest.get(end..).and_then(|behind| behind.chars().next()) else {
            return false;
        };
        let Some(at) = left.find(unit).filter(|_| end > 0) else {
            return false;
        };
        left = left.get(at.saturating_add(1)..).unwrap_or_default();
        rest = rest.get(end.saturating_add(1)..).unwrap_or_default();
    }
    true
}

/// Whether a text is an email address (RFC 5321 section 4.1.2, `Mailbox`).
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let is_atom = |atom: &str| {
        let is_part = |c: char| {
            !c.is_ascii() || c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c)
        };
        !atom.is_empty() && atom.chars().all(is_part)
    };
    let is_local = match local
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
    {
        Some(quoted) => is_quoted(quoted),
        None => local.split('.').all(is_atom),
    };
    let is_domain = match domain
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
    {
        Some(address) => match address.strip_prefix("IPv6:") {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => address.parse::<Ipv4Addr>().is_ok(),
        },
        None => {
            let ascii: String = domain
                .chars()
                .map(|c| if c.is_ascii() { c } else { 'x' })
                .collect();
            is_hostname(&ascii)
        }
    };
    is_local && local.len() <= 64 && is_domain
}

fn is_quoted(text: &str) -> bool {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => return false,
            '\\' if characters.next().is_none() => return false,
            _ => {}
        }
    }
    !text.is_empty()
}

/// Whether a text is a host name (RFC 1123 section 2.1).
fn is_hostname(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
            && (label.get(2..4) != Some("--") || label.to_ascii_lowercase().starts_with("xn--"))
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

/// Whether a text is a URI (RFC 3986 section 3).
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        && is_after_scheme(rest)
}

/// Whether a text is a URI reference (RFC 3986 section 4.1).
fn is_reference(text: &str) -> bool {
    is_uri(text)
        || is_after_scheme(text) && {
            let first = text.split(['/', '?', '#']).next().unwrap_or_default();
            !first.contains(':')
        }
}

fn is_after_scheme(text: &str) -> bool {
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    let is_text = |text: &str| {
        let is_allowed = |c: char| {
            !c.is_ascii() || c.is_ascii_alphanumeric() || "-._~:/?@!$&'()*+,;=%".contains(c)
        };
        text.chars().all(is_allowed) && has_whole_escapes(text)
    };
    let Some(rest) = text.strip_prefix("//") else {
        return is_text(text) && is_text(fragment);
    };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (name, port) = match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        Some((address, port)) => {
            let is_address = address.parse::<Ipv6Addr>().is_ok() || address.starts_with(['v', 'V']);
            if !is_address {
                return false;
            }
            ("", port.strip_prefix(':').unwrap_or(port))
        }
        None => host.rsplit_once(':').unwrap_or((host, "")),
    };
    is_text(user)
        && is_text(name)
        && !name.contains([':', '@'])
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && is_text(path)
        && is_text(fragment)
}

fn has_whole_escapes(text: &str) -> bool {
    text.split('%').skip(1).all(|behind| {
        let digits = behind.get(..2);
        digits.is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
    })
}

/// Whether a text is a URI template (RFC 6570), with its expressions in braces.
fn is_template(text: &str) -> bool {
    let mut is_open = false;
    for character in text.chars() {
        match (character, is_open) {
            ('{', false) => is_open = true,
            ('}', true) => is_open = false,
            ('{' | '}', _) | ('"' | '\'' | '<' | '>' | '\\' | '^' | '`' | ' ', _) => return false,
            _ => {}
        }
    }
    !is_open
}

fn is_uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let parts: Vec<&str> = text.split('-').collect();
    parts.len() == lengths.len()
        && parts.iter().zip(lengths).all(|(part, length)| {
            part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}

/// Whether a text is a JSON Pointer (RFC 6901 section 3).
fn is_pointer(text: &str) -> bool {
    let is_escaped = text
        .split('~')
        .skip(1)
        .all(|behind| behind.starts_with(['0', '1']));
    is_escaped && (text.is_empty() || text.starts_with('/'))
}

fn is_relative_pointer(text: &str) -> bool {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let Some((number, behind)) = text.split_at_checked(end) else {
        return false;
    };
    let is_number = !number.is_empty() && (number == "0" || !number.starts_with('0'));
    is_number && (behind == "#" || is_pointer(behind))
}
