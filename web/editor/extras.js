// The modules that rewrite bodies at the edge (`extras/`), for the playground and the editors: one instance of each per
// page. A script of its own, loaded by whichever of them needs it first.
/* global EXTRA_URLS */
import * as jq from "extra-jq";
import * as transform from "extra-transform";

/** The modules, each instantiated on first use, and again after a trap. */
const modules = {
  jq: { exports: jq, ready: undefined },
  transform: { exports: transform, ready: undefined },
};

function loaded(name) {
  const module = modules[name];
  module.ready ??= module.exports.default({ module_or_path: EXTRA_URLS[name] }).catch((error) => {
    module.ready = undefined;
    throw error;
  });
  return module.ready;
}

/**
 * Does what the edge would do: returns the report, and the new body if there is one. Rejects if the module can't be
 * loaded.
 */
export async function run(name, call, settings, facts, body) {
  await loaded(name);
  const { exports } = modules[name];
  try {
    const [report, made] = exports.call(call, settings, facts, new TextEncoder().encode(body));
    return { report: JSON.parse(report), made };
  } catch (error) {
    console.info("extra", error);
    exports.__wbg_reset_state();
    return { report: { error: "it takes too much memory, or is nested too deeply" } };
  }
}
