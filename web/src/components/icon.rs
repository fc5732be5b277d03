//! Icons: strokes on a 16 by 16 grid, in the colour of the adjacent text.

use leptos::prelude::*;

/// Which icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    /// Layers: APIs.
    Apis,
    /// A circling arrow: reload.
    Reload,
    /// A list with a play mark: batch.
    Batch,
    /// A magnifying glass.
    Search,
    /// Plus.
    Plus,
    /// Three dots.
    More,
    /// A cross.
    Close,
    /// A tick.
    Check,
    /// Two sheets.
    Copy,
    /// A triangle with an exclamation mark.
    Warning,
    /// A circle with an exclamation mark.
    Error,
    /// A circle with an i.
    Info,
    /// A bin.
    Trash,
    /// An anticlockwise clock.
    History,
    /// Sun.
    Sun,
    /// Moon.
    Moon,
    /// Screen.
    Screen,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Chevron to the right.
    Chevron,
    /// Three bars.
    Bars,
    /// A door with an arrow.
    Leave,
    /// Play.
    Play,
    /// A prompt.
    Terminal,
    /// A key.
    Key,
    /// A power switch.
    Power,
    /// A pencil.
    Edit,
    /// A question mark.
    Help,
    /// A cloud, struck out.
    Offline,
    /// An arrow into a tray.
    Import,
    /// A padlock: not readable or not changeable.
    Lock,
    /// A person: client identity providers.
    Person,
    /// A shield: policies.
    Policy,
    /// A house: organisations.
    Organisation,
    /// A list with ticks: rulesets.
    Rules,
    /// A hook: webhooks.
    Hook,
    /// A bell: notifications.
    Bell,
    /// A page with lines: the audit trail.
    Audit,
    /// A badge with a key's teeth: credentials.
    Badge,
    /// Columns: the overview.
    Chart,
    /// Braces: OpenAPI documents.
    Braces,
    /// A plug: MCP proxies.
    Plug,
    /// An arrow out of a tray.
    Export,
    /// A rosette: certificates.
    Seal,
    /// A window: OAuth clients.
    Window,
    /// A ticket: tokens.
    Ticket,
}

impl Glyph {
    fn paths(self) -> &'static str {
        match self {
            Self::Apis => {
                "<path d='M8 2l6 3-6 3-6-3z'/><path d='M2 8l6 3 6-3'/><path d='M2 11l6 3 6-3'/>"
            }
            Self::Chart => "<path d='M2 14h12M4 11.5V8M8 11.5V3M12 11.5V6'/>",
            Self::Braces => {
                "<path d='M6.2 2.5C4 2.5 4.4 4 4.4 5.2S4 7.4 2.6 8c1.4.6 1.8 1.6 1.8 2.8S4 13.5 6.2 13.5M9.8 2.5c2.2 0 1.8 1.5 1.8 2.7S12 7.4 13.4 8c-1.4.6-1.8 1.6-1.8 2.8s.4 2.7-1.8 2.7'/>"
            }
            Self::Seal => {
                "<circle cx='8' cy='6' r='4'/><path d='M5.6 9.3 4.8 14 8 12.4l3.2 1.6-.8-4.7'/>"
            }
            Self::Window => {
                "<rect x='2' y='3' width='12' height='10' rx='1.5'/><path d='M2 6.2h12M4.6 9.6h3'/>"
            }
            Self::Ticket => {
                "<path d='M2 4.5h12v2a1.5 1.5 0 0 0 0 3v2H2v-2a1.5 1.5 0 0 0 0-3zM10 4.5V6M10 7.3v1.4M10 10v1.5'/>"
            }
            Self::Plug => {
                "<path d='M5.7 2v3.4M10.3 2v3.4M3.6 5.4h8.8v2.2a4.4 4.4 0 0 1-8.8 0zM8 12v2.5'/>"
            }
            Self::Export => {
                "<path d='M8 10V2.5M5 5.5l3-3 3 3M2.5 10.5v2a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-2'/>"
            }
            Self::Reload => {
                "<path d='M13.5 8a5.5 5.5 0 1 1-1.6-3.9'/><path d='M13.5 1.8v3.1h-3.1'/>"
            }
            Self::Batch => {
                "<path d='M2.5 4h9M2.5 8h4.5M2.5 12h4.5'/><path d='M10 8.2v5.6l4-2.8z'/>"
            }
            Self::Search => "<circle cx='7' cy='7' r='4.5'/><path d='M10.4 10.4L14 14'/>",
            Self::Plus => "<path d='M8 3v10M3 8h10'/>",
            Self::More => "<path stroke-width='2' d='M3.5 8h.01M8 8h.01M12.5 8h.01'/>",
            Self::Close => "<path d='M4 4l8 8M12 4l-8 8'/>",
            Self::Check => "<path d='M3 8.5l3.2 3.2L13 5'/>",
            Self::Copy => {
                "<rect x='5.5' y='5.5' width='8' height='8' rx='1.5'/><path d='M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5'/>"
            }
            Self::Warning => "<path d='M8 2.3l6.2 11H1.8z'/><path d='M8 6.6v3M8 11.5v.01'/>",
            Self::Error => "<circle cx='8' cy='8' r='6'/><path d='M8 5v3.5M8 11v.01'/>",
            Self::Info => "<circle cx='8' cy='8' r='6'/><path d='M8 7.5V11M8 5v.01'/>",
            Self::Trash => {
                "<path d='M2.8 4.5h10.4M6.3 4.5V3h3.4v1.5M4.3 4.5l.6 8.7h6.2l.6-8.7M6.8 7v3.6M9.2 7v3.6'/>"
            }
            Self::History => {
                "<path d='M2.5 8a5.5 5.5 0 1 0 1.7-4'/><path d='M2.5 2.2v3h3'/><path d='M8 5v3.2l2 1.3'/>"
            }
            Self::Sun => {
                "<circle cx='8' cy='8' r='3'/><path d='M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9'/>"
            }
            Self::Moon => "<path d='M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z'/>",
            Self::Screen => {
                "<rect x='2' y='3' width='12' height='8' rx='1'/><path d='M5.5 13.5h5M8 11v2.5'/>"
            }
            Self::Up => "<path d='M8 13V3M4 7l4-4 4 4'/>",
            Self::Down => "<path d='M8 3v10M4 9l4 4 4-4'/>",
            Self::Chevron => "<path d='M6 4l4 4-4 4'/>",
            Self::Bars => "<path d='M2.5 4.5h11M2.5 8h11M2.5 11.5h11'/>",
            Self::Leave => "<path d='M6 2.5H3v11h3M10 5l3 3-3 3M13 8H6'/>",
            Self::Play => "<path d='M5 3l8 5-8 5z'/>",
            Self::Terminal => {
                "<rect x='1.8' y='2.8' width='12.4' height='10.4' rx='1.5'/><path d='M4.5 6l2 2-2 2M8 10.3h3'/>"
            }
            Self::Key => "<circle cx='5.4' cy='8.6' r='2.9'/><path d='M8.2 8h6v2.2M11.6 8v2'/>",
            Self::Power => "<path d='M8 2v5.5M4.6 4.2a5 5 0 1 0 6.8 0'/>",
            Self::Edit => {
                "<path d='M3 13l.7-3L11 2.7l2.3 2.3L6 12.3z'/><path d='M9.5 4.2l2.3 2.3'/>"
            }
            Self::Help => {
                "<path d='M5.6 6.2a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.7M8 12.5v.01'/>"
            }
            Self::Import => {
                "<path d='M8 2v7.5M4.8 6.6L8 9.8l3.2-3.2'/><path d='M2.5 10.5v2a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-2'/>"
            }
            Self::Offline => {
                "<path d='M5 12.5h6.3a2.7 2.7 0 0 0 1.3-5M9.9 4.1A4 4 0 0 0 4.6 6.4a3.1 3.1 0 0 0-.6 6'/><path d='M2.5 2.5l11 11'/>"
            }
            Self::Lock => {
                "<rect x='3.2' y='7' width='9.6' height='6.8' rx='1.4'/><path d='M5.4 7V5a2.6 2.6 0 0 1 5.2 0v2'/>"
            }
            Self::Person => {
                "<circle cx='8' cy='5.3' r='2.8'/><path d='M2.8 13.8a5.2 5.2 0 0 1 10.4 0'/>"
            }
            Self::Rules => {
                "<path d='M7.5 4h6M7.5 8h6M7.5 12h6'/><path d='M2.3 4l1 1 1.8-2M2.3 8l1 1 1.8-2M2.3 12l1 1 1.8-2'/>"
            }
            Self::Policy => {
                "<path d='M8 1.8l5 1.9v4c0 3-2 5.4-5 6.5-3-1.1-5-3.5-5-6.5v-4z'/><path d='M5.8 8l1.6 1.6L10.4 6.4'/>"
            }
            Self::Organisation => {
                "<path d='M3 13.5v-11h6v11M9 6h4v7.5M1.5 13.5h13'/><path d='M5 5h2M5 7.5h2M5 10h2M11 8.5v.01M11 11v.01'/>"
            }
            Self::Hook => {
                "<circle cx='8' cy='3.4' r='1.6'/><path d='M8 5v6.2a2.4 2.4 0 1 1-4.8 0V9.8l1.5 1.4'/>"
            }
            Self::Bell => {
                "<path d='M3.5 11.5V7.2a4.5 4.5 0 0 1 9 0v4.3l1 1h-11z'/><path d='M6.7 14h2.6'/>"
            }
            Self::Audit => {
                "<path d='M3.5 2h6l3 3v9h-9z'/><path d='M9.5 2v3h3M5.7 8h4.6M5.7 11h4.6'/>"
            }
            Self::Badge => {
                "<rect x='2' y='3.5' width='12' height='9' rx='1.5'/><circle cx='5.7' cy='7.4' r='1.5'/><path d='M3.7 10.8a2.1 2.1 0 0 1 4 0M10 7h2M10 9.5h2'/>"
            }
        }
    }
}

/// An icon. It is hidden from screen readers: the control around it has the name.
#[component]
pub fn Icon(
    /// Which one.
    glyph: Glyph,
) -> impl IntoView {
    view! { <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false" inner_html=glyph.paths()></svg> }
}
