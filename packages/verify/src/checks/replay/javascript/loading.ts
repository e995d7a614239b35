/** Loads a module as an ordinary program does: by Node, or else by the project's Vite, as its bundler does. */
export const LOADING = `let bundler;
/** What a bundler alone gives a module. */
const BUNDLED = /\\bimport\\.meta\\.(env|glob|hot)\\b/;

async function imported(root, module) {
  const byNode = () => import(pathToFileURL(join(root, module)).href);
  const vite = () => (bundler ??= viteOf(root).catch(() => null));
  if (BUNDLED.test(readFileSync(join(root, module), "utf8")) && (await vite())) return (await vite()).ssrLoadModule("/" + module);
  try {
    return await byNode();
  } catch (error) {
    if (!(await vite())) throw error;
    return (await vite()).ssrLoadModule("/" + module);
  }
}

async function viteOf(root) {
  const from = (folder) => nodeModule.createRequire(join(folder, "package.json"));
  const found = [() => from(root), () => from(dirname(from(root).resolve("vitest/package.json")))]
    .map((require) => { try { return require().resolve("vite/package.json"); } catch { return null; } })
    .find((place) => place !== null);
  if (found === undefined) return null;
  const { createServer } = await import(pathToFileURL(join(dirname(found), "dist/node/index.js")).href);
  const own = ["ts", "mts", "js", "mjs"].map((ending) => join(root, "vitest.config." + ending)).find((place) => existsSync(place));
  return createServer({
    root,
    ...(own ? { configFile: own } : {}),
    ...{ appType: "custom", logLevel: "silent", clearScreen: false, cacheDir: join(tmpdir(), "vite") },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true, include: [] },
  });
}
`;
