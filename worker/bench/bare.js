// What a gateway would be without a gateway: the request goes on to the upstream, the answer back.

export default {
  fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    return fetch(new Request(env.TARGET + pathname + search, request));
  },
};
