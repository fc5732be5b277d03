//! Dialogs that can open on any page.

use leptos::prelude::*;

use super::nav::apple;
use crate::components::{Confirm, Dialog, each};
use crate::pages::connect::ConnectForm;
use crate::routes::REFERENCE;
use crate::state::session::Key;
use crate::state::{Console, use_console};

/// Asks for confirmation before something unsaved is lost.
#[component]
pub(super) fn LeaveDialog() -> impl IntoView {
    let Console {
        address, session, ..
    } = use_console();
    view! {
        <Confirm
            title="Leave without saving?"
            label="Discard and leave"
            danger=true
            on_confirm=Callback::new(move |()| address.leave())
            on_cancel=Callback::new(move |()| {
                session.leaving.set(None);
                address.stay();
            })
        >
            <p>"What you have not saved or copied yet is lost when you leave."</p>
        </Confirm>
    }
}

/// Asks for a credential again without leaving the page, so that nothing on it is lost. Only the one that was refused
/// is asked for.
#[component]
pub(super) fn ReconnectDialog(
    /// The credential.
    key: Key,
) -> impl IntoView {
    let console = use_console();
    let (keys, title, text): (&'static [Key], _, _) = match key {
        Key::Secret => (
            &[Key::Secret],
            "The secret was refused",
            "You are no longer signed in with the secret: somebody signed out, the session was inactive for too long, or the secret was changed.",
        ),
        Key::Token => (
            &[Key::Token],
            "The token was refused",
            "You are no longer signed in with a token: somebody signed out, the session was inactive for too long, or the token has expired or was revoked.",
        ),
    };
    // The session is connected already when this runs; failed requests are repeated.
    let connected = Callback::new(move |()| console.toasts.good("Connected again."));
    let give_up = Callback::new(move |()| {
        console.address.release();
        console.session.drop_key(key);
    });
    view! {
        <Dialog title=title on_close=give_up>
            <div class="dialog-body">
                <p>{text}" Connect again to continue here: nothing on this page is lost."</p>
                <ConnectForm keys=keys on_connected=connected />
            </div>
        </Dialog>
    }
}

/// The list of shortcuts.
#[component]
pub(super) fn HelpDialog() -> impl IntoView {
    let help = use_console().help;
    let command = if apple() { "⌘" } else { "Ctrl" };
    let rows = [
        (vec![command, "K"], "Open the command palette"),
        (vec!["/"], "Search the list"),
        (vec!["X"], "Select the row of a list that has the focus"),
        (vec![command, "S"], "Review what you have changed"),
        (
            vec![command, "Enter"],
            "Save in the review; send, run or open what the page is for",
        ),
        (vec![command, "F"], "Find in the editor"),
        (vec!["Shift", "Alt", "F"], "Format the text in the editor"),
        (
            vec!["F1"],
            "Read about the field or member that has the focus",
        ),
        (vec!["Esc", "Tab"], "Leave the editor with the keyboard"),
        (vec!["?"], "Show this list"),
    ];
    let row = |(keys, text): (Vec<&'static str>, &'static str)| {
        view! {
            <div class="shortcut">
                <dt>{text}</dt>
                <dd>{each(keys, |key| view! { <kbd>{key}</kbd> }.into_any())}</dd>
            </div>
        }
        .into_any()
    };
    view! {
        <Dialog title="Keyboard shortcuts" on_close=Callback::new(move |()| help.set(false))>
            <div class="dialog-body">
                <dl class="shortcuts">{each(rows, row)}</dl>
                <p><a href=REFERENCE on:click=move |_| help.set(false)>"Reference of all members and of the administration API"</a></p>
            </div>
        </Dialog>
    }
}
