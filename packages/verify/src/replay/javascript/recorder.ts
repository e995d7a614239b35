import { HIDING } from "./hiding.ts";
import { LOADING, TYPESCRIPT } from "./loading.ts";
import { REPEATING } from "./repeating.ts";
import { RUNTIME } from "./runtime.ts";
import { VALUES } from "./values.ts";

/** Notes what tests do with a module: with its values, functions and classes, and with what these give. */
export const NOTING = String.raw`
const own = randomBytes(5).toString("hex");
let last = 0;
const next = () => own + "-" + (last += 1);
/** Names by which later calls, and arguments, mean what an earlier one gave. */
const [objects, proxies] = [new WeakMap(), new WeakMap()];
/** What stands behind a proxy: private members are its own. */
const originals = new WeakMap();
const watched = new WeakSet();
const inside = new AsyncLocalStorage();
const isClass = (f) => /^class\b/.test(Function.prototype.toString.call(f));

/** What the tests were started with. */
const { TZ = "" } = process.env;
/** So much is written down of one process, as characters. */
const LOG_MOST = 1 << 25;
let written = 0;
function write(log, line) {
  const text = stringify(line) + "\n";
  if (written === 0) append(log, stringify({ zone: TZ }) + "\n");
  if (written === 0 && typeof document !== "undefined") append(log, stringify({ browser: true }) + "\n");
  written += text.length;
  if (written > LOG_MOST) return unseen(log, "calls behind the first " + LOG_MOST + " characters of their records");
  append(log, text);
}
const append = (log, text) => { try { appendFileSync(log, text); } catch {} };
const missed = new Set();
/** What tests use and nothing of ours can repeat. */
function unseen(log, what) {
  if (missed.has(what)) return;
  missed.add(what);
  append(log, stringify({ unseen: what }) + "\n");
}
/** A module that is used for what its loading does. */
const loaded = (module, log) => append(log, stringify({ loaded: module }) + "\n");

/** What tests are handed in the place of what a call gave, by the call; another file beside the log holds it. */
let handed;
function handedFor({ module, name, kind }, args, log) {
  handed ??= new Map(existsSync(log + ".handed") ? parse(readFileSync(log + ".handed", "utf8")) : []);
  const key = handed.size === 0 ? "" : stringify([module, name, kind, args]);
  return handed.get(key) && { key, value: unpacked(parse(handed.get(key)), new Map())[0] };
}
/** That, or what it gave; fields of an object that was made. */
function instead(out, about, args, log) {
  const found = handedFor(about, args, log);
  if (found === undefined) return out;
  append(log, stringify({ handed: found.key }) + "\n");
  return about.kind === "new" ? Object.assign(out, found.value) : found.value;
}

/** Calls, writes down with what, and what came of it; answers with what tests are given. */
function observed(call, about, { self, given, log }) {
  const run = () => watchingRuntime(call, about.module, log);
  const args = argumentsOf(given);
  if (args === null) {
    unseen(log, "arguments that are no plain values");
    return run();
  }
  const before = stateOf(self, given);
  const changed = () => changedFrom(before, self, given);
  let out;
  try {
    out = run();
  } catch (error) {
    write(log, { ...about, args, gave: thrown(error) + changed() });
    throw error;
  }
  if (handedFor(about, args, log)) {
    const other = (value) => (changed() === "" ? instead(value, about, args, log) : value);
    return isPromise(out) ? out.then(other) : other(out);
  }
  if (isPromise(out)) {
    const later = next();
    write(log, { ...about, args, later });
    Promise.prototype.then.call(
      out,
      (value) => {
        const gave = outcome(value, changed());
        if (gave === null) unseen(log, "results that cannot be compared");
        write(log, { later, result: wrapResult(value, about, log, true).result, gave });
      },
      (error) => write(log, { later, gave: thrown(error) + changed() }),
    );
    return out;
  }
  const gave = outcome(out, changed());
  if (gave === null) unseen(log, "results that cannot be compared");
  const { value, result } = about.kind === "new" ? { value: out } : wrapResult(out, about, log);
  write(log, { ...about, args, result, gave });
  return value;
}

/** What a call gave, with its own functions noted, and its name where it can be used again. */
function wrapResult(value, { module, name }, log, promised = false) {
  if (typeof value === "function") {
    const known = proxies.get(value);
    if (known) return { value: known, result: objects.get(known) };
    if (isClass(value) || promised) {
      unseen(log, "functions that are promised, and classes that are made");
      return { value };
    }
    const result = next();
    const proxy = new Proxy(value, {
      apply: (target, self, given) =>
        inside.getStore()
          ? Reflect.apply(target, self, given)
          : observed(() => Reflect.apply(target, self, given), { module, name: name + "()", kind: "call", object: result }, { self, given, log }),
    });
    proxies.set(value, proxy).set(proxy, proxy);
    objects.set(proxy, result);
    return { value: proxy, result };
  }
  if (typeof value !== "object" || value === null) return { value };
  if (objects.has(value)) return { value, result: objects.get(value) };
  const isInstance = !isPlainObject(value) && tagOf(value) === "Object";
  if (isInstance && !watched.has(Object.getPrototypeOf(value))) unseen(log, "objects of classes that are not exported");
  if (/Generator|Iterator|Stream/.test(tagOf(value))) unseen(log, "iterators and streams");
  const members = Array.isArray(value) ? [] : Object.entries(Object.getOwnPropertyDescriptors(value)).filter(([, one]) => typeof one.value === "function" || one.get);
  if (members.length === 0 && /\bfunction\b/.test(serialize(value) ?? "")) unseen(log, "functions within what is given");
  if (members.length === 0 && !isInstance) return { value };
  const result = next();
  objects.set(value, result);
  for (const [key, one] of members) {
    if (!wrapMember(value, key, one, { module, name: name + "." + key, log, objectOf: () => result })) unseen(log, "functions that cannot be replaced");
  }
  return { value, result };
}

/** Replaces a function or a getter where it is; false where it cannot be. */
function wrapMember(place, key, one, { module, name, log, objectOf, kind = "method" }) {
  if (!one.configurable || (typeof one.value === "function" && (!one.writable || isClass(one.value)))) return false;
  const wrapped = (f, as) => new Proxy(f, {
    apply(target, called, given) {
      const self = originals.get(called) ?? called;
      const object = objectOf(self);
      if (inside.getStore() || (as !== "static" && object === undefined)) return Reflect.apply(target, self, given);
      const run = () => inside.run(true, () => Reflect.apply(target, self, given));
      return observed(run, { module, name, kind: as, object }, { self, given, log });
    },
  });
  Object.defineProperty(place, key, one.get ? { get: wrapped(one.get, "get") } : { value: wrapped(one.value, kind) });
  return true;
}

function wrapExport(f, name, module, log) {
  if (typeof f !== "function") return wrapValue(f, name, module, log);
  if (!proxies.has(f)) {
    const proxy = isClass(f) ? wrapClass(f, name, module, log) : wrapFunction(f, name, module, log);
    proxies.set(f, proxy).set(proxy, proxy);
    originals.set(proxy, f);
  }
  return proxies.get(f);
}

function wrapValue(given, name, module, log) {
  const gave = serialize(given);
  const { value, result } = wrapResult(given, { module, name }, log);
  if (result !== undefined) for (const key of Object.keys(value)) watchMember(module, name + "." + key, value, key);
  if (gave !== null || result !== undefined) write(log, { module, name, kind: "value", args: "[]", result, gave });
  return instead(value, { module, name, kind: "value" }, "[]", log);
}

/** What an ordinary program found to be no function, and hands on as it is. */
wrapExport.value = (value, name, module, log) => {
  if (typeof value === "function") write(log, { module, name, kind: "value", args: "[]", gave: serialize(value) });
  else return wrapValue(value, name, module, log);
};

function wrapFunction(f, name, module, log) {
  return new Proxy(f, {
    apply: (target, self, given) =>
      observed(() => Reflect.apply(target, self, given), { module, name, kind: "function" }, { self: null, given, log }),
  });
}

/** Methods are replaced where they are, so that private fields and subclasses stay what they are. */
function wrapClass(f, name, module, log) {
  watched.add(f.prototype);
  for (const [place, kind, objectOf] of [[f.prototype, "method", (self) => objects.get(self)], [f, "static", () => undefined]]) {
    for (const [key, one] of Object.entries(Object.getOwnPropertyDescriptors(place))) {
      if (key === "constructor" || (typeof one.value !== "function" && (!one.get || kind === "static"))) continue;
      if (!wrapMember(place, key, one, { module, name: name + "." + key, log, objectOf, kind })) unseen(log, "methods that cannot be replaced");
      watchMember(module, name + "." + key, place, key);
    }
  }
  const proxy = new Proxy(f, {
    construct(target, given, made) {
      if (inside.getStore()) return Reflect.construct(target, given, made);
      const object = next();
      const run = () => inside.run(true, () => Reflect.construct(target, given, made));
      const plain = made === proxy;
      if (!plain) unseen(log, "subclasses");
      const out = plain ? observed(run, { module, name, kind: "new", object }, { self: null, given, log }) : run();
      if (plain && argumentsOf(given) !== null) objects.set(out, object);
      return out;
    },
  });
  return proxy;
}

/** In the object itself, where that lets its members be replaced: others may have it already, and its values may change. */
wrapExport.module = (real, module, log) => {
  if (typeof real !== "object" && typeof real !== "function" || real === null) return real;
  const isFunction = typeof real === "function";
  const members = Object.entries(Object.getOwnPropertyDescriptors(real));
  const isOpen = Object.isExtensible(real) && members.every(([, one]) => one.configurable);
  const out = isFunction ? wrapExport(real, "", module, log) : isOpen ? real : Object.create(Object.getPrototypeOf(real));
  if (isFunction && isClass(real)) return out;
  for (const [name, one] of members) {
    if (isFunction && (typeof one.value !== "function" || name === "prototype")) continue;
    const own = one.get ? { ...one, get: () => wrapExport(one.get.call(real), name, module, log) } : { ...one, value: wrapExport(one.value, name, module, log) };
    if (out === real && own.value === one.value && !one.get) continue;
    try { Object.defineProperty(out, name, own); } catch { unseen(log, "exports that cannot be replaced"); }
  }
  for (const [name] of members) watchMember(module, name, out, name);
  return out;
};
`;

/**
 * Runs in the project's own processes, and in programs of ours, so it is plain CommonJS. It notes what tests use
 * (`wrapExport`), and repeats it (`replay`).
 */
export const JAVASCRIPT_RECORDER = `"use strict";
const { appendFileSync, existsSync, readFileSync, rmSync } = require("node:fs");
const { AsyncLocalStorage } = require("node:async_hooks");
const nodeModule = require("node:module");
const { createHash, randomBytes } = require("node:crypto");
const { tmpdir } = require("node:os");
const { isProxy } = require("node:util").types;
const { fileURLToPath, pathToFileURL } = require("node:url");
const { dirname, extname, join, relative } = require("node:path");
// What sources replace later on is not ours.
const { parse, stringify } = JSON;
${VALUES}${RUNTIME}${HIDING}${NOTING}${REPEATING}${LOADING}${TYPESCRIPT}
module.exports = { wrapExport, loaded, beginWatching, replay, load, repeatAll, names };
`;
