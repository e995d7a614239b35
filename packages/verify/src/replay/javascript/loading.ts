/** Loads a module as an ordinary program does: by Node, or else by the project's Vite, as its bundler does. */
export const LOADING = `const bundlers = new Map();
/** What a bundler alone gives a module. */
const BUNDLED = /\\bimport\\.meta\\.(env|glob|hot)\\b/;

/** A program that has been running for a while is most often a server. */
const listening = () => new Promise((go) => {
  const server = require("node:net").createServer().on("error", () => go(null)).listen(0, () => go(server));
});

async function imported(root, module) {
  const file = join(root, module);
  const byNode = () => import(pathToFileURL(file).href);
  const home = bundlerHome(root, file);
  const vite = () => {
    if (!bundlers.has(home)) bundlers.set(home, viteOf(home).catch(() => null));
    return bundlers.get(home);
  };
  const byVite = async () => (await vite()).ssrLoadModule("/" + relative(home, file));
  if (BUNDLED.test(readFileSync(file, "utf8")) && (await vite())) return byVite();
  try {
    return await byNode();
  } catch (error) {
    if (!(await vite())) throw error;
    return byVite();
  }
}

/** The nearest folder around the module that configures Vite, else the root. */
function bundlerHome(root, file) {
  const names = ["vitest", "vite"].flatMap((tool) => ENDINGS_OF_CONFIG.map((ending) => tool + ".config." + ending));
  for (let folder = dirname(file); folder.startsWith(root); folder = dirname(folder)) {
    if (names.some((name) => existsSync(join(folder, name)))) return folder;
  }
  return root;
}

const ENDINGS_OF_CONFIG = ["ts", "mts", "js", "mjs"];

async function viteOf(root, plugins = []) {
  const from = (folder) => nodeModule.createRequire(join(folder, "package.json"));
  const found = [() => from(root), () => from(dirname(from(root).resolve("vitest/package.json")))]
    .map((require) => { try { return require().resolve("vite/package.json"); } catch { return null; } })
    .find((place) => place !== null);
  if (found === undefined) return null;
  const { createServer } = await import(pathToFileURL(join(dirname(found), "dist/node/index.js")).href);
  const own = ENDINGS_OF_CONFIG.map((ending) => join(root, "vitest.config." + ending)).find((place) => existsSync(place));
  return createServer({
    root,
    ...(own ? { configFile: own } : {}),
    ...{ plugins, appType: "custom", logLevel: "silent", clearScreen: false, cacheDir: join(tmpdir(), "vite") },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true, include: [] },
  });
}
`;

/** How TypeScript is found and compiled, for whichever thread asks. */
const TYPED_MODULES = String.raw`const TYPED = /\.([cm]?ts|tsx)$/;
const ENDINGS = [[/\.js$/, [".ts", ".tsx"]], [/\.jsx$/, [".tsx"]], [/\.mjs$/, [".mts"]], [/\.cjs$/, [".cts"]], [/$/, [".ts", ".tsx", ".js", "/index.ts", "/index.js"]]];

/** The file that a module in TypeScript means, where Node finds none. */
function typedFile(specifier, { parentURL = "" }, root) {
  const parent = parentURL.startsWith("file:") ? fileURLToPath(parentURL) : "";
  if (!TYPED.test(parent) || parent.includes("/node_modules/")) return;
  const found = /^\.\.?(\/|$)/.test(specifier) ? neighbour(join(dirname(parent), specifier)) : compilerFor(parent, root).resolve?.(specifier, parent);
  return found && { url: pathToFileURL(found).href, shortCircuit: true };
}

/** What is to be loaded in the place of a file in TypeScript. */
function typedSource(url, root) {
  const file = url.startsWith("file:") ? fileURLToPath(url) : "";
  if (!TYPED.test(file) || file.includes("/node_modules/")) return;
  return compilerFor(file, root)(readFileSync(file, "utf8"), file, isModule(file) ? "module" : "commonjs");
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

const compilers = new Map();

/** Each package of a repository may have its own. */
function compilerFor(file, root) {
  let home = dirname(file);
  while (home !== root && home !== dirname(home) && !existsSync(join(home, "package.json"))) home = dirname(home);
  if (!compilers.has(home)) compilers.set(home, compiler(home));
  return compilers.get(home);
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
  return (text, file, format) => {
    const module = format === "module" || /^\s*(import|export)\b/m.test(text);
    return { format: module ? "module" : "commonjs", source: nodeModule.stripTypeScriptTypes(text, { mode: "transform" }), shortCircuit: true };
  };
}
`;

/** The same for Node before 22.15, whose hooks are modules of another thread. */
const HOOKS = `import { existsSync, readFileSync } from "node:fs";
import nodeModule from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
${TYPED_MODULES}
let root;
export const initialize = (where) => { root = where; };
export const resolve = (specifier, context, next) => next(specifier, context).catch((error) => {
  const found = typedFile(specifier, context, root);
  if (!found) throw error;
  return found;
});
export const load = async (url, context, next) => typedSource(url, root) ?? next(url, context);
`;

/** Loads TypeScript by what there is: the project's own compiler, else Node's. */
export const TYPESCRIPT = `${TYPED_MODULES}
/** Lets this process import TypeScript as it lies there, as build tools do: also under the names of what is built from it. */
function loadTypeScript(root) {
  if (!nodeModule.registerHooks) {
    nodeModule.register?.("data:text/javascript," + encodeURIComponent(${JSON.stringify(HOOKS)}), { data: root });
    return;
  }
  nodeModule.registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        const found = typedFile(specifier, context, root);
        if (!found) throw error;
        return found;
      }
    },
    load: (url, context, next) => typedSource(url, root) ?? next(url, context),
  });
}
`;
