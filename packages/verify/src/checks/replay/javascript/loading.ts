/** Loads a module as an ordinary program does: by Node, or else by the project's Vite, as its bundler does. */
export const LOADING = `let bundler;

async function imported(root, module) {
  try {
    return await import(pathToFileURL(join(root, module)).href);
  } catch (error) {
    bundler ??= viteOf(root);
    const vite = await bundler.catch(() => null);
    if (vite === null) throw error;
    return await vite.ssrLoadModule("/" + module);
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
