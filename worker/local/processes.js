// Passes messages of the process with the objects on to every process that serves. A single process has no WORKERS: it is
// told so with status 404.

const MAX_PROCESSES = 4;

export default {
  async fetch(request, env) {
    const body = await request.text();
    const processes = Array.from({ length: Math.min(Number(env.WORKERS ?? 0), MAX_PROCESSES) }, (_, at) => env[`PROCESS_${at + 1}`]);
    const requests = processes.map((process) => process.fetch(request.url, { method: "POST", body }));
    // A process that has died is restarted, and then loads what is published.
    const answers = await Promise.allSettled(requests);
    if (!request.url.endsWith("/state")) return new Response(null, { status: env.WORKERS === undefined ? 404 : 204 });
    const states = answers.map(({ value }, at) => (value?.ok ? value.text() : `process-${at + 1} - 0`));
    return new Response((await Promise.all(states)).join("\n"));
  },
};
