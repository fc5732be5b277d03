//! The tools of an MCP proxy: listed through the gateway, and called with arguments according to their schema.

use std::future::Future;
use std::pin::Pin;

use leptos::prelude::*;

use super::Desk;
use crate::api::ApiError;
use crate::components::{Failure, Notice, Shown, Tint, each, live, maybe, task_label, unique_id};
use crate::state::mcp::{self, Argument, SESSION_HEADER, Tool};
use crate::state::query_string::pairs;
use crate::state::task::Task;
use crate::state::trial::Trial;
use crate::state::{Memo, effect};

/// The maximum number of pages of a list: a server may never end it.
const PAGES: usize = 10;

/// The arguments of an unknown tool.
const NOTHING: &str = "{}";

/// A message being sent; it yields the status and the body of the response.
type Sending = Pin<Box<dyn Future<Output = Result<(u16, String), ApiError>>>>;

/// Why there is no list.
#[derive(Clone)]
enum Trouble {
    Api(ApiError),
    Message(String),
}

impl From<ApiError> for Trouble {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

/// The shared state of the card's parts.
#[derive(Clone, Copy)]
struct Calling {
    desk: Desk,
    tools: RwSignal<Vec<Tool>>,
    session: RwSignal<Option<String>>,
    name: RwSignal<String>,
    arguments: RwSignal<String>,
    trouble: RwSignal<Option<Trouble>>,
}

/// The card.
#[component]
pub(super) fn Tools(desk: Desk) -> impl IntoView {
    let calling = Calling {
        desk,
        tools: RwSignal::new(Vec::new()),
        session: RwSignal::new(None),
        name: RwSignal::new(String::new()),
        arguments: RwSignal::new(NOTHING.to_owned()),
        trouble: RwSignal::new(None),
    };
    // The catalogue of a proxy links here with one of its tools.
    let query = untrack(|| desk.chosen.console.address.query());
    if let Some((_, tool)) = pairs(&query).into_iter().find(|(name, _)| name == "tool") {
        calling.choose(&tool);
    }
    // The choice here becomes the request below, which can still be edited by hand.
    effect(move || {
        let (name, arguments, session) = (
            calling.name.get(),
            calling.arguments.get(),
            calling.session.get(),
        );
        if !name.is_empty() {
            desk.trial.update(|trial| {
                calling.fill(trial, session.as_deref(), mcp::call(&name, &arguments))
            });
        }
    });
    let task = Task::new();
    let list = move |_| task.run(calling.list());
    let trouble = move || maybe(calling.trouble.get(), trouble_view);
    view! {
        <section class="card panel" aria-labelledby="tool-title">
            <h2 id="tool-title">"Tool"</h2>
            <p class="muted small">"The list is requested with the key below, so it has what its holder may use."</p>
            <div class="row">
                <button type="button" class="btn btn-small" disabled=move || task.busy() on:click=list>
                    {task_label(task, "List the tools", "Asking…")}
                </button>
            </div>
            {live(trouble)}
            <Choice calling=calling />
            <Shown when=move || calling.name.with(|name| !name.is_empty())>
                <Arguments calling=calling />
            </Shown>
        </section>
    }
}

fn trouble_view(trouble: Trouble) -> AnyView {
    match trouble {
        Trouble::Api(error) => view! { <Failure error=error /> }.into_any(),
        Trouble::Message(text) => {
            view! { <Notice tint=Tint::Red><span role="alert">{text}</span></Notice> }.into_any()
        }
    }
}

impl Calling {
    fn fill(self, trial: &mut Trial, session: Option<&str>, body: String) {
        "POST".clone_into(&mut trial.method);
        "/".clone_into(&mut trial.path);
        trial.headers = mcp::headers(session);
        trial.body = body;
    }

    /// Sends a message as the chosen key; returns the response's body, and the session in its headers.
    fn send(self, body: String) -> Sending {
        Box::pin(self.sending(body))
    }

    async fn sending(self, body: String) -> Result<(u16, String), ApiError> {
        let mut trial = self.desk.trial.get_untracked();
        self.fill(&mut trial, self.session.get_untracked().as_deref(), body);
        let answer = self.desk.debugged(trial).await?.answer;
        let named = answer
            .headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(SESSION_HEADER));
        if let Some(session) = named.and_then(|(_, values)| values.first()) {
            self.session.try_set(Some(session.clone()));
        }
        Ok((answer.status, answer.body))
    }

    async fn list(self) {
        self.trouble.set(None);
        match self.listed().await {
            Ok(tools) => {
                let first = tools.first().cloned();
                let known = self
                    .name
                    .with_untracked(|name| tools.iter().any(|tool| tool.name == *name));
                self.tools.try_set(tools);
                match first.filter(|_| !known) {
                    Some(first) => self.choose(&first.name),
                    // Chosen before its arguments were known.
                    None if self.arguments.with_untracked(|all| all == NOTHING) => {
                        self.choose(&self.name.get_untracked());
                    }
                    None => {}
                }
            }
            Err(trouble) => drop(self.trouble.try_set(Some(trouble))),
        }
    }

    async fn listed(self) -> Result<Vec<Tool>, Trouble> {
        // A server without sessions answers this too, or refuses it and answers the rest.
        self.session.set(None);
        self.send(mcp::initialize()).await?;
        if self.session.with_untracked(Option::is_some) {
            self.send(mcp::INITIALIZED.to_owned()).await?;
        }
        let mut all = Vec::new();
        let mut cursor = None::<String>;
        for _ in 0..PAGES {
            let (status, body) = self.send(mcp::list(cursor.as_deref())).await?;
            let (tools, next) = mcp::tools(&body)
                .map_err(|text| Trouble::Message(format!("Status {status}. {text}")))?;
            all.extend(tools);
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        if all.is_empty() {
            return Err(Trouble::Message(
                "The list is empty: there is no tool that this key may use.".to_owned(),
            ));
        }
        Ok(all)
    }

    /// Chooses a tool; a listed one starts with its required arguments.
    fn choose(self, name: &str) {
        let tool = self
            .tools
            .with_untracked(|tools| tools.iter().find(|tool| tool.name == name).cloned());
        if let Some(tool) = tool {
            self.arguments.set(tool.first());
        }
        self.name.set(name.to_owned());
    }

    fn tool(self) -> Option<Tool> {
        let name = self.name.get();
        self.tools
            .with(|tools| tools.iter().find(|tool| tool.name == name).cloned())
    }
}

/// The name, with the listed ones to choose from.
#[component]
fn Choice(calling: Calling) -> impl IntoView {
    let list = unique_id("tools");
    let option = |tool: Tool| view! { <option value=tool.name>{tool.about}</option> }.into_any();
    let about = move || calling.tool().map(|tool| tool.about).unwrap_or_default();
    view! {
        <label class="field">
            <span>"Name"</span>
            <input
                type="text"
                class="input mono"
                list=list.clone()
                autocomplete="off"
                spellcheck="false"
                placeholder="List the tools, or type a name"
                prop:value=move || calling.name.get()
                on:input=move |event| calling.choose(&event_target_value(&event))
            />
        </label>
        <datalist id=list>{live(move || each(calling.tools.get(), option))}</datalist>
        <p class="muted small">{live(about)}</p>
    }
}

/// A field for each plain argument, and all of them as JSON.
#[component]
fn Arguments(calling: Calling) -> impl IntoView {
    let plain = Memo::new(move |_| {
        let all = calling
            .tool()
            .map(|tool| tool.arguments)
            .unwrap_or_default();
        all.into_iter()
            .filter(Argument::is_plain)
            .collect::<Vec<_>>()
    });
    // They change only with the tool, not with the input.
    let fields = move || {
        each(plain.get(), |argument| {
            view! { <Field calling=calling argument=argument /> }.into_any()
        })
    };
    view! {
        {live(fields)}
        <label class="field">
            <span>"Arguments"</span>
            <textarea
                class="input mono"
                rows="5"
                spellcheck="false"
                prop:value=move || calling.arguments.get()
                on:input=move |event| calling.arguments.set(event_target_value(&event))
            ></textarea>
        </label>
    }
}

#[component]
fn Field(calling: Calling, argument: Argument) -> impl IntoView {
    let argument = StoredValue::new(argument);
    let Argument {
        name,
        kind,
        about,
        required,
        choices,
        ..
    } = argument.get_value();
    let value =
        move || argument.with_value(|argument| calling.arguments.with(|all| argument.value(all)));
    let set = move |event| {
        let typed = event_target_value(&event);
        calling
            .arguments
            .update(|all| *all = argument.with_value(|argument| argument.typed(all, &typed)));
    };
    let choices = match kind.as_str() {
        "boolean" => vec!["true".to_owned(), "false".to_owned()],
        _ => choices,
    };
    let option = move |choice: String| {
        let (own, label) = (choice.clone(), choice.clone());
        view! { <option value=choice prop:selected=move || value() == own>{label}</option> }
            .into_any()
    };
    let input = match choices.is_empty() {
        true => view! { <input type="text" class="input mono" autocomplete="off" spellcheck="false" prop:value=value on:input=set /> }.into_any(),
        false => view! {
            <select class="input" on:change=set>
                <option value="" prop:selected=move || value().is_empty()>"Not sent"</option>
                {each(choices, option)}
            </select>
        }
        .into_any(),
    };
    let note = if required {
        format!("{kind}, required")
    } else {
        kind
    };
    view! {
        <label class="field">
            <span>{name}" "<span class="muted small">{note}</span></span>
            {input}
            <span class="muted small">{about}</span>
        </label>
    }
}
