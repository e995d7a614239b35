import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { errorText, isPlain, isTextDeeper, LoopError, systemCode } from "@ccw-loop/core";
import { readPlain } from "@ccw-loop/processes/plain-file";
import { SettingValues } from "@ccw-loop/view";
import type { z } from "zod";
import { isOperatorsOwn, ownName } from "../extensions/module-file.ts";
import type { Io } from "../runtime/io.ts";

export interface EffectiveSettings {
  values: SettingValues;
  /** Where each value comes from: `flag`, `env NAME`, the path of a file, or `default`. */
  origins: ReadonlyMap<SettingKey, string>;
  /** One sentence for every key of a configuration file that means nothing. */
  warnings: string[];
}

/** Where settings are looked for. */
export interface Place {
  env: Io["env"];
  cwd: string;
  root: string;
  /** What to say of an agent that nobody registered, as the end of a sentence. */
  agentProblem: (name: string) => string | undefined;
}

/**
 * The settings that hold: flag, else environment, else the project's file, else the user's, else the default.
 * Every value is checked, also those that another one covers. Throws `invalid_input` and names the place.
 */
export async function effectiveSettings(
  flags: Readonly<Record<string, unknown>>,
  { env, cwd, root, agentProblem }: Place,
): Promise<EffectiveSettings> {
  const ownFile = userFile(env);
  const project = await fileLayer(projectFile(root), root);
  refuseModules(project, ownFile);
  const user = await fileLayer(ownFile);
  const layers = [flagLayer(flags, cwd), envLayer(env, cwd), project, user];
  for (const layer of layers.slice(1)) refuseModulePath(layer, ownFile);
  const said = SETTING_KEYS.map((key) => [key, layerValues(key, layers)[0]] as const);
  for (const layer of layers) requireAgent(layer, agentProblem, ownFile);
  return {
    values: SettingValues.parse(
      Object.fromEntries(said.map(([key, first]) => [key, first?.value])),
    ),
    origins: new Map(said.map(([key, first]) => [key, first?.origin ?? "default"])),
    warnings: [...unknownKeys(project), ...unknownKeys(user, OWN_KEYS)],
  };
}

/** What each layer says about a key, the strongest first, all checked. */
function layerValues(
  key: SettingKey,
  layers: readonly Layer[],
): { value: unknown; origin: string }[] {
  return layers
    .filter((layer) => layer.values[key] !== undefined)
    .map((layer) => ({ value: checked(key, layer), origin: layer.origin(key) }));
}

function checked(key: SettingKey, layer: Layer): unknown {
  const parsed = SettingValues.shape[key].safeParse(layer.values[key]);
  if (parsed.success) {
    return isAgentKey(key) && parsed.data !== null
      ? absoluteAgent(String(parsed.data), layer.base)
      : parsed.data;
  }
  throw cannotBe(key, layer, parsed.error.issues[0]?.message ?? "it is wrong");
}

function cannotBe(key: SettingKey, layer: Layer, reason: string): LoopError {
  const shown = JSON.stringify(layer.values[key]);
  return new LoopError("invalid_input", `${layer.nameOf(key)} cannot be ${shown}: ${reason}.`, {
    details: { key },
  });
}

/** Settings that name an agent. */
const AGENT_KEYS = ["agent", "fallback", "review"] as const satisfies SettingKey[];

const isAgentKey = (key: SettingKey) => AGENT_KEYS.some((one) => one === key);

function requireAgent(layer: Layer, agentProblem: Place["agentProblem"], ownFile: string): void {
  for (const key of AGENT_KEYS) {
    const name = layer.values[key];
    if (typeof name !== "string") continue;
    const problem = agentProblem(absoluteAgent(name, layer.base));
    if (problem === undefined) continue;
    const more = `a module as --agent ./FILE.js, a command as --agent "acp:COMMAND", or register one under agents in ${ownFile}`;
    throw cannotBe(key, layer, `${problem}, ${more}`);
  }
}

/** What only the operator's own configuration may say. */
export const OWN_KEYS = [
  "agents",
  "store",
  "verifier",
  "allow_bash_tasks",
  "sandbox",
  "webhooks",
] as const;

/** Why a key of these is not read where agents write. */
const WHY_OWN: Readonly<Record<(typeof OWN_KEYS)[number], string>> = {
  agents: "a module has all rights that you have",
  store: "a module has all rights that you have",
  verifier: "a module has all rights that you have",
  allow_bash_tasks: "this lets clients run commands",
  sandbox: "this says where they may write",
  webhooks: "this says where messages about loops go",
};

/** Agents can write the files of a project, so no module is loaded, and no command allowed, because of one. */
function refuseModules(project: Layer, ownFile: string): void {
  const key = OWN_KEYS.find((name) => project.values[name] !== undefined);
  if (key === undefined) return;
  throw new LoopError(
    "invalid_input",
    `${project.nameOf(key)} is not allowed: agents can write that file, and ${WHY_OWN[key]}. It belongs into your own configuration: move it to ${ownFile}`,
    { details: { key } },
  );
}

/** Throws `invalid_input` where one of these may not stand in the project's file. */
export function requireForProject(values: Layer["values"], root: string, env: Io["env"]): void {
  const path = projectFile(root);
  refuseModulePath(
    { values, nameOf: (key) => `${key} in ${path}`, origin: () => path, base: root },
    userFile(env),
  );
}

/** A module or a command is named by a flag alone: there the operator typed it. */
function refuseModulePath(layer: Layer, ownFile: string): void {
  const key = AGENT_KEYS.find((one) => isOperatorsOwn(String(layer.values[one])));
  if (key === undefined) return;
  const reason = `a module or a command is named by --${key} alone; register it under agents in ${ownFile} and use that name`;
  throw cannotBe(key, layer, reason);
}

function unknownKeys(layer: Layer, more: readonly string[] = []): string[] {
  const known = SETTING_KEYS.join(", ");
  return Object.keys(layer.values)
    .filter((key) => key !== "$schema" && ![...SETTING_KEYS, ...more].some((name) => name === key))
    .map((key) => `Unknown setting ${layer.nameOf(key)}; the known ones are: ${known}.`);
}

/** A configuration file has less. */
const MAX_FILE_BYTES = 1024 * 1024;
const DEEPEST = 16;

/** What one source says: raw values by key, how each is called there, and where relative paths begin. */
export interface Layer {
  values: Readonly<Record<string, unknown>>;
  nameOf: (key: string) => string;
  origin: (key: string) => string;
  base: string;
}

export const projectFile = (root: string) => join(root, ".workflow", "ccw-loop.json");

/** What receipts are sealed with: beside the user's settings, outside of every project. */
export const userKeyFile = (env: Io["env"]) => join(dirname(userFile(env)), "receipt.key");

/** Where clones of repositories go. They can be made again, so they are no configuration. */
export function cacheFolder(env: Io["env"]): string {
  const named = env.CCW_LOOP_CACHE;
  if (named && isAbsolute(named)) return named;
  const base = env.XDG_CACHE_HOME;
  const home = env.HOME ?? env.USERPROFILE ?? homedir();
  return join(base && isAbsolute(base) ? base : join(home, ".cache"), "ccw-loop");
}

export function userFile(env: Io["env"]): string {
  const home = env.HOME ?? env.USERPROFILE ?? homedir();
  const base = env.XDG_CONFIG_HOME;
  return join(base && isAbsolute(base) ? base : join(home, ".config"), "ccw-loop", "config.json");
}

export function flagLayer(flags: Readonly<Record<string, unknown>>, cwd: string): Layer {
  return {
    values: flags,
    nameOf: (key) => `--${key.replaceAll("_", "-")}`,
    origin: () => "flag",
    base: cwd,
  };
}

export function envLayer(env: Io["env"], cwd: string): Layer {
  const name = (key: string) => `CCW_LOOP_${key.toUpperCase()}`;
  const set = SETTING_KEYS.filter((key) => (env[name(key)] ?? "") !== "");
  return {
    values: Object.fromEntries(set.map((key) => [key, env[name(key)]])),
    nameOf: name,
    origin: (key) => `env ${name(key)}`,
    base: cwd,
  };
}

/** A configuration file; one that does not exist says nothing. */
export async function fileLayer(path: string, base = dirname(path)): Promise<Layer> {
  return {
    values: await readObject(path),
    nameOf: (key) => `${key} in ${path}`,
    origin: () => path,
    base,
  };
}

/** The object in a JSON file; an empty one where there is no file. Throws `invalid_input` for what is no JSON object. */
export async function readObject(path: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    const bytes = readPlain(path, { most: MAX_FILE_BYTES, followLinks: true });
    if (bytes === null) return {};
    text = bytes.toString("utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return {};
    throw new LoopError("invalid_input", `${path} cannot be read: ${errorText(error)}.`, {
      cause: error,
    });
  }
  if (isTextDeeper(text, DEEPEST)) {
    throw new LoopError("invalid_input", `${path} is nested deeper than ${DEEPEST} levels.`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isPlain(value)) return value;
  } catch (error) {
    throw new LoopError("invalid_input", `${path} is not valid JSON: ${errorText(error)}.`, {
      cause: error,
    });
  }
  throw new LoopError("invalid_input", `${path} must hold one JSON object with settings.`);
}

/** `scripted:FILE`, the path of a module, or a command, made absolute against the place it was written. */
export function absoluteAgent(agent: string, base: string): string {
  if (isOperatorsOwn(agent)) return ownName(agent, base);
  const file = agent.startsWith("scripted:") ? agent.slice("scripted:".length) : undefined;
  return file === undefined ? agent : `scripted:${resolve(base, file)}`;
}

/** What it means that a setting has no value. */
export const UNSET: Partial<Record<keyof SettingValues, string>> = {
  fallback: "none",
  review: "none",
  model: "found out",
  verify: "found out",
  max_cost: "none",
  test_timeout: "five times the first run, at least 2m",
  min_coverage: "none",
};

export const SettingKey = SettingValues.keyof();
export type SettingKey = z.infer<typeof SettingKey>;
export const SETTING_KEYS = SettingKey.options;
