//! Requests to the administration, to the dashboard API and to the OAuth 2.0 server.

use super::{Memory, SECRET};
use gatewright_api::endpoint::Operation;
use gatewright_api::paths::{is_dashboard, is_sign_in};
use gatewright_controlplane::admin::oauth::{self, Call};
use gatewright_controlplane::admin::{self, backup};
use gatewright_controlplane::error::Error;
use gatewright_controlplane::{console, dashboard};
use gatewright_protocol::http::{Request, Response};

impl Memory {
    /// Sends a request with the secret.
    pub async fn send(&self, method: &str, target: &str, body: &str) -> Response {
        self.send_with(method, target, body, &[("x-gateway-authorization", SECRET)])
            .await
    }

    /// Sends a request with only these headers.
    pub async fn send_with(
        &self,
        method: &str,
        target: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Response {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let request = Request {
            method: method.to_owned(),
            origin: "http://gateway.test".to_owned(),
            path: path.to_owned(),
            query: pairs
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: body.as_bytes().to_vec(),
            request_id: "request".to_owned(),
            address: "192.0.2.1".to_owned(),
            ..Request::default()
        };
        self.answer(&request).await
    }

    /// Answers a request to the OAuth 2.0 server of an API.
    pub async fn authorise(&self, call: &Call, request: &Request) -> Response {
        self.sender.replace(request.sender());
        let answer = oauth::answer(self, request, call).await;
        answer.unwrap_or_else(|error| oauth::failed(request, call, error))
    }

    /// Answers a complete request.
    pub async fn answer(&self, request: &Request) -> Response {
        if is_sign_in(&request.path) {
            self.sender.replace(request.sender());
            return console::handle(self, request).await.0;
        }
        let mut request = request.clone();
        if let Err(error) = console::identify(self, &mut request).await {
            return admin::settle(&request, Err(Error::Store(error))).0;
        }
        let request = &request;
        self.sender.replace(request.sender());
        if is_dashboard(&request.path) {
            return dashboard::handle(self, request).await.0;
        }
        let streamed = match backup::streams(self, request) {
            None => return admin::handle(self, request).await.0,
            Some(Operation::Export) => self.exported(request).await,
            Some(_) => self.imported(request).await,
        };
        admin::settle(request, streamed).0
    }

    async fn exported(&self, request: &Request) -> Result<Response, Error> {
        let mut export = backup::Export::begin(self, request).await?;
        let mut response = export.head();
        while let Some(part) = export.next(self).await? {
            response.body.push_str(&part);
        }
        Ok(response)
    }

    async fn imported(&self, request: &Request) -> Result<Response, Error> {
        let mut import = backup::Import::begin(request)?;
        // A body arrives in chunks of any length.
        for part in request.body.chunks(1000) {
            import.feed(self, part).await?;
        }
        import.end(self).await
    }
}
