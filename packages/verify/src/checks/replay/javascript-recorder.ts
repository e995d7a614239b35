import { AHEAD_MS } from "./clock.ts";

/**
 * Runs in the project's own processes, and in programs of ours without a project, so it is plain CommonJS. It notes calls
 * (`noted`), repeats them (`replay`), and loads TypeScript by what there is: the project's own compiler, else Node's.
 */
export const JAVASCRIPT_RECORDER = String.raw`"use strict";
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs");
const { AsyncLocalStorage } = require("node:async_hooks");
const nodeModule = require("node:module");
const { randomBytes } = require("node:crypto");
const { fileURLToPath, pathToFileURL } = require("node:url");
const { dirname, extname, join } = require("node:path");

const MOST = 4096;
const DEEPEST = 8;
const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
const isPromise = (value) => tagOf(value) === "Promise";
const isPlainObject = (value) => {
  const shape = Object.getPrototypeOf(value);
  return shape === null || Object.getPrototypeOf(shape) === null;
};

/** Arguments as JSON, with what JSON does not know in lists that begin with a mark; throws for what cannot be made again. */
const MARK = "\u0000";
const SPECIAL = { undefined: () => undefined, number: Number, bigint: BigInt, Date: (text) => new Date(text) };
function packed(value, depth = 0) {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (value === undefined) return [MARK, "undefined"];
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? value : [MARK, "number", Object.is(value, -0) ? "-0" : String(value)];
  if (typeof value === "bigint") return [MARK, "bigint", String(value)];
  if (typeof value !== "object" || depth > DEEPEST) throw new TypeError("not plain");
  if (objects.has(value)) return [MARK, "object", objects.get(value)];
  if (tagOf(value) === "Date") return [MARK, "Date", value.toISOString()];
  if (Array.isArray(value)) return Array.from(value, (one) => packed(one, depth + 1));
  if (!isPlainObject(value)) throw new TypeError("not plain");
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, packed(one, depth + 1)]));
}
function unpacked(value, made) {
  if (value === null || typeof value !== "object") return value;
  if (!Array.isArray(value)) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unpacked(one, made)]));
  if (value[0] !== MARK) return value.map((one) => unpacked(one, made));
  return value[1] === "object" ? made.get(value[2]) : SPECIAL[value[1]](value[2]);
}
const argumentsOf = (given) => {
  try {
    const text = JSON.stringify(packed(Array.from(given)));
    return text.length < MOST ? text : null;
  } catch {
    return null;
  }
};

/** A result as text that is equal for equal values. */
function shape(value, depth = 0, above = []) {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "function";
  if (value === null || typeof value !== "object") return Object.is(value, -0) ? "-0" : String(value);
  if (above.includes(value) || depth > DEEPEST) return "...";
  const below = [...above, value];
  const of = (one) => shape(one, depth + 1, below);
  const tag = tagOf(value);
  if (tag === "Date") return "Date " + value.getTime();
  if (tag === "RegExp") return String(value);
  if (tag === "Map") return "Map {" + [...value].map(([key, one]) => of(key) + " => " + of(one)).join(", ") + "}";
  if (tag === "Set") return "Set {" + [...value].map(of).join(", ") + "}";
  if (Array.isArray(value) || ArrayBuffer.isView(value) && tag !== "DataView") return "[" + Array.from(value, of).join(", ") + "]";
  const name = tag === "Error" ? value.name + " " + JSON.stringify(value.message) + " " : isPlainObject(value) ? "" : (value.constructor && value.constructor.name || "") + " ";
  return name + "{" + Object.keys(value).map((key) => JSON.stringify(key) + ": " + of(value[key])).join(", ") + "}";
}
const told = (value) => {
  try {
    const text = shape(value);
    return text.length < MOST ? text : null;
  } catch {
    return null;
  }
};
const thrown = (error) => "threw " + String(error && error.name) + ": " + String(error && error.message).slice(0, 500);

const own = randomBytes(5).toString("hex");
let last = 0;
const next = () => own + "-" + (last += 1);
const objects = new WeakMap();
const proxies = new WeakMap();
const inside = new AsyncLocalStorage();

/** Calls, writes down with what, and what came of it. */
function observed(run, about, given, log) {
  const args = argumentsOf(given);
  if (args === null) return run();
  const write = (line) => { try { appendFileSync(log, JSON.stringify(line) + "\n"); } catch {} };
  let out;
  try {
    out = run();
  } catch (error) {
    write({ ...about, args, gave: thrown(error) });
    throw error;
  }
  if (!isPromise(out)) {
    write({ ...about, args, gave: about.kind === "new" ? null : told(out) });
    return out;
  }
  const later = next();
  write({ ...about, args, later });
  Promise.prototype.then.call(out, (value) => write({ later, gave: told(value) }), (error) => write({ later, gave: thrown(error) }));
  return out;
}

const isClass = (f) => /^class\b/.test(Function.prototype.toString.call(f));

function noted(f, name, module, log) {
  if (typeof f !== "function") return f;
  if (!proxies.has(f)) proxies.set(f, isClass(f) ? notedClass(f, name, module, log) : notedFunction(f, name, module, log));
  return proxies.get(f);
}

function notedFunction(f, name, module, log) {
  return new Proxy(f, {
    apply: (target, self, given) =>
      observed(() => Reflect.apply(target, self, given), { module, name, kind: "function" }, given, log),
  });
}

/** Methods are replaced where they are, so that private fields and subclasses stay what they are. */
function notedClass(f, name, module, log) {
  for (const [place, kind] of [[f.prototype, "method"], [f, "static"]]) {
    for (const [key, { value, writable, configurable }] of Object.entries(Object.getOwnPropertyDescriptors(place))) {
      if (typeof value !== "function" || key === "constructor" || !writable || !configurable || isClass(value)) continue;
      const replaced = new Proxy(value, {
        apply(target, self, given) {
          const run = () => inside.run(true, () => Reflect.apply(target, self, given));
          const object = kind === "method" ? objects.get(self) : undefined;
          if (inside.getStore() || (kind === "method" && object === undefined)) return Reflect.apply(target, self, given);
          return observed(run, { module, name: name + "." + key, kind, object }, given, log);
        },
      });
      Object.defineProperty(place, key, { value: replaced });
    }
  }
  const proxy = new Proxy(f, {
    construct(target, given, made) {
      if (inside.getStore()) return Reflect.construct(target, given, made);
      const object = next();
      const run = () => inside.run(true, () => Reflect.construct(target, given, made));
      const plain = made === proxy;
      const out = plain ? observed(run, { module, name, kind: "new", object }, given, log) : run();
      if (plain && argumentsOf(given) !== null) objects.set(out, object);
      return out;
    },
  });
  return proxy;
}

noted.module = (real, module, log) => {
  if (typeof real === "function") {
    const proxy = noted(real, "", module, log);
    for (const [key, value] of Object.entries(real)) {
      if (typeof value === "function" && !isClass(real)) { try { real[key] = noted(value, key, module, log); } catch {} }
    }
    return proxy;
  }
  if (typeof real !== "object" || real === null) return real;
  const copy = Object.create(Object.getPrototypeOf(real), Object.getOwnPropertyDescriptors(real));
  for (const [name, value] of Object.entries(real)) {
    try { copy[name] = noted(value, name, module, log); } catch {}
  }
  return copy;
};

/** What an ordinary program has no right to be blamed for: it is no browser. */
const BROWSER = /^threw ReferenceError: (window|document|navigator|location|localStorage|sessionStorage|HTML\w*|DOMParser|customElements) is not defined/;

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
  for (const { module, name, kind, object, args } of calls) {
    let result = null;
    const all = await load(module).catch(() => null);
    const given = all === null ? null : unpacked(JSON.parse(args), made);
    const [first, second] = name.split(".");
    const top = all === null ? undefined : first === "" ? (all.default ?? all) : (all[first] ?? all.default?.[first]);
    if (typeof top === "function") {
      try {
        if (kind === "new") made.set(object, new top(...given));
        else if (kind === "method") result = made.has(object) ? told(await made.get(object)[second](...given)) : null;
        else result = told(await (kind === "static" ? top[second](...given) : top(...given)));
      } catch (error) {
        result = thrown(error);
      }
    }
    results.push(result !== null && BROWSER.test(result) ? null : result);
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

const TYPED = /\.([cm]?ts|tsx)$/;
const ENDINGS = [[/\.js$/, [".ts", ".tsx"]], [/\.jsx$/, [".tsx"]], [/\.mjs$/, [".mts"]], [/\.cjs$/, [".cts"]], [/$/, [".ts", ".tsx", ".js", "/index.ts", "/index.js"]]];

/** Lets this process import TypeScript as it lies there, as build tools do: also under the names of what is built from it. */
function loadTypeScript(root) {
  if (typeof nodeModule.registerHooks !== "function") return;
  const compile = compiler(root);
  nodeModule.registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        const parent = context.parentURL && context.parentURL.startsWith("file:") ? fileURLToPath(context.parentURL) : null;
        if (parent === null || !TYPED.test(parent) || parent.includes("/node_modules/")) throw error;
        const found = /^\.\.?(\/|$)/.test(specifier) ? neighbour(join(dirname(parent), specifier)) : compile.resolve?.(specifier, parent);
        if (!found) throw error;
        return { url: pathToFileURL(found).href, shortCircuit: true };
      }
    },
    load(url, context, nextLoad) {
      const file = url.startsWith("file:") ? fileURLToPath(url) : "";
      if (!TYPED.test(file) || file.includes("/node_modules/")) return nextLoad(url, context);
      const text = readFileSync(file, "utf8");
      const format = isModule(file) ? "module" : "commonjs";
      return compile(text, file, format, () => nextLoad(url, context));
    },
  });
}

function neighbour(path) {
  for (const [pattern, endings] of ENDINGS) {
    if (!pattern.test(path)) continue;
    const found = endings.map((ending) => path.replace(pattern, ending)).find((one) => existsSync(one));
    if (found) return found;
  }
}

function isModule(file) {
  if (/\.[cm]ts$/.test(file)) return file.endsWith(".mts");
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const place = join(folder, "package.json");
    if (existsSync(place)) return JSON.parse(readFileSync(place, "utf8")).type === "module";
    if (folder === dirname(folder)) return false;
  }
}

/** The project's typescript, else its esbuild, else what Node itself can do. */
function compiler(root) {
  const require = nodeModule.createRequire(join(root, "package.json"));
  const found = (name) => { try { return require(name); } catch { return null; } };
  const ts = found("typescript");
  if (ts && ts.transpileModule) {
    const config = ts.findConfigFile(root, ts.sys.fileExists);
    const read = config ? ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config ?? {}, ts.sys, dirname(config)).options : {};
    const compile = (text, file, format) => {
      const module = format === "module" ? ts.ModuleKind.ESNext : ts.ModuleKind.CommonJS;
      const compilerOptions = { ...read, module, moduleResolution: undefined, verbatimModuleSyntax: false, target: ts.ScriptTarget.ES2022, sourceMap: false, inlineSourceMap: false, declaration: false, jsx: read.jsx === ts.JsxEmit.Preserve ? ts.JsxEmit.ReactJSX : read.jsx };
      return { format, source: ts.transpileModule(text, { compilerOptions, fileName: file }).outputText, shortCircuit: true };
    };
    compile.resolve = (specifier, parent) => {
      const place = ts.resolveModuleName(specifier, parent, { ...read, moduleResolution: ts.ModuleResolutionKind.Bundler, module: ts.ModuleKind.ESNext }, ts.sys).resolvedModule;
      return place && !place.isExternalLibraryImport ? place.resolvedFileName : undefined;
    };
    return compile;
  }
  const esbuild = found("esbuild");
  if (esbuild) {
    return (text, file, format) => ({
      format,
      source: esbuild.transformSync(text, { loader: extname(file) === ".tsx" ? "tsx" : "ts", format: format === "module" ? "esm" : "cjs", sourcefile: file }).code,
      shortCircuit: true,
    });
  }
  return (text, file, format, byNode) => {
    if (typeof nodeModule.stripTypeScriptTypes !== "function") return byNode();
    const module = format === "module" || /^\s*(import|export)\b/m.test(text);
    return { format: module ? "module" : "commonjs", source: nodeModule.stripTypeScriptTypes(text, { mode: "transform" }), shortCircuit: true };
  };
}

module.exports = { noted, replay, names };
`;
