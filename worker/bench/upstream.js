// The upstream of every measure: as little as a service on workerd can do, 1 kB of it.

const BODY = "x".repeat(1024);

export default {
  fetch() {
    return new Response(BODY);
  },
};
