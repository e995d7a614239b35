import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import {
  type Agent,
  type AgentFactory,
  errorText,
  LoopError,
  type LoopStore,
  type StoreFactory,
  type Verifier,
  type VerifierFactory,
} from "@ccw-loop/core";
import type { Processes } from "@ccw-loop/processes";
import type { OperatorModule } from "./module-file.ts";

/** What a module can bring, by the setting that names it. */
interface Kinds {
  agent: { factory: AgentFactory<Processes>; made: Agent };
  store: { factory: StoreFactory; made: LoopStore };
  verifier: { factory: VerifierFactory<Processes>; made: Verifier };
}
export type Kind = keyof Kinds;

/** As every kind has it; what its `open` takes and makes is in `Kinds`. */
interface Factory {
  describe: string;
  open(place: object): unknown;
}

const AGENT = { check: true, open: true } satisfies Partial<Record<keyof Agent, true>>;
const STORE: Record<Exclude<keyof LoopStore, "figures">, true> = {
  ...{
    create: true,
    read: true,
    restore: true,
    append: true,
    operation: true,
    list: true,
    events: true,
  },
  ...{ watch: true, claim: true, renew: true, release: true, ownerOf: true, leaseOf: true },
  ...{ remove: true, appendLog: true, readLog: true, progressDir: true, recover: true },
  close: true,
};
const VERIFIER: Record<keyof Verifier, true> = {
  ...{ detect: true, verify: true, check: true, probe: true, missing: true },
  surroundings: true,
};
const METHODS = { agent: AGENT, store: STORE, verifier: VERIFIER };

/**
 * Loads a module that the operator named, and answers with its default export. Never call it with a path from anywhere
 * else: what is loaded may do all that the operator may (ADR 24). Throws `agent_misconfigured`, of what is no agent
 * `invalid_input`.
 */
export async function loadFactory(kind: Kind, file: string): Promise<Factory> {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw broken(kind, file, "is no file");
  }
  let module: { default?: unknown };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw broken(kind, file, `cannot be loaded: ${errorText(error)}`, error);
  }
  const factory = module.default;
  if (!isObject(factory)) {
    throw broken(kind, file, `has no default export with describe and open (${TYPES[kind]})`);
  }
  const lacks = [
    ...(typeof factory.describe === "string" && factory.describe.trim() !== ""
      ? []
      : ["describe (a text)"]),
    ...(typeof factory.open === "function" ? [] : ["open (a function)"]),
  ];
  if (lacks.length > 0) {
    throw broken(kind, file, `has a default export without ${lacks.join(" and ")}`);
  }
  return factory as unknown as Factory;
}

/** Loads a module, calls its factory, and looks whether all is there that the port promises. */
export async function openModule<K extends Kind>(
  kind: K,
  { file, options }: OperatorModule,
  place: Omit<Parameters<Kinds[K]["factory"]["open"]>[0], "options">,
): Promise<Kinds[K]["made"]> {
  const factory = await loadFactory(kind, file);
  let made: unknown;
  try {
    made = await factory.open({ ...place, options });
  } catch (error) {
    if (error instanceof LoopError) throw error;
    throw broken(kind, file, `failed to open: ${errorText(error)}`, error);
  }
  const lacks = isObject(made)
    ? Object.keys(METHODS[kind]).filter((name) => typeof made[name] !== "function")
    : Object.keys(METHODS[kind]);
  if (kind === "agent" && !(isObject(made) && typeof made.driver === "string")) {
    lacks.unshift("driver");
  }
  if (lacks.length > 0) throw broken(kind, file, `opens without: ${lacks.join(", ")}`);
  return made as Kinds[K]["made"];
}

const TYPES: Readonly<Record<Kind, string>> = {
  agent: "AgentFactory",
  store: "StoreFactory",
  verifier: "VerifierFactory",
};

function broken(kind: Kind, file: string, what: string, cause?: unknown): LoopError {
  const code = kind === "agent" ? "agent_misconfigured" : "invalid_input";
  const message = `The ${kind} module ${file} ${what.replace(/\.$/, "")}. Correct it and try again.`;
  return new LoopError(code, message, { cause, details: { module: file } });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
