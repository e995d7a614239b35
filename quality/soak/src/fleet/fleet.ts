import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "@ccw-loop/store-postgres";
import { type AgentScriptInput, type GitServer, gitServer } from "@ccw-loop/testkit";
import { builtCopy } from "../../../../packages/cli/scripts/built-copy.ts";
import { cli } from "../../../../packages/cli/test/support/run-cli.ts";
import { proxyTo, type Way } from "../../../../packages/store-postgres/test/proxy.ts";
import { startPostgres } from "../../../../packages/store-postgres/test/server.ts";
import { environment } from "../../../support/environment.ts";
import { makeRepository, removeFolder, temporaryFolder } from "../../../support/folders.ts";
import { turnFor } from "../../../support/script.ts";
import { Machine, permittedNamespaces } from "./machine.ts";

/** The parts that machines share, and the machines, each with a way of its own to the database. */
export interface Fleet extends AsyncDisposable {
  /** Of the schema with the loops, past every way that can be cut. */
  url: string;
  database: Awaited<ReturnType<typeof startPostgres>>;
  git: GitServer;
  machines: { machine: Machine; way: Way; address: string }[];
  /** The launcher of the command line. */
  program: string;
  /** Makes a loop and starts it. Throws where that cannot be done. */
  start(id: string): Promise<void>;
  /** A command to the repository of the loops on the git server. */
  inRepository(...args: string[]): string;
  /** What the agents noted of their work: how often it was cut off, and who began it while somebody still worked. */
  notes(): { begun: number; ended: number; twice: string[] };
}

const SCHEMA = "soak";
/** Of the agent's work in a turn, in seconds. */
const WORK_S = 1;

const CHECK = `import { readFileSync } from "node:fs";
process.exit(readFileSync("answer", "utf8") === "42" ? 0 : 1);
`;

/** Null where this machine does not permit namespaces. */
export async function openFleet(count: number): Promise<Fleet | null> {
  const root = temporaryFolder("fleet");
  const [disk, shared, work] = ["disk", "shared", "work"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [disk, shared, work]) mkdirSync(folder);
  const namespaces = permittedNamespaces(disk);
  if (!namespaces) return null;
  writeFileSync(join(work, "answer"), "0");
  writeFileSync(join(work, "check.mjs"), CHECK);
  makeRepository(work, "Begin");
  const bare = join(root, "repositories", "shop.git");
  execFileSync("git", ["clone", "--quiet", "--bare", work, bare], { env: environment() });
  const git = await gitServer({ root: join(root, "repositories") });
  const database = await startPostgres();
  await migrate({ url: database.url, schema: SCHEMA });
  const built = join(
    import.meta.dirname,
    "../../../../packages/cli/node_modules",
    `.soak-${process.pid}`,
  );
  const program = await builtCopy(built);
  const addressOf = (port?: number) => {
    const url = new URL(database.url);
    if (port !== undefined) url.port = String(port);
    url.searchParams.set("schema", SCHEMA);
    return url.href;
  };
  const url = addressOf();
  const machines = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const machine = new Machine({ name: `machine-${n + 1}`, namespaces, disk });
      const way = await proxyTo(database.url);
      await machine.boot();
      return { machine, way, address: addressOf(way.port) };
    }),
  );
  return {
    ...{ url, database, git, machines, program },
    async start(id) {
      const script = join(shared, `${id}.json`);
      writeFileSync(script, JSON.stringify(agentScript(shared, id)));
      const repository = ["--repository", `${git.url}/shop.git`, "--ref", "main"];
      const agent = ["--agent", `scripted:${script}`, "--verify", "node check.mjs", "--auto"];
      const line = ["start", "Write the answer", "--loop-id", id, ...agent, ...repository];
      const { code, err } = await cli(root, line, { CCW_LOOP_STORE: url });
      if (code !== 0) throw new Error(`${id} was not started: ${err}`);
    },
    inRepository: (...args) =>
      execFileSync("git", args, { cwd: bare, env: environment(), encoding: "utf8" }).trim(),
    notes() {
      const noted = linesOf(join(shared, "work.log"));
      const times = (word: string) => noted.filter((line) => line === word).length;
      const twice = linesOf(join(shared, "twice.log"));
      return { begun: times("begun"), ended: times("ended"), twice };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(machines.map(({ machine }) => machine.crash()));
      for (const { way } of machines) way.close();
      await git.stop();
      await database.stop();
      for (const folder of [root, built]) removeFolder(folder);
    },
  };
}

function agentScript(shared: string, id: string): AgentScriptInput {
  const log = join(shared, "work.log");
  // Of a turn that was cut off, a process outside of every group would hold the lock for long.
  const work = `echo begun >> ${log}; setsid sleep 60 & sleep ${WORK_S}; kill $!; wait; echo ended >> ${log}`;
  const note = `echo "${id}: an agent began to work while another one worked, $(date +%s.%N)" >> ${join(shared, "twice.log")}`;
  const run = `flock -n -E 75 ${join(shared, `${id}.lock`)} sh -c '${work}' || { [ $? -ne 75 ] || ${note}; }`;
  const tasks = ["Look", "Write it down"].map((description) => ({ description }));
  return {
    turns: [
      turnFor("INIT", { message: "Planned.", state_updates: { tasks } }),
      turnFor("DEVELOP", { message: "Done." }, [
        { run },
        { write: { path: "answer", content: "42" } },
      ]),
      // Of an action that was cut off as often as one may be.
      turnFor("DEBUG", { message: "Nothing." }),
    ],
  };
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
}
