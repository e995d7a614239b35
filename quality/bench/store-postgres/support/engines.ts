import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { environment } from "../../../support/environment.ts";
import { npmInstall } from "../../../support/npm-install.ts";

const ENGINES = [
  { name: "DBOS", program: "dbos.mjs", packages: ["@dbos-inc/dbos-sdk"] },
  {
    name: "LangGraph.js",
    program: "langgraph.mjs",
    packages: ["@langchain/langgraph", "@langchain/langgraph-checkpoint-postgres"],
  },
];
const MS = 3000;

/** Another program that keeps durable steps in PostgreSQL. */
export interface Engine {
  name: string;
  versions: string;
  /** Steps a second of so many loops of twenty steps each (of one without an end), on its tables of the server at `url`. */
  rate: (at: { url: string; loops: number; document: string }) => number;
}

/** Those that can be installed from the registry into the folder. */
export function installEngines(folder: string): Engine[] {
  return ENGINES.flatMap(({ name, program, packages }) => {
    const cwd = join(folder, program);
    const installed = npmInstall(cwd, packages);
    if (installed === "failed") return [];
    const rate: Engine["rate"] = ({ url, loops, document }) => {
      const args = [cwd, url, `${loops}`, `${MS}`, document];
      const printed = execFileSync(
        process.execPath,
        [join(import.meta.dirname, program), ...args],
        {
          ...{ cwd, env: environment(), encoding: "utf8", timeout: 60_000 },
          stdio: ["ignore", "pipe", "ignore"],
        },
      );
      return Number(printed.trim().split("\n").at(-1));
    };
    return [{ name, versions: installed.versions, rate }];
  });
}
