//! One key of the list.

use leptos::prelude::*;

use super::KEY;
use crate::api::access::KeyRow;
use crate::api::dashboard::Group;
use crate::components::{Moment, Selection, When, each, left_out, live, maybe};
use crate::pages::deletion::{Deletion, Doomed};
use crate::pages::list::RowMenu;
use crate::pages::sessions::{ENDED, Known};
use crate::routes;
use crate::state::access::{Names, called};
use crate::state::bulk::selection::Pick;
use crate::state::query_string::encode;

/// How many names of a kind a row shows; the rest is a count.
const SHOWN: usize = 2;
/// How many digits of the hash identify keys without an alias.
const HASH_SHOWN: usize = 12;

/// A row.
#[component]
pub(super) fn Row(
    /// The key.
    key: KeyRow,
    /// The names of policies and APIs.
    known: Known,
    /// Revokes it.
    deletion: Deletion,
    /// The selection of the list.
    selection: Selection,
) -> impl IntoView {
    let short: String = key.hash.chars().take(HASH_SHOWN).collect();
    let picked = pick(&key);
    let name = picked.name.clone();
    let href = routes::key(&key.hash);
    let doomed = Doomed {
        group: Group::Keys,
        id: encode(&key.hash),
        name: name.clone(),
        means: KEY.means,
        warns: KEY.warns,
    };
    let (policies, apis) = (key.policies.clone(), key.apis.clone());
    let menu_href = href.clone();
    view! {
        <tr>
            {selection.cell(picked)}
            <th scope="row" class="cell-name">
                <a href=href>{name}</a>
                <span class="cell-sub"><code class="api-id" title=key.hash.clone()>{format!("{short}…")}</code></span>
            </th>
            <td data-label="State" class="cell-state"><State key=key.clone() /></td>
            <td data-label="Policies">{live(move || names(&policies, &known.policies(), "None"))}</td>
            <td data-label="APIs">{live(move || names(&apis, &known.apis(), "Those of its policies"))}</td>
            <td data-label="Tags">{names(&key.tags, &Names::new(), "None")}</td>
            <td data-label="Changed" class="cell-when"><When at=key.updated_at /></td>
            <td class="col-actions">
                <RowMenu doomed=doomed href=menu_href open="Open" deletion=deletion />
            </td>
        </tr>
    }
}

/// Returns a key as a selectable row.
pub(in crate::pages) fn pick(key: &KeyRow) -> Pick {
    let name = match key.alias.trim() {
        "" => {
            let short: String = key.hash.chars().take(HASH_SHOWN).collect();
            format!("Key {short}")
        }
        _ => key.alias.clone(),
    };
    Pick {
        id: key.hash.clone(),
        name,
        document: None,
    }
}

#[component]
fn State(key: KeyRow) -> impl IntoView {
    let (class, word) = match key.state.as_str() {
        "inactive" => ("badge badge-inactive", "Inactive"),
        "expired" => ("badge badge-deleted", "Expired"),
        _ => ("badge badge-live", "Active"),
    };
    let ends = (key.expires > ENDED).then_some(key.expires);
    let before = if key.state == "expired" { "" } else { "until " };
    view! {
        <span class=class>
            <span class="badge-dot" aria-hidden="true"></span>
            {word}
        </span>
        {maybe(ends, |at| view! { <span class="muted small credential-when">{before}<Moment seconds=at /></span> }.into_any())}
    }
}

/// Shows the names of the first documents, and how many more there are.
fn names(ids: &[String], known: &Names, none: &'static str) -> AnyView {
    if ids.is_empty() {
        return view! { <span class="muted">{none}</span> }.into_any();
    }
    let others = ids.iter().skip(SHOWN).map(|id| called(known, id));
    let others: Vec<String> = others.collect();
    let one = |id: &String| {
        let name = called(known, id);
        view! { <span class="tag" title=id.clone()>{name}</span>" " }.into_any()
    };
    view! {
        {each(ids.iter().take(SHOWN), one)}
        {left_out(&others)}
    }
    .into_any()
}
