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
const LONGEST_MS = 5000;
const NOT_ENDED = Symbol();

/** Writes what happens line by line, so that a process which ends too early tells where. */
async function replay({ root, calls, delay, clock, browser, without }, output, loaders) {
  const tell = (...line) => appendFileSync(output, stringify(line) + "\n");
  if (!loaders) {
    loadTypeScript(root);
    await new Promise((go) => setTimeout(go, delay));
  }
  const loaded = new Map();
  for (const { module } of calls) {
    if (loaded.has(module) || without.modules.includes(module)) continue;
    tell("load", module);
    try {
      loaded.set(module, await (loaders ? loaders[module]() : imported(root, module)));
      tell("loaded", module);
    } catch (error) {
      loaded.set(module, undefined);
      tell("failed", module, thrown(error));
    }
  }
  if (clock) require(clock.file).advance(clock.ahead);
  const made = new Map();
  for (const [n, call] of calls.entries()) {
    const all = loaded.get(call.module);
    if (all === undefined || without.calls.includes(n)) continue;
    tell("call", n);
    const gave = await repeated(call, all, made);
    tell("gave", n, gave === null || (browser && BROWSER.test(gave)) ? null : EXITED.test(gave) ? "${ENDED}" : gave);
  }
  tell("end");
}

async function repeated({ name, kind, object, args, result }, all, made) {
  const [first] = name.split(".");
  const top = first === "" ? (all.default ?? all) : (all[first] ?? all.default?.[first]);
  const self = ["method", "get", "call"].includes(kind) ? made.get(object) : top;
  if (self === undefined || (["function", "new", "static"].includes(kind) && typeof self !== "function")) return null;
  const given = unpacked(parse(args), made);
  const key = name.slice(name.lastIndexOf(".") + 1);
  const at = kind === "method" || kind === "get" ? self : null;
  const before = stateOf(at, given);
  let timer;
  const late = new Promise((go) => { timer = setTimeout(go, LONGEST_MS, NOT_ENDED); });
  try {
    const value = await Promise.race([DO[kind](self, key, given), late]);
    if (value === NOT_ENDED) return "did not come to its end";
    if (kind === "new") made.set(object, value);
    if (result !== undefined) made.set(result, value);
    return outcome(value, changedFrom(before, at, given));
  } catch (error) {
    return thrown(error) + changedFrom(before, at, given);
  } finally {
    clearTimeout(timer);
  }
}

/** What each file exports, or why it cannot be loaded. */
async function names(root, files) {
  loadTypeScript(root);
  for (const file of files) {
    const tell = (what, ...about) => console.log("\n@" + what + " " + stringify([file, ...about]));
    tell("load");
    try {
      tell("names", Object.keys(await imported(root, file)));
    } catch (error) {
      tell("failed", thrown(error));
    }
  }
}
`;
