//! What a new document will do, in a sentence or two for its review.

use gatewright_model::json::parse;

use super::access::{Given, Names, Outcome, called, quota_words, rate_words};

/// How many things a sentence names.
const NAMED: usize = 5;

/// Joins names; of many it has the first and the number of the rest.
fn few(names: &[String]) -> String {
    match names.split_at_checked(NAMED) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{} and {} more", first.join(", "), rest.len())
        }
        _ => names.join(", "),
    }
}

/// Says which APIs a policy opens, and with which limits.
#[must_use]
pub fn of_policy(outcome: &Outcome, names: &Names) -> String {
    let name = |given: &Given| match called(names, &given.api_id) {
        id if id == given.api_id && !given.name.is_empty() => given.name.clone(),
        name => name,
    };
    let limits = |given: &Given| {
        let (rate, quota) = (rate_words(given.limit.rate), quota_words(&given.limit));
        format!("{rate}, {quota}").to_ascii_lowercase()
    };
    let given = &outcome.given;
    let of_first = given.first().map(limits).unwrap_or_default();
    let opens = if given.iter().all(|given| limits(given) == of_first) {
        let names: Vec<String> = given.iter().map(name).collect();
        format!("{}: {of_first}", few(&names))
    } else {
        let each = |given: &Given| format!("{} ({})", name(given), limits(given));
        few(&given.iter().map(each).collect::<Vec<_>>())
    };
    let refused = match outcome.inactive {
        true => " It is inactive: every request with it is refused.",
        false => "",
    };
    format!("It opens {opens}. It is in effect after the next reload.{refused}")
}

/// Says where a webhook sends, and when; `described` returns the description of a notification. `None` if it is not JSON.
#[must_use]
pub fn of_hook(
    text: &str,
    subscriptions: &[String],
    described: impl Fn(&str) -> Option<&'static str>,
) -> Option<String> {
    let hook = parse(text).ok()?;
    let target = hook.str("target_path").unwrap_or_default();
    let when = |name: &String| {
        let mut when = described(name).unwrap_or(name).to_owned();
        if let (Some(_), Some(first)) = (described(name), when.get_mut(..1)) {
            first.make_ascii_lowercase();
        }
        when
    };
    Some(match subscriptions {
        [] => {
            format!("Nothing is sent to {target} before it has a subscription, or an API names it.")
        }
        names if names.iter().any(|name| name == "*") => {
            format!("Every notification is sent to {target}, as soon as it is saved.")
        }
        names => {
            let all: Vec<String> = names.iter().map(when).collect();
            format!(
                "A notification is sent to {target} when this happens: {}.",
                few(&all)
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::session::Limit;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn given(id: &str, name: &str, limit: &str) -> Given {
        Given {
            api_id: id.to_owned(),
            name: name.to_owned(),
            versions: Vec::new(),
            paths: 0,
            endpoints: 0,
            limit: Limit::read(&parse(limit).unwrap()),
            counts: "",
        }
    }

    #[test]
    fn a_policy_names_its_apis_and_their_limits() {
        let plain = r#"{"rate":60,"per":60,"quota_max":100,"quota_renewal_rate":86400}"#;
        let names = vec![("orders".to_owned(), "Orders".to_owned())];
        let of = |given: Vec<Given>, inactive| {
            let outcome = Outcome {
                given,
                inactive,
                ..Outcome::default()
            };
            of_policy(&outcome, &names)
        };
        let orders = given("orders", "", plain);
        let after = "It is in effect after the next reload.";
        let both = vec![orders.clone(), given("i", "Invoices", plain)];
        assert_eq!(
            of(both, true),
            format!(
                "It opens Orders, Invoices: 60 per minute, 100 per day. {after} It is inactive: every request with it is refused."
            )
        );
        let differ = vec![orders.clone(), given("i", "", "{}")];
        assert_eq!(
            of(differ, false),
            format!(
                "It opens Orders (60 per minute, 100 per day), i (no limit, no quota). {after}"
            )
        );
        let many = vec![orders; 7];
        assert!(of(many, false).contains("Orders, Orders and 2 more: 60"));
    }

    #[test]
    fn a_webhook_says_what_it_is_sent() {
        let text = r#"{"target_path":"https://a.example/in"}"#;
        let described = |name: &str| (name == "ApiAdded").then_some("An API was added");
        let of = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            of_hook(text, &names, described).unwrap_or_default()
        };
        assert_eq!(
            of(&["ApiAdded", "Other"]),
            "A notification is sent to https://a.example/in when this happens: an API was added, Other."
        );
        assert!(
            of(&["ApiAdded", "*"])
                .starts_with("Every notification is sent to https://a.example/in,")
        );
        assert!(of(&[]).starts_with("Nothing is sent to https://a.example/in before"));
        assert_eq!(of_hook("{", &[], described), None);
    }
}
