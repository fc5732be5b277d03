//! The busiest APIs, and the failing ones.

use leptos::prelude::*;

use super::{ROWS, rest};
use crate::api::figures::{ApiSums, Figures};
use crate::components::{Glyph, Icon, each, live, maybe, only};
use crate::routes;
use crate::state::Memo;
use crate::state::chart::{count, share, tenths};

/// The order of the table, highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Requests,
    Errors,
    Refused,
    Latency,
}

impl Order {
    fn of(self, api: &ApiSums) -> u64 {
        match self {
            Self::Requests => api.sums.requests,
            Self::Errors => api.sums.errors,
            Self::Refused => api.sums.all_refused(),
            Self::Latency => api.sums.p95.unwrap_or(0),
        }
    }
}

/// The columns that it can be ordered by.
const ORDERS: [(Order, &str); 4] = [
    (Order::Requests, "Requests"),
    (Order::Errors, "Errors"),
    (Order::Refused, "Refused"),
    (Order::Latency, "95th percentile"),
];
/// The error rate from which an API counts as failing, in per cent.
const FAILING: u64 = 5;

/// The table.
#[component]
pub(super) fn Busiest(
    window: Memo<&'static str>,
    api_id: Memo<String>,
    everything: Memo<Figures>,
) -> impl IntoView {
    let order = RwSignal::new(Order::Requests);
    let shown = RwSignal::new(ROWS);
    let head = move |(column, label): (Order, &'static str)| {
        let sorted = move || (order.get() == column).then_some("descending");
        view! {
            <th scope="col" aria-sort=sorted>
                <button type="button" class="sort" on:click=move |_| order.set(column)>
                    {label}
                    {live(move || only(order.get() == column, || view! { <Icon glyph=Glyph::Down /> }.into_any()))}
                </button>
            </th>
        }
        .into_any()
    };
    let rows = move || {
        let mut apis = everything.with(|figures| figures.apis.clone());
        let order = order.get();
        apis.sort_by_key(|api| std::cmp::Reverse(order.of(api)));
        let chosen = api_id.get();
        each(apis.into_iter().take(shown.get()), |api| {
            row(&api, window.get(), *api.api_id == *chosen)
        })
    };
    let any = move || everything.with(|figures| !figures.apis.is_empty());
    let table = move || {
        view! {
            <section aria-labelledby="busiest-title">
                <h2 id="busiest-title">"APIs"</h2>
                <div class="card table-card">
                    <table class="table busiest">
                        <caption class="visually-hidden">"APIs with requests in this window"</caption>
                        <thead>
                            <tr>
                                <th scope="col">"API"</th>
                                {each(ORDERS, head)}
                                <th scope="col"><span class="visually-hidden">"Actions"</span></th>
                            </tr>
                        </thead>
                        <tbody>{live(rows)}</tbody>
                    </table>
                </div>
                {rest(shown, Memo::new(move |_| everything.with(|figures| figures.apis.len())))}
            </section>
        }
        .into_any()
    };
    let some = Memo::new(move |_| any());
    live(move || only(some.get(), table))
}

fn row(api: &ApiSums, window: &'static str, chosen: bool) -> AnyView {
    let sums = api.sums;
    let failing = sums.errors.saturating_mul(100) >= sums.requests.saturating_mul(FAILING);
    let part = |part: u64| {
        let share = share(part, sums.requests).filter(|_| part > 0);
        maybe(share, |share| {
            view! { <span class="muted">{share}</span> }.into_any()
        })
    };
    let (href, label) = match chosen {
        true => (routes::overview(window, ""), "All APIs"),
        false => (routes::overview(window, &api.api_id), "Charts"),
    };
    let name = api.called().to_owned();
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <a href=routes::api(&api.api_id)>{name.clone()}</a>
                <span class="cell-sub">
                    <code class="api-id">{api.api_id.clone()}</code>
                    {only(failing && sums.errors > 0, || view! { <span class="badge badge-plain badge-deleted">"Failing"</span> }.into_any())}
                    {only(api.name.is_empty(), || view! { <span class="muted small">"not served"</span> }.into_any())}
                </span>
            </th>
            <td data-label="Requests" class="number">{count(sums.requests)}</td>
            <td data-label="Errors" class="number">
                <span>{count(sums.errors)}" "{part(sums.errors)}</span>
            </td>
            <td data-label="Refused" class="number">
                <span>{count(sums.all_refused())}" "{part(sums.all_refused())}</span>
            </td>
            <td data-label="p95" class="number">{sums.p95.map_or_else(|| "–".to_owned(), tenths)}</td>
            <td class="busiest-more">
                <a class="btn btn-small" href=href>
                    {label}
                    {only(!chosen, || view! { <span class="visually-hidden">{format!(" of {name}")}</span> }.into_any())}
                </a>
            </td>
        </tr>
    }
    .into_any()
}
