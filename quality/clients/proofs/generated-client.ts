import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../tools.ts";
import type { ClientSetup, Proofs } from "./proof.ts";

const OPENAPI = join(import.meta.dirname, "../../../packages/api/openapi.json");
const PROGRAM = join(import.meta.dirname, "../generated");

/** A client that somebody else's generator made from our document, and a program that is checked against its types. */
export async function* generatedClient({ tools, url, token, settings }: ClientSetup): Proofs {
  const folder = join(tools, "generated");
  mkdirSync(folder);
  cpSync(PROGRAM, folder, { recursive: true });
  const compilerOptions = {
    ...{ strict: true, target: "es2022", module: "nodenext", types: [], outDir: "out" },
    lib: ["es2022", "dom", "dom.iterable"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const bin = (name: string) => join(tools, "node_modules", ".bin", name);
  const options = { input: OPENAPI, output: { path: "client", module: { extension: ".js" } } };
  const config = `export default ${JSON.stringify(options)};`;
  writeFileSync(join(folder, "openapi-ts.config.mjs"), config);
  run(bin("openapi-ts"), ["-f", "openapi-ts.config.mjs"], { cwd: folder });
  yield "is made from openapi.json";
  run(bin("tsc"), ["-p", "."], { cwd: folder });
  yield "compiles under tsc --strict";

  const env = { ...process.env, LOOPS: JSON.stringify({ url, token, settings }) };
  const program = join(folder, "out", "use-client.js");
  const said = run(process.execPath, [program], { cwd: folder, env });
  yield said.trim();
}
