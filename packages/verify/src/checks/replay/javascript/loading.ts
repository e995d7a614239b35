/** Loads a module as an ordinary program does: by Node, or else by the project's Vite, as its bundler does. */
export const LOADING = `const bundlers = new Map();
/** What a bundler alone gives a module. */
const BUNDLED = /\\bimport\\.meta\\.(env|glob|hot)\\b/;

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

async function viteOf(root) {
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
    ...{ appType: "custom", logLevel: "silent", clearScreen: false, cacheDir: join(tmpdir(), "vite") },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true, include: [] },
  });
}
`;
