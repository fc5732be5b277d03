// A gateway that does nothing: it passes the request to the upstream and the response back.

export default {
  fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    return fetch(new Request(env.TARGET + pathname + search, request));
  },
};
