//! Sprig's arithmetic, conversions, and versions.

use super::{Args, Done, shown, to_float, to_int};
use crate::value::Value;

pub(super) const NAMES: &str = "add add1 add1f addf atoi biggest ceil div divf float64 floor int int64 max maxf min minf mod \
    mul mulf round semver semverCompare sub subf toDecimal toString";

/// A decimal number: digits, and the power of ten they are multiplied by.
type Decimal = (i128, i32);

/// Returns a number in the digits it is written in.
fn decimal(number: f64) -> Option<Decimal> {
    let text = format!("{number:e}");
    let (digits, power) = text.split_once('e')?;
    let places = digits.split_once('.').map_or(0, |(_, places)| places.len());
    let power: i32 = power.parse().ok()?;
    let digits = digits.replace('.', "").parse().ok()?;
    Some((digits, power.checked_sub(i32::try_from(places).ok()?)?))
}

fn number((digits, power): Decimal) -> Option<f64> {
    format!("{digits}e{power}").parse().ok()
}

/// Adds decimal numbers; `None` if they are too far apart.
fn sum(left: f64, right: f64) -> Option<f64> {
    let ((left, power), (right, other)) = (decimal(left)?, decimal(right)?);
    let least = power.min(other);
    let scaled = |digits: i128, power: i32| {
        let scale = 10_i128.checked_pow(power.checked_sub(least)?.unsigned_abs())?;
        digits.checked_mul(scale)
    };
    number((
        scaled(left, power)?.checked_add(scaled(right, other)?)?,
        least,
    ))
}

/// Multiplies decimal numbers.
fn product(left: f64, right: f64) -> Option<f64> {
    let ((left, power), (right, other)) = (decimal(left)?, decimal(right)?);
    number((left.checked_mul(right)?, power.checked_add(other)?))
}

/// Divides decimal numbers, to 16 places; `None` if they are too large or small for that.
fn quotient(left: f64, right: f64) -> Option<f64> {
    let ((mut over, power), (mut under, other)) = (decimal(left)?, decimal(right)?);
    let shift = power.checked_sub(other)?.checked_add(16)?;
    let scale = 10_i128.checked_pow(shift.unsigned_abs())?;
    if shift < 0 {
        under = under.checked_mul(scale)?;
    } else {
        over = over.checked_mul(scale)?;
    }
    let whole = over.checked_div(under)?;
    let twice = over.checked_rem(under)?.checked_mul(2)?;
    let away = match twice.abs() < under.abs() {
        true => 0,
        false => over.signum().checked_mul(under.signum())?,
    };
    number((whole.checked_add(away)?, -16))
}

pub(super) fn by_name(name: &str, args: &Args<'_>) -> Done {
    let all = args.all();
    let fold = |start: i64, by: fn(i64, i64) -> i64| {
        let numbers = all.iter().map(to_int);
        Value::Int(numbers.fold(start, by))
    };
    let fold_float = |by: fn(f64, f64) -> f64| {
        let mut numbers = all.iter().map(to_float);
        let first = numbers.next().unwrap_or_default();
        // Zero has no sign.
        Value::Float(numbers.fold(first, by) + 0.0)
    };
    let divided = |remains: bool| -> Done {
        let (left, right) = (args.int(0)?, args.int(1)?);
        let found = if remains {
            left.checked_rem(right)
        } else {
            left.checked_div(right)
        };
        found
            .map(Value::Int)
            .ok_or_else(|| "integer divide by zero".to_owned())
    };
    Ok(match name {
        "add" => fold(0, i64::wrapping_add),
        "add1" => Value::Int(args.int(0)?.wrapping_add(1)),
        "sub" => Value::Int(args.int(0)?.wrapping_sub(args.int(1)?)),
        "mul" => fold(1, i64::wrapping_mul),
        "div" => divided(false)?,
        "mod" => divided(true)?,
        "max" | "biggest" => fold(args.int(0)?, i64::max),
        "min" => fold(args.int(0)?, i64::min),
        "addf" => fold_float(|left, right| sum(left, right).unwrap_or(left + right)),
        "add1f" => Value::Float(to_float(args.get(0)?) + 1.0),
        "subf" => fold_float(|left, right| sum(left, -right).unwrap_or(left - right)),
        "mulf" => fold_float(|left, right| product(left, right).unwrap_or(left * right)),
        "divf" if all.iter().skip(1).any(|by| to_float(by) == 0.0) => {
            return Err("decimal division by 0".to_owned());
        }
        "divf" => fold_float(|left, right| quotient(left, right).unwrap_or(left / right)),
        "maxf" => fold_float(f64::max),
        "minf" => fold_float(f64::min),
        "ceil" => Value::Float(to_float(args.get(0)?).ceil()),
        "floor" => Value::Float(to_float(args.get(0)?).floor()),
        "round" => {
            let places = i32::try_from(args.int(1)?)
                .unwrap_or_default()
                .clamp(-300, 300);
            let up_from = args.get(2).map_or(0.5, to_float);
            let scale = 10_f64.powi(places);
            let scaled = to_float(args.get(0)?) * scale;
            let part = scaled - scaled.trunc();
            let whole = if part >= up_from {
                scaled.ceil()
            } else {
                scaled.floor()
            };
            Value::Float(whole / scale)
        }
        "int" | "int64" => Value::Int(args.int(0)?),
        "atoi" => Value::Int(args.text(0)?.parse().unwrap_or_default()),
        "float64" => Value::Float(to_float(args.get(0)?)),
        "toDecimal" => Value::Int(i64::from_str_radix(&args.shown(0)?, 8).unwrap_or_default()),
        "toString" => Value::str(shown(args.get(0)?)),
        "semver" => {
            let version = Version::read(args.text(0)?)?;
            let part = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
            let members = [
                ("Major", part(version.numbers[0])),
                ("Minor", part(version.numbers[1])),
                ("Patch", part(version.numbers[2])),
                ("Prerelease", Value::str(&version.before)),
                (
                    "Metadata",
                    Value::str(args.text(0)?.split_once('+').map_or("", |(_, after)| after)),
                ),
                ("Original", Value::str(args.text(0)?)),
            ];
            Value::map(
                members
                    .into_iter()
                    .map(|(name, value)| (name.into(), value))
                    .collect(),
            )
        }
        _ => {
            let version = Version::read(args.text(1)?)?;
            Value::Bool(allows(args.text(0)?, &version)?)
        }
    })
}

/// A version (<https://semver.org>); missing numbers count as 0.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    numbers: [u64; 3],
    /// How many numbers were given.
    written: usize,
    /// Whether `x` or `*` follows them.
    is_open: bool,
    before: String,
}

impl Version {
    /// Parses a version without wildcards.
    fn read(text: &str) -> Result<Self, String> {
        let version = Self::parse(text);
        let version = version.filter(|version| version.written > 0 && !version.is_open);
        version.ok_or_else(|| "Invalid Semantic Version".to_owned())
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches(['v', 'V']);
        let text = text.split('+').next().unwrap_or_default();
        let (core, before) = text.split_once('-').unwrap_or((text, ""));
        let mut numbers = [0; 3];
        let mut written = 0_usize;
        let mut is_open = false;
        for part in core.split('.') {
            if matches!(part, "x" | "X" | "*") {
                is_open = true;
                break;
            }
            *numbers.get_mut(written)? = part.parse().ok()?;
            written = written.saturating_add(1);
        }
        Some(Self {
            numbers,
            written,
            is_open,
            before: before.to_owned(),
        })
    }

    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let release = |version: &Self| version.before.is_empty();
        let numbers = self.numbers.cmp(&other.numbers);
        numbers
            .then_with(|| release(self).cmp(&release(other)))
            .then_with(|| {
                // Numeric identifiers come first, in numeric order.
                let parts = |version: &Self| -> Vec<(bool, u64, String)> {
                    let parts = version.before.split('.');
                    parts
                        .map(|part| match part.parse() {
                            Ok(number) => (false, number, String::new()),
                            Err(_) => (true, 0, part.to_owned()),
                        })
                        .collect()
                };
                parts(self).cmp(&parts(other))
            })
    }
}

/// Whether a constraint such as `^1.2 || >= 3, < 4` allows a version.
fn allows(constraint: &str, version: &Version) -> Result<bool, String> {
    for alternative in constraint.split("||") {
        let mut fits = true;
        let spaced = match alternative.split_once(" - ") {
            Some((from, to)) => format!(">={} <={}", from.trim(), to.trim()),
            None => alternative.replace(',', " "),
        };
        let mut terms: Vec<String> = Vec::new();
        for word in spaced.split_whitespace() {
            // An operator may be separated from its version.
            match terms
                .last_mut()
                .filter(|last| !last.ends_with(|c: char| c.is_alphanumeric() || c == '*'))
            {
                Some(last) => last.push_str(word),
                None => terms.push(word.to_owned()),
            }
        }
        for word in &terms {
            let at = word
                .find(|c: char| c.is_alphanumeric() || c == '*')
                .unwrap_or(word.len());
            let (sign, bound) = word.split_at(at);
            let bound = Version::parse(bound)
                .ok_or_else(|| format!("improper constraint: {constraint}"))?;
            fits &= fits_one(sign, &bound, version)?;
        }
        if fits {
            return Ok(true);
        }
    }
    Ok(false)
}

fn fits_one(sign: &str, bound: &Version, version: &Version) -> Result<bool, String> {
    let sign = match sign {
        "=<" => "<=",
        "=>" => ">=",
        other => other,
    };
    // A pre-release matches only a bound that is one as well.
    if !version.before.is_empty() && bound.before.is_empty() && sign != "!=" {
        return Ok(false);
    }
    let order = version.order(bound);
    let same = |count: usize| {
        version
            .numbers
            .iter()
            .zip(&bound.numbers)
            .take(count)
            .all(|(left, right)| left == right)
    };
    Ok(match sign {
        "" | "=" if bound.written < 3 => same(bound.written),
        "" | "=" => order.is_eq(),
        // A bound without all numbers is the whole range of those that start like it.
        "!=" if bound.written < 3 => !same(bound.written),
        ">" if bound.written < 3 => order.is_gt() && !same(bound.written),
        "<=" if bound.written < 3 => order.is_le() || same(bound.written),
        "!=" => !order.is_eq(),
        ">" => order.is_gt(),
        "<" => order.is_lt(),
        ">=" => order.is_ge(),
        "<=" => order.is_le(),
        "~" | "~>" => order.is_ge() && same(bound.written.clamp(1, 2)),
        "^" => {
            let zeros = bound
                .numbers
                .iter()
                .take_while(|number| **number == 0)
                .count();
            order.is_ge() && same(zeros.saturating_add(1).min(bound.written.max(1)))
        }
        other => return Err(format!("improper constraint: {other}")),
    })
}
