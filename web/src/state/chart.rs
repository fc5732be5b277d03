//! The geometry of charts in whole numbers, as the `d` of SVG paths: a drawing is [`WIDTH`] by [`HEIGHT`], stretched to
//! the available space.

use std::fmt::Write as _;

/// The width of a drawing.
pub const WIDTH: u64 = 6000;
/// Its height.
pub const HEIGHT: u64 = 1000;
/// The minimum height of a positive value, so that one request among thousands is visible.
const LEAST: u64 = 14;

/// Returns the maximum of a scale: the next number of the form 1, 2 or 5 times a power of ten, at least 10, so that
/// half of it is a whole number.
#[must_use]
pub fn scale(most: u64) -> u64 {
    let most = most.max(10);
    let mut power: u64 = 1;
    loop {
        let ends = [1, 2, 5].map(|factor| power.saturating_mul(factor));
        if let Some(end) = ends.into_iter().find(|end| *end >= most) {
            return end;
        }
        power = power.saturating_mul(10);
    }
}

/// Returns the height of a value, from the bottom.
fn height(value: u64, scale: u64) -> u64 {
    let share = value.saturating_mul(HEIGHT).checked_div(scale);
    match value {
        0 => 0,
        _ => share.unwrap_or(0).clamp(LEAST, HEIGHT),
    }
}

/// Returns the left edge of a column.
fn left(at: usize, columns: usize) -> u64 {
    let wide = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let width = wide(at).saturating_mul(WIDTH);
    width.checked_div(wide(columns)).unwrap_or(0)
}

/// Draws the columns of one layer of a stack: `layers` are the values of all layers from the bottom up to this one, by
/// column.
#[must_use]
pub fn columns(layers: &[Vec<u64>], scale: u64) -> String {
    let mut path = String::new();
    let Some((top, below)) = layers.split_last() else {
        return path;
    };
    let count = top.len();
    for (at, value) in top.iter().enumerate().filter(|(_, value)| **value > 0) {
        let values = below.iter().filter_map(|layer| layer.get(at));
        let base: u64 = values.map(|value| height(*value, scale)).sum();
        let base = base.min(HEIGHT);
        let tall = height(*value, scale).min(HEIGHT.saturating_sub(base));
        let (from, to) = (left(at, count), left(at.saturating_add(1), count));
        // A gap of a sixth keeps neighbours distinguishable.
        let width = to.saturating_sub(from);
        let (from, width) = (
            from.saturating_add(width / 12),
            width.saturating_sub(width / 6),
        );
        let bottom = HEIGHT.saturating_sub(base);
        // Writing to a String can't fail.
        let _ = write!(path, "M{from} {bottom}v-{tall}h{width}v{tall}z");
    }
    path
}

/// Draws a stepped line, with steps as wide as a column; the line is interrupted where there is no value.
#[must_use]
pub fn line(values: &[Option<u64>], scale: u64) -> String {
    let mut path = String::new();
    let mut drawn = false;
    for (at, value) in values.iter().enumerate() {
        let Some(value) = value else {
            drawn = false;
            continue;
        };
        let (from, to) = (
            left(at, values.len()),
            left(at.saturating_add(1), values.len()),
        );
        let y = HEIGHT.saturating_sub(height(*value, scale));
        let _ = match drawn {
            true => write!(path, "V{y}H{to}"),
            false => write!(path, "M{from} {y}H{to}"),
        };
        drawn = true;
    }
    path
}

/// Draws a band over some columns from top to bottom.
#[must_use]
pub fn band(first: usize, last: usize, columns: usize) -> String {
    let (from, to) = (left(first, columns), left(last.saturating_add(1), columns));
    format!("M{from} 0H{to}V{HEIGHT}H{from}z")
}

/// Returns the column at `x` within a given width.
#[must_use]
pub fn column_at(x: i32, room: i32, columns: usize) -> Option<usize> {
    let x = u64::try_from(x).ok()?;
    let room = u64::try_from(room).ok()?;
    let at = x
        .saturating_mul(u64::try_from(columns).ok()?)
        .checked_div(room)?;
    usize::try_from(at).ok().filter(|at| *at < columns)
}

/// Formats a count with thin spaces: 12345 is 12 345.
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && digits.len().saturating_sub(at) % 3 == 0 {
            // A narrow no-break space.
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Formats tenths of a millisecond as a duration.
#[must_use]
pub fn tenths(tenths: u64) -> String {
    match tenths {
        0..100 => format!("{}.{} ms", tenths / 10, tenths % 10),
        100..10_000 => format!("{} ms", tenths.saturating_add(5) / 10),
        _ => {
            let tenths = tenths.saturating_add(500) / 1000;
            format!("{}.{} s", tenths / 10, tenths % 10)
        }
    }
}

/// Formats a part of a total as a percentage, with one decimal below ten; `None` if the total is 0.
#[must_use]
pub fn share(part: u64, of: u64) -> Option<String> {
    let permille = part.saturating_mul(1000).checked_div(of)?;
    Some(match permille {
        0 if part > 0 => "<0.1 %".to_owned(),
        0 => "0 %".to_owned(),
        1..100 => format!("{}.{} %", permille / 10, permille % 10),
        _ => format!("{} %", permille.saturating_add(5) / 10),
    })
}

/// Formats a number of events in a period as a rate per second or, if that is too small, per minute or hour.
#[must_use]
pub fn pace(number: u64, seconds: i64) -> String {
    let seconds = u64::try_from(seconds).unwrap_or(0).max(1);
    let tenths = |length: u64| {
        let all = number.saturating_mul(length.saturating_mul(10));
        all.checked_div(seconds).unwrap_or(0)
    };
    let paces = [(1, "s"), (60, "min"), (3600, "h")].map(|(length, unit)| (tenths(length), unit));
    let [.., by_hour] = paces;
    let fits = paces.into_iter().find(|(tenths, _)| *tenths >= 10);
    let (tenths, unit) = fits.unwrap_or(by_hour);
    format!("{}.{}/{unit}", count(tenths / 10), tenths % 10)
}
