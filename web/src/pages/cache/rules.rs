//! What the definition allows to be cached.

use leptos::prelude::*;

use crate::components::{Empty, Glyph, Shown, each, live, maybe, only};
use crate::routes;
use crate::state::Memo;
use crate::state::caching::{Caching, Rule, lasting};

/// The cache settings of the API, and its rules.
#[component]
pub(super) fn Rules(caching: Memo<Caching>, id: StoredValue<String>) -> impl IntoView {
    let edit =
        move || id.with_value(|id| format!("{}?view=form&at=/cache_options", routes::api(id)));
    let rules = Memo::new(move |_| caching.with(|caching| caching.rules.clone()));
    let off = move || !caching.with(|caching| caching.on);
    let idle = move || caching.with(|caching| caching.on && !caching.keeps());
    view! {
        <section class="served-part" aria-labelledby="rules-title">
            <div class="served-head">
                <h2 id="rules-title">"What is cached"</h2>
                <a class="btn btn-small" href=edit>"Change it"</a>
            </div>
            <Shown when=off>
                <div class="card">
                    <Empty glyph=Glyph::Power title="The cache of this API is off">
                        <p>"Every request goes to the upstream. To cache answers, switch on enable_cache in cache_options of the definition."</p>
                    </Empty>
                </div>
            </Shown>
            <Shown when=idle>
                <div class="card">
                    <Empty glyph=Glyph::Rules title="The cache is on, but has nothing to cache">
                        <p>"No requests are selected for it: cache_all_safe_requests is off, and no path has a rule."</p>
                    </Empty>
                </div>
            </Shown>
            <Shown when=move || caching.with(Caching::keeps)>
                {live(move || caching.with(settings))}
                <Shown when=move || rules.with(|rules| !rules.is_empty())>
                    <RuleTable rules=rules />
                </Shown>
            </Shown>
        </section>
    }
}

fn listed(texts: &[String], nothing: &'static str) -> String {
    match texts {
        [] => nothing.to_owned(),
        texts => texts.join(", "),
    }
}

fn settings(caching: &Caching) -> AnyView {
    let which = if caching.safe {
        "Every GET, HEAD and OPTIONS"
    } else {
        "The paths below only"
    };
    let control = caching.control.clone();
    let facts = [
        ("Requests", which.to_owned()),
        ("For how long", lasting(caching.seconds)),
        ("Statuses", listed(&caching.statuses, "All")),
        (
            "Varies by headers",
            listed(&caching.headers, "Only those in Vary of the answer"),
        ),
    ];
    let fact = |(name, text): (&'static str, String)| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>{text}</dd>
            </div>
        }
        .into_any()
    };
    view! {
        <div class="card panel">
            <dl class="facts facts-wide">
                {each(facts, fact)}
                <div>
                    <dt>"The upstream may set how long"</dt>
                    <dd>
                        {match control {
                            Some(header) => view! { "Yes: by "<code>{header}</code>", Cache-Control or Expires" }.into_any(),
                            None => "No".into_any(),
                        }}
                    </dd>
                </div>
            </dl>
        </div>
    }
    .into_any()
}

#[component]
fn RuleTable(rules: Memo<Vec<Rule>>) -> impl IntoView {
    let versions = move || rules.with(|rules| rules.iter().any(|rule| !rule.version.is_empty()));
    let row = move |rule: Rule| {
        let Rule {
            version,
            method,
            path,
            seconds,
            statuses,
            part,
        } = rule;
        view! {
            <tr>
                <th scope="row" class="cell-name">
                    <code>{path}</code>
                    {only(!version.is_empty(), || view! { <span class="badge badge-plain">{format!("Version {version}")}</span> }.into_any())}
                </th>
                <td data-label="Method">{method}</td>
                <td data-label="For how long">{lasting(seconds)}</td>
                <td data-label="Statuses">{listed(&statuses, "All")}</td>
                <td data-label="Part of the body">
                    {maybe(Some(part).filter(|part| !part.is_empty()), |part| view! { <code>{part}</code> }.into_any())}
                </td>
            </tr>
        }
        .into_any()
    };
    view! {
        <div class="card table-card">
            <table class="table" class:with-versions=versions>
                <caption class="visually-hidden">"Paths whose answers are cached"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Path"</th>
                        <th scope="col">"Method"</th>
                        <th scope="col">"For how long"</th>
                        <th scope="col">"Statuses"</th>
                        <th scope="col">"Part of the body"</th>
                    </tr>
                </thead>
                <tbody>{live(move || each(rules.get(), row))}</tbody>
            </table>
        </div>
    }
}
