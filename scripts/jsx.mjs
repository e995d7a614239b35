/**
 * Lets Node run the sources that have JSX in them, as it runs other TypeScript by itself. Import it before a module that
 * loads such a file; `node --import ./scripts/jsx.mjs FILE` does it for a whole process.
 */
import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith("file:") || !url.endsWith(".tsx")) return nextLoad(url, context);
    // Loaded when it is first needed: most commands show no JSX.
    const { transformSync } = require("rolldown/utils");
    const path = fileURLToPath(url);
    const { code, errors } = transformSync(path, readFileSync(path, "utf8"), {
      jsx: { runtime: "automatic", development: false },
      sourcemap: false,
    });
    if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0].message}`);
    return { format: "module", source: code, shortCircuit: true };
  },
});
