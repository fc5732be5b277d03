//! What the document becomes, and the options for that.

use gatewright_model::ApiDefinition;
use gatewright_model::json::parse;
use leptos::prelude::*;

use super::importer::Importer;
use crate::components::{Shown, each, live, maybe, unique_id};
use crate::state::Memo;
use crate::state::draft::plural;
use crate::state::import::{Choices, Server};
use crate::state::served::{Stage, served};

/// The card with the fields, the switches and the facts.
#[component]
pub(super) fn Becomes(importer: Importer) -> impl IntoView {
    view! {
        <section class="card panel import-becomes" aria-labelledby="becomes-title">
            <h2 id="becomes-title">"API"</h2>
            <As importer=importer />
            <Field importer=importer label="Name" at=|[name, ..]| name of=|choices| &mut choices.name />
            <Field importer=importer label="Listen path" at=|[_, path, ..]| path of=|choices| &mut choices.listen_path code=true />
            <ServerField importer=importer />
            <Field importer=importer label="Upstream" at=|[_, _, upstream, _]| upstream of=|choices| &mut choices.upstream_url code=true hint="https://…" />
            <Field importer=importer label="API id" at=|[.., id]| id of=|choices| &mut choices.api_id code=true hint="Assigned by the gateway" />
            <fieldset class="import-rules">
                <legend>"Paths"</legend>
                <Switch importer=importer name="allow_list" label="Allow nothing else" detail="Requests to other paths or with other methods are refused." of=|choices| &mut choices.allow_list />
                <Switch importer=importer name="validate_requests" label="Check requests" detail="A rule for each operation checks what is sent." of=|choices| &mut choices.validate_requests />
                <Switch importer=importer name="mock_responses" label="Answer with the examples" detail="Operations that have an example are not forwarded." of=|choices| &mut choices.mock_responses />
            </fieldset>
            <Shown when=move || !importer.classic() && importer.with_made(|made| !made.schemes.is_empty())>
                <Switch importer=importer name="open" label="Require no credentials" detail="The document requires credentials; requests are let through without them." of=|choices| &mut choices.open />
            </Shown>
            <Facts importer=importer />
        </section>
    }
}

/// The kind of result: an OpenAPI API, which stays a document, or a classic definition.
#[component]
fn As(importer: Importer) -> impl IntoView {
    let option = move |classic: bool, label: &'static str| {
        let choose = move |_| {
            importer.choices.update(|choices| {
                choices.classic = classic;
                choices.keep();
            });
        };
        view! {
            <label class="pill">
                <input type="radio" name="import-as" prop:checked=move || importer.classic() == classic on:change=choose />
                <span>{label}</span>
            </label>
        }
    };
    let means = move || match importer.classic() {
        true => "The document is converted once; what a definition can't express is left out.",
        false => "The document is kept, and the gateway follows it: each operation can have rules.",
    };
    view! {
        <fieldset class="pills">
            <legend class="visually-hidden">"Becomes"</legend>
            {option(false, "OpenAPI API")}
            {option(true, "Classic definition")}
        </fieldset>
        <p class="muted small">{live(means)}</p>
    }
}

/// A text of the definition. Once the field loses the focus, an empty one means the document's own value.
#[component]
fn Field(
    importer: Importer,
    label: &'static str,
    /// Selects its pointer from those of the result.
    at: fn([&'static str; 4]) -> &'static str,
    /// The choice it edits.
    of: fn(&mut Choices) -> &mut Option<String>,
    /// Whether it is shown as code.
    #[prop(optional)]
    code: bool,
    /// The placeholder.
    #[prop(default = "")]
    hint: &'static str,
) -> impl IntoView {
    let id = unique_id("import-problem");
    let pointer = move || at(importer.choices.with(Choices::pointers));
    let value = Memo::new(move |_| {
        let mut choices = importer.choices.get();
        of(&mut choices)
            .take()
            .unwrap_or_else(|| importer.text_at(pointer()))
    });
    let set = move |text: Option<String>| importer.choices.update(|choices| *of(choices) = text);
    let problem = Memo::new(move |_| {
        let (found, pointer) = (importer.found.get(), pointer());
        let first = found
            .into_iter()
            .find(|issue| issue.is_error() && issue.pointer == pointer);
        first.map(|issue| issue.message)
    });
    view! {
        <label class="field">
            <span>{label}</span>
            <input
                type="text"
                class="input"
                class:mono=code
                placeholder=hint
                autocomplete="off"
                spellcheck="false"
                aria-invalid=move || problem.with(Option::is_some).then_some("true")
                aria-describedby=id.clone()
                prop:value=move || value.get()
                on:input=move |event| set(Some(event_target_value(&event)))
                on:change=move |event| {
                    if event_target_value(&event).is_empty() {
                        set(None);
                    }
                }
            />
        </label>
        <p class="field-problem" id=id>{live(move || problem.get())}</p>
    }
}

/// Chooses the server that becomes the upstream, if there are several.
#[component]
fn ServerField(importer: Importer) -> impl IntoView {
    let servers = Memo::new(move |_| importer.with_made(|made| made.servers.clone()));
    let choose = move |event| {
        let server = event_target_value(&event).parse().unwrap_or_default();
        importer.choices.update(|choices| {
            choices.server = server;
            choices.upstream_url = None;
        });
    };
    let option = move |(at, server): (usize, Server)| {
        let address = if server.url.is_empty() {
            server.written
        } else {
            server.url
        };
        let label = if server.description.is_empty() {
            address
        } else {
            format!("{address} ({})", server.description)
        };
        let selected = move || importer.choices.with(|choices| choices.server == at);
        view! { <option value=at.to_string() prop:selected=selected>{label}</option> }.into_any()
    };
    view! {
        <Shown when=move || servers.with(|servers| servers.len() > 1)>
            <label class="field">
                <span>{live(move || format!("Server, one of {}", servers.with(Vec::len)))}</span>
                <select class="input" on:change=choose>
                    {live(move || each(servers.get().into_iter().enumerate(), option))}
                </select>
            </label>
        </Shown>
    }
}

/// A yes-or-no choice.
#[component]
fn Switch(
    importer: Importer,
    /// Its name among the options of the import.
    name: &'static str,
    label: &'static str,
    /// What it does.
    detail: &'static str,
    /// The choice it edits.
    of: fn(&mut Choices) -> &mut bool,
) -> impl IntoView {
    let on = move || *of(&mut importer.choices.get());
    let set = move |event| {
        let on = event_target_checked(&event);
        importer.choices.update(|choices| *of(choices) = on);
    };
    let consequence = Memo::new(move |_| {
        importer.with_made(|made| {
            let own = made.consequences.iter().find(|(choice, _)| choice == name);
            own.map(|(_, text)| text.clone())
        })
    });
    view! {
        <label class="check">
            <input type="checkbox" role="switch" prop:checked=on on:change=set />
            <span>
                {label}
                <span class="muted small block">{detail}</span>
                {live(move || maybe(consequence.get(), |text| view! { <span class="small block import-consequence">{text}</span> }.into_any()))}
            </span>
        </label>
    }
}

/// A summary of the document in words.
#[component]
fn Facts(importer: Importer) -> impl IntoView {
    let facts = move || {
        importer.with_made(|made| {
            let version = if made.version.is_empty() {
                String::new()
            } else {
                format!(", version {}", made.version)
            };
            if !importer.classic() {
                let access = match (
                    importer.choices.with(|choices| choices.open),
                    made.schemes.as_slice(),
                ) {
                    (false, schemes @ [_, ..]) => format!("Protected: {}", schemes.join(", ")),
                    _ => "Open: no key is required".to_owned(),
                };
                return vec![
                    ("Document", format!("OpenAPI {}{version}", made.openapi)),
                    (
                        "Paths",
                        format!(
                            "{}, {}",
                            plural(made.paths, "path"),
                            plural(made.operations, "operation")
                        ),
                    ),
                    ("Access", access),
                ];
            }
            let definition = parse(&made.definition).map(|value| ApiDefinition::read(&value));
            let definition = definition.unwrap_or_default();
            let served = importer
                .found
                .with(|found| served(&definition, Some(found), &Stage::Unsaved));
            let access = match (definition.keyless, made.schemes.is_empty()) {
                (true, _) => "Open: no key is required".to_owned(),
                (false, true) => "Protected".to_owned(),
                (false, false) => format!("Protected: {}", made.schemes.join(", ")),
            };
            let paths = plural(made.paths, "path");
            let operations = plural(made.operations, "operation");
            vec![
                ("Document", format!("OpenAPI {}{version}", made.openapi)),
                ("Paths", format!("{paths}, {operations}")),
                ("Access", access),
                ("Served publicly", served),
            ]
        })
    };
    let row = |(name, value): (&'static str, String)| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>{value}</dd>
            </div>
        }
        .into_any()
    };
    view! { <dl class="facts">{live(move || each(facts(), row))}</dl> }
}
