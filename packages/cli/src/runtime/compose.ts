import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import {
  type Agent,
  errorText,
  type LoopStore,
  type ProcessScope,
  type Repositories,
  type Settings,
  type Verifier,
  type Workspace,
} from "@ccw-loop/core";
import type { LocalLoops } from "@ccw-loop/orchestrator";
import type { Processes } from "@ccw-loop/processes";
import type { Telemetry } from "@ccw-loop/telemetry";
import type { Webhooks, WebhooksOptions } from "@ccw-loop/webhooks";
import { cacheFolder } from "../config/settings.ts";
import { AgentRegistry } from "../extensions/agent-registry.ts";
import { openModule } from "../extensions/load.ts";
import {
  NO_MODULES,
  type OperatorModules,
  operatorModules,
} from "../extensions/operator-modules.ts";
import { type SaidSandbox, sandboxIn } from "../extensions/sandbox-choice.ts";
import { type DatabaseChoice, openDatabase, type StoreChoice } from "../extensions/store-choice.ts";
import { version } from "../own-package.ts";
import type { Io } from "./io.ts";
import { once, oncePer } from "./once.ts";
import { loopFolder, messageFolder, processFolder } from "./project-root.ts";

/** The product, put together for one project. Each part is loaded when it is first asked for. */
export interface Parts {
  loops(): Promise<LocalLoops>;
  store(): Promise<LoopStore>;
  /** The files of a folder: of the project, or of a loop's own worktree. */
  workspace(cwd: string): Promise<Workspace>;
  /** The agent that a loop's settings name; Codex when they name none. Throws `agent_unavailable`. */
  agent(settings: Settings): Promise<Agent>;
  /** The agents that there are; null where another process has to know. */
  agents(): Promise<AgentRegistry | null>;
  /** What the operator's own configuration has loaded. */
  modules(): Promise<OperatorModules>;
  /** Where the loops are; undefined for files of the project. */
  storeChoice(): Promise<StoreChoice | undefined>;
  /** Where the state of a loop is kept, as a path or a URL; once the store is open. */
  stateFile(id: string): string;
  verifier: Verifier;
  /** What was started for the project's loops on this machine. */
  processes(): Promise<Processes>;
  /** What sends traces; null unless the environment asks for it. */
  telemetry(): Promise<Telemetry | null>;
  close(): Promise<void>;
}

export interface ComposeOptions {
  /** Told in a sentence what the store repaired or kept aside. */
  warn: (message: string) => void;
  /** Holds what receipts are sealed with; made when it is first needed. */
  keyFile: string;
  /** A key that receipts are checked with instead. */
  namedKey?: string | undefined;
  /** Where clones of repositories go; the user's own place for them by default. */
  cache?: string;
  /** What names this process in leases, before its machine and its number. */
  role?: "cli" | "worker";
  /** How long after this process died others may take its loops, in milliseconds. */
  leaseTtlMs?: number | undefined;
  /** Modules and commands of agents of this command line, with absolute paths. */
  named?: readonly string[];
  /** The operator's own configuration, for the modules that it names; a file inside of the project is refused. */
  ownFile?: string | null;
  /** What this command line or the environment says of the sandbox. */
  sandbox?: SaidSandbox | null;
  /** The database that this command line or the environment names, in the place of what the configuration does. */
  database?: DatabaseChoice | null;
  /** Loops of a store that machines share are made here and driven elsewhere, so no agent has to work here. */
  agentsElsewhere?: boolean;
  /** From which webhooks of the operator may take their secrets. */
  env?: Io["env"];
}

/**
 * The composition root: with `extensions/agent-registry.ts` the only place that names implementations.
 */
export function compose(
  root: string,
  {
    warn,
    keyFile,
    namedKey,
    cache = cacheFolder(process.env),
    role = "cli",
    leaseTtlMs,
    named = [],
    ownFile = null,
    sandbox = null,
    database = null,
    agentsElsewhere = false,
    env = {},
  }: ComposeOptions,
): Parts {
  const modules = once(async () =>
    ownFile === null ? NO_MODULES : operatorModules(ownFile, root),
  );
  let opened: LoopStore | undefined;
  const storeChoice = async () => database ?? (await modules()).store;
  const store = once(async () => {
    opened = await openStore(root, await storeChoice(), warn);
    return opened;
  });
  const workspace = oncePer(async (cwd) => {
    const { openWorkspace } = await import("@ccw-loop/workspace-git");
    return openWorkspace(cwd);
  });
  const processes = once(async () => {
    const made = await import("@ccw-loop/processes");
    const environment = ({ loop }: ProcessScope) => {
      const parent = tracing?.traceparent(loop);
      return parent === undefined ? {} : { TRACEPARENT: parent };
    };
    return made.processes({ folder: processFolder(root), environment });
  });
  const sealKey = once(async () => {
    const { readNamedKey, readOrMakeKey } = await import("../config/seal-key.ts");
    return namedKey === undefined ? readOrMakeKey(keyFile) : readNamedKey(namedKey);
  });
  // Key and token lie there.
  const hidden = [dirname(keyFile), ...(namedKey === undefined ? [] : [dirname(namedKey)])];
  const agents = once(async () => {
    const shown = ownFile ?? "~/.config/ccw-loop/config.json";
    return new AgentRegistry({ named, ownFile: shown, own: await modules(), warn });
  });
  const agent = async ({ agent: name = "codex" }: Settings) => {
    // Its folder has to be there to be hidden.
    await sealKey();
    const said = sandbox ?? (await modules()).sandbox;
    const place = {
      ...{ root, hidden, processes: await processes() },
      sandbox: said === null ? undefined : sandboxIn(said),
    };
    return (await agents()).open(name, place);
  };
  const verifier = lazyVerifier(async () => {
    const own = (await modules()).verifier;
    const place = { root, hidden, processes: await processes() };
    return own ? openModule("verifier", own, place) : openVerifier(place);
  });
  let sending: Webhooks | undefined;
  let tracing: Telemetry | undefined;
  const telemetry = once(async () => {
    if (!isCollected(env, "TRACES")) return null;
    const made = await import("@ccw-loop/telemetry");
    tracing = made.telemetry({ version: version(), say: warn });
    return tracing;
  });
  const observers = once(async () => {
    const named = (await modules()).webhooks;
    if (named.size > 0) {
      sending = await openWebhooks(named, {
        ...{ store, env, warn },
        project: basename(root),
        folder: messageFolder(root),
      });
    }
    return [sending, (await telemetry()) ?? undefined].filter((one) => one !== undefined);
  });
  const repositories = lazyRepositories(async () => {
    const { gitRepositories } = await import("@ccw-loop/workspace-git");
    return gitRepositories({ cache });
  });
  const parts = { store, workspace, agent, agents, modules, verifier };
  const loops = once(async () => {
    const { loopService } = await import("@ccw-loop/orchestrator");
    const owner = `${role}:${hostname()}:${process.pid}`;
    const endSuperseded = async (scope: ProcessScope) => (await processes()).endSuperseded(scope);
    const keepAlive = async (scope: ProcessScope, until: number | null) =>
      (await processes()).keepAlive(scope, until);
    const registry = await agents();
    const agentProblem = (name: string) => registry.problem(name);
    const commandProblem = async (command: string, cwd: string) =>
      (await import("./command-policy.ts")).commandProblem(command, cwd);
    const isElsewhere = agentsElsewhere && (await storeChoice()) !== undefined;
    const ports = {
      agentProblem,
      agentsElsewhere: isElsewhere,
      commandProblem,
      endSuperseded,
      keepAlive,
      sealKey,
    };
    const lease = leaseTtlMs === undefined ? {} : { leaseTtlMs };
    const made = { store: await store(), observers, repositories, ...ports, ...lease };
    return loopService({ ...parts, ...made, cwd: root, owner });
  });
  return {
    ...parts,
    processes,
    telemetry,
    loops,
    storeChoice,
    stateFile: (id) =>
      opened?.progressDir(id).replace(/\.progress$/, ".json") ??
      join(loopFolder(root), `${id}.json`),
    close: async () => {
      await Promise.all([sending?.close(), tracing?.close()]);
      await opened?.close();
    },
  };
}

async function openStore(
  root: string,
  choice: StoreChoice | undefined,
  warn: (message: string) => void,
): Promise<LoopStore> {
  if (choice === undefined) {
    const { fsStore } = await import("@ccw-loop/store-fs");
    return fsStore({ root, onWarning: ({ message }) => warn(message) });
  }
  if (!("database" in choice)) return openModule("store", choice, { root, warn });
  const { default: factory } = await openDatabase();
  return factory.open({ root, warn, options: choice.database });
}

/** By the standard variables; that one names a collector switches it on. */
export function isCollected(env: Io["env"], signal: "TRACES" | "METRICS"): boolean {
  const to = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isOff = env.OTEL_SDK_DISABLED === "true" || env[`OTEL_${signal}_EXPORTER`] === "none";
  return Boolean(to) && !isOff;
}

/** Leaves out those that cannot be used, and says so once: no loop is kept from being driven. */
async function openWebhooks(
  named: OperatorModules["webhooks"],
  {
    env,
    warn,
    ...place
  }: Pick<WebhooksOptions, "store" | "project" | "folder"> &
    Required<Pick<ComposeOptions, "env" | "warn">>,
): Promise<Webhooks> {
  const { openWebhook, webhooks } = await import("@ccw-loop/webhooks");
  const { systemClock } = await import("@ccw-loop/orchestrator");
  const usable = [...named].flatMap(([name, settings]) => {
    try {
      return [openWebhook(name, settings, env)];
    } catch (error) {
      warn(`${errorText(error)} No message goes to it.`);
      return [];
    }
  });
  const options = { clock: systemClock, random: Math.random, say: warn };
  return webhooks({ ...place, ...options, webhooks: usable });
}

export async function openVerifier({
  processes,
  hidden,
}: {
  processes: Processes;
  hidden: readonly string[];
}): Promise<Verifier> {
  const { verifier } = await import("@ccw-loop/verify");
  return verifier({ processes, hidden });
}

/** A verifier that is opened when tests are first looked for. */
export function lazyVerifier(open: () => Promise<Verifier>): Verifier {
  const real = once(open);
  return {
    detect: async (...args) => (await real()).detect(...args),
    verify: async (...args) => (await real()).verify(...args),
    check: async (...args) => (await real()).check(...args),
    probe: async (...args) => (await real()).probe(...args),
    missing: async (...args) => (await real()).missing(...args),
    surroundings: async (...args) => (await real()).surroundings(...args),
  };
}

/** Clones that are looked for when a loop brings a repository. */
function lazyRepositories(open: () => Promise<Repositories>): Repositories {
  const real = once(open);
  return {
    machine: hostname(),
    clone: async (...args) => (await real()).clone(...args),
    isHere: async (...args) => (await real()).isHere(...args),
    reach: async (...args) => (await real()).reach(...args),
    workspace: async (...args) => (await real()).workspace(...args),
    publish: async (...args) => (await real()).publish(...args),
  };
}
