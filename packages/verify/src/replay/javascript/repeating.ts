import { JAVASCRIPT_ZONE } from "../../time-zone.ts";
import { ENDED } from "../results.ts";

/** Repeats what was noted, and writes what came of it. */
export const REPEATING = String.raw`/** What an ordinary program is not blamed for where tests have a document: it is no browser. */
const BROWSER = /^threw ReferenceError: (window|document|navigator|location|localStorage|sessionStorage|HTML\w*|DOMParser|customElements) is not defined/;

/** Where the runner keeps a call from ending the process. */
const EXITED = /^threw Error: process\.exit unexpectedly called/;

const DO = {
  function: (self, _, given) => self(...given),
  call: (self, _, given) => self(...given),
  new: (self, _, given) => new self(...given),
  static: (self, key, given) => self[key](...given),
  method: (self, key, given) => self[key](...given),
  get: (self, key) => self[key],
  value: (self) => self,
};

/** A call that takes longer has not come to its end. */
const [LONGEST_MS, NOT_ENDED] = [5000, Symbol()];

${JAVASCRIPT_ZONE}
/** Waits for what is to be repeated, and writes what happens line by line, so that a process which ends too early tells where. */
async function replay(about, told, output) {
  loadTypeScript(about.root);
  await new Promise((go) => setTimeout(go, about.delay));
  while (!existsSync(told)) await new Promise((go) => setTimeout(go, 10));
  const calls = parse(readFileSync(told, "utf8"));
  rmSync(told);
  beInZone(calls.zone);
  const server = about.delay > 0 || about.clock ? await listening() : null;
  const loaded = await load(calls, output, (module) => imported(about.root, module));
  if (about.clock) require(about.clock.file).advance(about.clock.ahead);
  await repeatAll(calls, output, loaded);
  server?.close();
}

const teller = (output) => (...line) => appendFileSync(output, stringify(line) + "\n");

/** The modules of the calls. */
async function load({ calls, without }, output, loader) {
  const tell = teller(output);
  const loaded = new Map();
  for (const { module } of calls) {
    if (loaded.has(module) || without.modules.includes(module)) continue;
    tell("load", module);
    try {
      loaded.set(module, await loader(module));
      tell("loaded", module);
    } catch (error) {
      loaded.set(module, undefined);
      tell("failed", module, thrown(error));
    }
  }
  return loaded;
}

/** Where a call gives no promise, the next one is made at once, so that whoever calls this is who calls them. */
function repeatAll({ calls, browser, without }, output, loaded) {
  const tell = teller(output);
  const made = new Map();
  const gaveOf = (gave) => (gave === null || (browser && BROWSER.test(gave)) ? null : EXITED.test(gave) ? "${ENDED}" : gave);
  const from = (first) => {
    for (let n = first; n < calls.length; n += 1) {
      const all = loaded.get(calls[n].module);
      if (all === undefined || without.calls.includes(n)) continue;
      tell("call", n);
      const gave = repeated(calls[n], all, made);
      if (isPromise(gave)) return gave.then(([later, value]) => { tell("gave", n, gaveOf(later), value); return from(n + 1); });
      tell("gave", n, gaveOf(gave[0]), gave[1]);
    }
    tell("end");
  };
  return from(0);
}

/** What came of a call, and that as text from which it can be made again, null where it cannot; or a promise of both. */
function repeated({ name, kind, object, args, result }, all, made) {
  const [first] = name.split(".");
  const top = first === "" ? (all.default ?? all) : (all[first] ?? all.default?.[first]);
  const self = ["method", "get", "call"].includes(kind) ? made.get(object) : top;
  if (self === undefined || (["function", "new", "static"].includes(kind) && typeof self !== "function")) return [null, null];
  const given = unpacked(parse(args), made);
  const key = name.slice(name.lastIndexOf(".") + 1);
  const at = kind === "method" || kind === "get" ? self : null;
  const before = stateOf(at, given);
  const failed = (error) => [thrown(error) + changedFrom(before, at, given), null];
  const ended = (value) => {
    if (value === NOT_ENDED) return ["did not come to its end", null];
    if (kind === "new") made.set(object, value);
    if (result !== undefined) made.set(result, value);
    const changed = changedFrom(before, at, given);
    return [outcome(value, changed), changed === "" ? argumentsOf([kind === "new" ? { ...value } : value]) : null];
  };
  try {
    const value = DO[kind](self, key, given);
    if (!isPromise(value)) return ended(value);
    let timer;
    const late = new Promise((go) => { timer = setTimeout(go, LONGEST_MS, NOT_ENDED); });
    return Promise.race([value, late]).then(ended).catch(failed).finally(() => clearTimeout(timer));
  } catch (error) {
    return failed(error);
  }
}

/** What each file exports, and what of that is no function; or why it cannot be loaded. */
async function names(root, files) {
  loadTypeScript(root);
  for (const file of files) {
    const tell = (what, ...about) => console.log("\n@" + what + " " + stringify([file, ...about]));
    tell("load");
    try {
      const all = Object.entries(await imported(root, file));
      tell("names", all.map(([name]) => name), all.filter(([, value]) => typeof value !== "function").map(([name]) => name));
    } catch (error) {
      tell("failed", thrown(error));
    }
  }
}
`;
