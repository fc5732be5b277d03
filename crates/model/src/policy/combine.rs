//! Combines policies: limits of the session, and rights and limits of every API (reference section 2.4).

use super::ApplyError;
use super::limits::Limits;
use super::part::{Part, grouped};

/// The dimensions that a policy provides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dimensions {
    pub(super) quota: bool,
    pub(super) rate: bool,
    pub(super) complexity: bool,
    pub(super) access: bool,
}

impl Dimensions {
    const ALL: Self = Self {
        quota: true,
        rate: true,
        complexity: true,
        access: true,
    };

    /// Row 6: without any partition, all dimensions; `per_api` does not count as one.
    fn read(partitions: Option<Part<'_>>) -> Self {
        let on = |name| partitions.is_some_and(|partitions| partitions.on(name));
        let some = Self {
            quota: on("quota"),
            rate: on("rate_limit"),
            complexity: on("complexity"),
            access: on("acl"),
        };
        if some == Self::default() {
            Self::ALL
        } else {
            some
        }
    }

    const fn and(self, other: Self) -> Self {
        Self {
            quota: self.quota || other.quota,
            rate: self.rate || other.rate,
            complexity: self.complexity || other.complexity,
            access: self.access || other.access,
        }
    }
}

/// A policy in the form in which it is combined.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    /// The id by which the session names it.
    pub(super) id: &'a str,
    pub(super) part: Part<'a>,
    pub(super) provides: Dimensions,
    pub(super) per_api: bool,
    /// Whether one of the four partitions is on.
    pub(super) partitioned: bool,
    limits: Limits<'a>,
}

impl<'a> Source<'a> {
    pub(super) fn read(id: &'a str, part: Part<'a>) -> Self {
        let partitions = part.get("partitions");
        let on = |name| partitions.is_some_and(|partitions| partitions.on(name));
        Self {
            id,
            part,
            provides: Dimensions::read(partitions),
            per_api: on("per_api"),
            partitioned: ["quota", "rate_limit", "complexity", "acl"]
                .into_iter()
                .any(on),
            limits: Limits::read(part),
        }
    }

    fn rights(&self) -> impl Iterator<Item = (&'a str, (&Self, &'a str, Part<'a>))> {
        let rights = self.part.get("access_rights").into_iter();
        // A right that is not an object grants nothing.
        let rights = rights
            .flat_map(Part::members)
            .filter(|(_, entry)| entry.is_object());
        rights.map(move |(api, entry)| (api, (self, api, entry)))
    }
}

/// What the policies grant for one API.
#[derive(Debug, Default)]
pub(super) struct Right<'a> {
    pub(super) api: &'a str,
    pub(super) limits: Limits<'a>,
    /// The policy that set `limits`: the last one that gave access (row 15).
    set_by: &'a str,
    pub(super) scope: &'a str,
    pub(super) provided: Dimensions,
    /// Access definitions of policies with the access dimension, and of those with the rate dimension.
    pub(super) access: Vec<Part<'a>>,
    pub(super) rates: Vec<Part<'a>>,
}

impl<'a> Right<'a> {
    fn add(&mut self, source: &Source<'a>, api: &'a str, entry: Part<'a>) {
        self.api = api;
        if source.provides.access {
            // Row 8: with `per_api` the later definition replaces the earlier ones.
            if source.per_api {
                self.access.clear();
            }
            self.access.push(entry);
        }
        if source.provides.rate {
            self.rates.push(entry);
        }
        if source.per_api {
            self.add_own(source, api, entry);
        } else {
            self.add_shared(source);
            if source.provides.access {
                self.set_by = source.id;
            }
        }
        self.provided = self.provided.and(source.provides);
    }

    /// Row 14: the API's own limit or, if it has none, that of the policy.
    fn add_own(&mut self, source: &Source<'a>, api: &'a str, entry: Part<'a>) {
        let own = entry.get("limit").map(Limits::read).unwrap_or_default();
        let (mut limits, scope) = if own.is_empty() {
            (source.limits, source.id)
        } else {
            (own, api)
        };
        let is_first = self.provided == Dimensions::default();
        if is_first || !limits.yield_to(&self.limits) {
            self.scope = scope;
            self.set_by = scope;
        }
        self.limits = limits;
    }

    fn add_shared(&mut self, source: &Source<'a>) {
        if source.provides.quota {
            self.limits.add_quota(&source.limits);
        }
        if source.provides.rate {
            self.limits.add_rate(&source.limits);
        }
        if source.provides.complexity {
            self.limits.add_complexity(&source.limits);
        }
    }

    /// Fills in the session's values for what no policy provided for this API.
    fn inherit(&mut self, session: &Limits<'a>) {
        if !self.provided.rate {
            self.limits.set_rate(session);
        }
        if !self.provided.quota {
            self.limits.set_quota(session);
        }
        if !self.provided.complexity {
            self.limits.max_query_depth = session.max_query_depth;
        }
    }

    const fn is_granted(&self) -> bool {
        self.provided.access
    }
}

/// The combination of a session's policies.
#[derive(Debug)]
pub(super) struct Combined<'a> {
    /// The limits of the session; its own ones where the policies provide none.
    pub(super) limits: Limits<'a>,
    /// Which of `limits` the policies provide.
    pub(super) provided: Dimensions,
    /// The API whose limits the session has, if there is only one.
    pub(super) alone: Option<&'a str>,
    /// The APIs that a policy gave access to, in the order of first mention.
    pub(super) rights: Vec<Right<'a>>,
}

/// Combines policies, in their order, with the limits of a session.
///
/// # Errors
/// [`ApplyError::NothingGranted`], row 16.
pub(super) fn combine<'a>(
    session: Part<'a>,
    sources: &[Source<'a>],
) -> Result<Combined<'a>, ApplyError> {
    let (provided, mut limits) = session_limits(session, sources, sources);
    let all: Vec<_> = sources.iter().flat_map(|source| source.rights()).collect();
    let each = grouped(&all).into_iter().map(|same| {
        let mut right = Right::default();
        for (source, api, entry) in same {
            right.add(source, api, entry);
        }
        right
    });
    let mut rights: Vec<Right<'_>> = each.collect();
    // Row 15: whether each dimension was set for exactly one API.
    let once = |set: fn(&Right<'_>) -> bool| rights.iter().filter(|right| set(right)).count() == 1;
    let alone = once(|right| right.provided.quota)
        && once(|right| right.provided.rate)
        && once(|right| right.provided.complexity);
    if !alone {
        limits.keep_renewal(&Limits::read(session));
    }
    // Row 11: APIs that no policy gave access to are dropped.
    rights.retain(Right::is_granted);
    let first = rights.first().ok_or(ApplyError::NothingGranted)?.set_by;
    let several = rights.iter().any(|right| right.set_by != first);
    for right in &mut rights {
        right.inherit(&limits);
        if several && right.scope.is_empty() {
            right.scope = right.set_by;
        }
    }
    let single = rights.iter().find(|right| alone && right.provided.rate);
    if let Some(single) = single {
        // The session gets the limits of this API, except for throttling.
        limits = Limits {
            throttle_interval: limits.throttle_interval,
            throttle_retry_limit: limits.throttle_retry_limit,
            ..single.limits
        };
    }
    Ok(Combined {
        limits,
        provided,
        alone: single.map(|right| right.api),
        rights,
    })
}

/// Combines the limits of a session with those of the `applied` ones of its policies, which give no rights.
pub(super) fn without_rights<'a>(
    session: Part<'a>,
    sources: &[Source<'a>],
    applied: &[Source<'a>],
) -> Combined<'a> {
    let (provided, mut limits) = session_limits(session, sources, applied);
    limits.keep_renewal(&Limits::read(session));
    Combined {
        limits,
        provided,
        alone: None,
        rights: Vec::new(),
    }
}

/// Row 2: if a policy provides a dimension, the session's own values are ignored. Limits from `per_api` policies apply
/// to their APIs.
fn session_limits<'a>(
    session: Part<'a>,
    sources: &[Source<'a>],
    applied: &[Source<'a>],
) -> (Dimensions, Limits<'a>) {
    let none = Dimensions::default();
    let provides = sources.iter().map(|source| source.provides);
    let provided = provides.fold(none, Dimensions::and);
    let mut given = Right::default();
    for source in applied.iter().filter(|source| !source.per_api) {
        given.add_shared(source);
    }
    given.provided = provided;
    given.inherit(&Limits::read(session));
    (provided, given.limits)
}
