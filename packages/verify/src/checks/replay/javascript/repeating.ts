import { AHEAD_MS } from "../clock.ts";

/** Repeats what was noted, and writes what came of it. */
export const REPEATING = String.raw`/** What an ordinary program has no right to be blamed for: it is no browser. */
const BROWSER = /^threw ReferenceError: (window|document|navigator|location|localStorage|sessionStorage|HTML\w*|DOMParser|customElements) is not defined/;

const DO = {
  function: (self, _, given) => self(...given),
  call: (self, _, given) => self(...given),
  new: (self, _, given) => new self(...given),
  static: (self, key, given) => self[key](...given),
  method: (self, key, given) => self[key](...given),
  get: (self, key) => self[key],
  value: (self) => self,
};

async function replay({ root, calls, delay, clock }, output, loaders) {
  if (!loaders) {
    loadTypeScript(root);
    await new Promise((go) => setTimeout(go, delay));
  }
  const loaded = new Map();
  const made = new Map();
  const load = (module) => {
    if (!loaded.has(module)) loaded.set(module, Promise.resolve().then(loaders ? loaders[module] : () => import(pathToFileURL(join(root, module)).href)));
    return loaded.get(module);
  };
  if (clock) {
    for (const { module } of calls) await load(module).catch(() => null);
    require(clock).advance(${AHEAD_MS});
  }
  const results = [];
  for (const { module, name, kind, object, args, result } of calls) {
    const all = await load(module).catch(() => null);
    const [first] = name.split(".");
    const top = all === null ? undefined : first === "" ? (all.default ?? all) : (all[first] ?? all.default?.[first]);
    const self = ["method", "get", "call"].includes(kind) ? made.get(object) : top;
    if (self === undefined || (["function", "new", "static"].includes(kind) && typeof self !== "function")) {
      results.push(null);
      continue;
    }
    const given = unpacked(JSON.parse(args), made);
    const key = name.slice(name.lastIndexOf(".") + 1);
    const at = kind === "method" || kind === "get" ? self : null;
    const before = stateOf(at, given);
    let gave;
    try {
      const value = await DO[kind](self, key, given);
      if (kind === "new") made.set(object, value);
      if (result !== undefined) made.set(result, value);
      gave = outcome(value, changedFrom(before, at, given));
    } catch (error) {
      gave = thrown(error) + changedFrom(before, at, given);
    }
    results.push(gave !== null && BROWSER.test(gave) ? null : gave);
  }
  writeFileSync(output, JSON.stringify(results));
}

async function names(root, files) {
  loadTypeScript(root);
  for (const file of files) {
    try {
      console.log("\n@names " + JSON.stringify([file, Object.keys(await import(pathToFileURL(join(root, file)).href))]));
    } catch {}
  }
}
`;
