/**
 * Modules that judge, and words of a runner, which belong to tests alone: sources of the same process find neither among their
 * globals nor in the cache of modules. \`root\`, \`sources\` and \`WORDS\` are the dialect's.
 */
export const OWN_MODULES = String.raw`
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, relative } from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const require = nodeModule.createRequire(import.meta.url);
const OURS = import.meta.filename;
let about = {};
/** What tests may use, by its names. */
export const WORDS = {};
/** The global object of modules that judge: what they put there nobody else finds. */
const globals = {};
export const hidden = new Proxy(globals, {
  get: (own, key) => (key in own ? own[key] : globalThis[key]),
  has: (own, key) => key in own || key in globalThis,
});

/** Modules of CommonJS that nobody else gets; what is no CommonJS is loaded as usual. */
const privates = new Map();
export function privately(file, global = globalThis) {
  if (privates.has(file)) return privates.get(file).exports;
  if (nodeModule.isBuiltin(file) || file.endsWith(".node")) return require(file);
  const module = { exports: {}, id: file, filename: file, loaded: false, children: [], paths: [] };
  privates.set(file, module);
  const text = readFileSync(file, "utf8");
  if (file.endsWith(".json")) module.exports = JSON.parse(text);
  else if (isEsm(file)) module.exports = require(file);
  else {
    const from = nodeModule.createRequire(file);
    const own = Object.assign((name) => (nodeModule.isBuiltin(name) ? builtIn(name, global) : privately(from.resolve(name), global)), { resolve: from.resolve, cache: {} });
    const names = ["exports", "require", "module", "__filename", "__dirname", "globalThis", "global", "process"];
    const importModuleDynamically = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    vm.compileFunction(text.replace(/^#!/, "//"), names, { filename: file, importModuleDynamically }).call(module.exports, module.exports, own, module, file, dirname(file), global, global, builtIn("process", global));
  }
  module.loaded = true;
  return module.exports;
}
/** What a module with a global object of its own puts in the place of Node's functions nobody else gets. */
const copies = new Map();
function builtIn(name, global) {
  const real = require(name);
  if (global !== hidden || typeof real !== "object") return real;
  if (!copies.has(real)) copies.set(real, Object.create(Object.getPrototypeOf(real), Object.getOwnPropertyDescriptors(real)));
  return copies.get(real);
}
const isEsm = (file) => file.endsWith(".mjs") || (!file.endsWith(".cjs") && packageOf(file).type === "module");
function packageOf(file) {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  }
  return {};
}

const nameOfPackage = (name) => /^(@[^/]+\/)?[^/.][^/]*/.exec(name)?.[0] ?? "";
/** Where the runner of the project is. */
let ownUrl = "";
const MARK = "?" + randomBytes(5).toString("hex");
const isOwn = (url) => url.endsWith(MARK);
const pathOf = (url = "") => (url.startsWith("file:") ? relative(about.root, fileURLToPath(url)).replaceAll("\\", "/") : "..");
/** Files of the project but its changed sources. */
const isTestSide = (url) => {
  const path = pathOf(url);
  return !path.startsWith("..") && !path.includes("node_modules/") && !about.sources.includes(path);
};

/** A file that its own modules name without its ending, as compilers let them. */
function foundAs(name, context, next) {
  try {
    return next(name, context);
  } catch (error) {
    const parent = pathOf(context.parentURL);
    const isOurs = /^\.\.?(\/|$)/.test(name) && !parent.startsWith("..") && !parent.includes("node_modules/");
    const file = isOurs ? neighbour(join(dirname(fileURLToPath(context.parentURL)), name)) : undefined;
    if (file === undefined) throw error;
    return { url: pathToFileURL(file).href, shortCircuit: true };
  }
}

/** What the modules of this process get that are loaded from here on. */
function hookModules() {
  nodeModule.registerHooks({
    resolve(name, context, next) {
      const { parentURL = "" } = context;
      if (name === import.meta.url) return { url: name, format: "module", shortCircuit: true };
      if (isOwn(parentURL) && !nodeModule.isBuiltin(name)) {
        const found = next(name, { ...context, parentURL: parentURL.slice(0, -MARK.length) });
        return { ...found, url: found.url.startsWith("file:") && !isOwn(found.url) ? found.url + MARK : found.url };
      }
      if (parentURL === import.meta.url && name === about.own) {
        const found = next(name, { ...context, parentURL: pathToFileURL(join(about.root, about.path)).href });
        ownUrl = found.url;
        return { ...found, url: found.url + MARK };
      }
      if (ownUrl !== "" && name === ownUrl) return next(import.meta.url, context);
      if (about.stands.includes(name) && !about.sources.includes(pathOf(parentURL))) return { url: import.meta.url, format: "module", shortCircuit: true };
      const found = foundAs(name, context, next);
      const isJudge = about.judges.includes(nameOfPackage(name)) && isTestSide(parentURL);
      return isJudge && found.url.startsWith("file:") ? { ...found, url: found.url + MARK } : found;
    },
    load(url, context, next) {
      if (isOwn(url)) return ownModule(url.slice(0, -MARK.length), context, next);
      const found = next(url, context);
      about.onLoad?.(url, found);
      return isTestSide(url) ? withWords(found, fileURLToPath(url)) : found;
    },
  });
}

function ownModule(url, context, next) {
  const file = fileURLToPath(url);
  if (isEsm(file)) {
    const found = next(url, context);
    return { ...found, source: "import { hidden as globalThis } from " + JSON.stringify(import.meta.url) + ";" + String(found.source) };
  }
  const value = privately(file);
  const names = Object.keys(value ?? {}).filter((key) => /^[A-Za-z_$][\w$]*$/.test(key) && key !== "default");
  const source = [
    "import { privately } from " + JSON.stringify(import.meta.url) + ";",
    "const value = privately(" + JSON.stringify(file) + ");",
    "export default value;",
    ...names.map((key, n) => "const v" + n + " = value[" + JSON.stringify(key) + "]; export { v" + n + " as " + key + " };"),
  ];
  return { format: "module", source: source.join("\n"), shortCircuit: true };
}

/** Globals of a runner, as words of its tests' modules. */
function withWords(found, file, from = import.meta.url) {
  const text = String(found.source ?? readFileSync(file, "utf8"));
  const words = about.words.filter((word) => new RegExp("(?<![.\\w$])" + word + "\\b").test(text));
  const isModule = /^module/.test(found.format ?? "") || (!found.format && /^\s*(import|export)\b/m.test(text));
  if (isModule) {
    const free = words.filter((word) => !new RegExp("\\b(import|const|let|var|function|class)\\b[^;=()\"']*\\b" + word + "\\b").test(text));
    if (free.length === 0) return found;
    const [, bang = "", rest] = /^(#!.*\n)?([^]*)$/.exec(text);
    return { ...found, source: bang + "import { WORDS as " + token + " } from " + JSON.stringify(from) + "; const { " + free.join(", ") + " } = " + token + ";" + rest };
  }
  if (!/^commonjs/.test(found.format ?? "commonjs") || (words.length === 0 && !about.judges.some((name) => text.includes(name)))) return found;
  const inner = "(function () { " + text.replace(/^#!/, "//") + "\n}).call(this);";
  return { ...found, source: "(function ({ " + words.join(", ") + " }, require) { " + inner + " }).call(this, ...require(" + JSON.stringify(OURS) + ").given(require));" };
}

/** What a module of CommonJS is given: words, and a \`require\` that finds modules that judge. */
export const given = (from) => [WORDS, Object.assign((name) => {
  if (nodeModule.isBuiltin(name) || !about.judges.includes(nameOfPackage(name))) return from(name);
  return privately(from.resolve(name));
}, from)];

/** Modules that judge and are none of CommonJS, for those that require them. */
async function importJudges() {
  const from = nodeModule.createRequire(join(about.root, "package.json"));
  for (const name of about.judges) {
    try {
      const file = from.resolve(name);
      if (!isEsm(file)) continue;
      const exports = await import(pathToFileURL(file).href + MARK);
      privates.set(file, { exports: "module.exports" in exports ? exports["module.exports"] : exports });
    } catch {}
  }
}

/** What never ends may need its runner. */
async function inTime(promise) {
  let timer;
  const late = new Promise((_, fail) => { timer = setTimeout(() => fail(new Missing("its end")), 20_000); });
  try { return await Promise.race([promise, late]); } finally { clearTimeout(timer); }
}

/** Loads tests, runs them and ends; nothing where the project wants what is not here. */
async function asProgram(given, { prepare, load }) {
  ({ token } = given);
  about = { stands: [], words: Object.keys(WORDS), ...given };
  root.children = [];
  let word = "end";
  try {
    if (given.without !== undefined) missing(given.without);
    loadTypeScript(about.root);
    hookModules();
    takeTests(about.root);
    const path = join(about.root, about.path);
    if (/@(vitest|jest)-environment\s+(?!node\b)\w/.test(taken.get(path) ?? readFileSync(path, "utf8"))) missing("another environment");
    await importJudges();
    await prepare().catch((error) => missing(error));
    await load();
    await runSuite(root).catch(() => {});
  } catch (error) {
    if (!(error instanceof Missing)) word = "unbuilt";
    console.error(error);
  }
  print(word);
  process.exit();
}
`;
