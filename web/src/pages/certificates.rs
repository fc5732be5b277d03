//! Certificates: the list, the page that adds one, and the page of one of them.

mod add;
mod details;
mod list;

pub use add::NewCertificate;
pub use details::CertificatePage;
pub use list::Certificates;

use js_sys::Date;
use leptos::prelude::*;

use crate::components::When;
use crate::state::certificates::validity;

/// Whether a certificate is valid now, and until when.
#[component]
fn Validity(
    /// The start of its validity, RFC 3339.
    not_before: String,
    /// The end of its validity, RFC 3339.
    not_after: String,
) -> impl IntoView {
    let (begins, ends) = (Date::parse(&not_before), Date::parse(&not_after));
    let (class, word) = validity(Date::now(), begins, ends);
    let ahead = ends > Date::now();
    let until = (ends > 0.0).then(|| {
        let word = if ahead { "expires " } else { "" };
        view! { <span class="muted small credential-when">{word}<When at=not_after ahead=ahead /></span> }
    });
    view! {
        <span class=format!("badge badge-{class}")>
            <span class="badge-dot" aria-hidden="true"></span>
            {word}
        </span>
        {until}
    }
}
