import { dirname } from "node:path";
import { isPlain, LoopError } from "@ccw-loop/core";
import type { WebhookSettings } from "@ccw-loop/webhooks";
import { z } from "zod";
import { fileLayer, OWN_KEYS } from "../config/settings.ts";
import { ACP_NAMES, type AcpCommand, atBase } from "./acp-agents.ts";
import { isInProject, moduleFile, type OperatorModule } from "./module-file.ts";
import { SANDBOX_FORM, type SaidSandbox, sandboxIn } from "./sandbox-choice.ts";
import { databaseOf, type StoreChoice } from "./store-choice.ts";

/** Everything that the operator's own configuration has loaded instead of, or beside, what is built in. */
export interface OperatorModules {
  agents: ReadonlyMap<string, OperatorModule | AcpCommand>;
  store: StoreChoice | undefined;
  verifier: OperatorModule | undefined;
  /** Whether clients of `serve` may add tasks that are commands. */
  allowBashTasks: boolean;
  /** Where agents that speak the Agent Client Protocol run; null where nothing is said. */
  sandbox: SaidSandbox | null;
  /** Where messages about loops go, by name. */
  webhooks: ReadonlyMap<string, WebhookSettings>;
}

export const NO_MODULES: OperatorModules = {
  agents: new Map(),
  store: undefined,
  verifier: undefined,
  allowBashTasks: false,
  sandbox: null,
  webhooks: new Map(),
};

const Module = z.strictObject({
  module: z.string("name a module").min(1, "name a module"),
  options: z.unknown().optional(),
});
/** A program that speaks the Agent Client Protocol. */
const Command = z.strictObject({
  command: z.array(z.string().min(1)).min(1, "name a program and its arguments"),
  like: z.enum(ACP_NAMES).optional(),
  mode: z.string().min(1).optional(),
  env: z.array(z.string().min(1)).optional(),
  limits: z
    .strictObject({
      silence_ms: z.int().positive().optional(),
      command_ms: z.int().positive().optional(),
    })
    .optional(),
  homes: z
    .array(
      z
        .string()
        .regex(/^(?:\/|(?:~|\$\w+)(?:\/|$))/, "begin with /, ~/ or the name of a variable: $NAME/"),
    )
    .optional(),
});
/** What the operator gives names to. */
const Named = z.record(
  z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, "begin with a letter; use a-z, 0-9, - and _"),
  z.unknown(),
);

const Allowed = z.boolean("use true or false");
const Text = z.string(`use ${SANDBOX_FORM}`);

/**
 * What the operator's own configuration file names. It is read there and nowhere else: agents can write the files of a
 * project, so a file inside of `root` names nothing either. Throws `invalid_input` with the file and the key.
 */
export async function operatorModules(file: string, root: string): Promise<OperatorModules> {
  const { values } = await fileLayer(file);
  const { agents = {}, store, verifier, allow_bash_tasks = false, sandbox, webhooks } = values;
  if (OWN_KEYS.every((key) => values[key] === undefined)) return NO_MODULES;
  if (isInProject(file, root)) {
    const message = `${file} lies inside of the project, where its agents may write, so it cannot name modules or webhooks, allow commands or choose a sandbox. Keep your configuration outside of it, or name an agent with: --agent ./FILE.js`;
    throw new LoopError("invalid_input", message, { details: { file } });
  }
  const agent = async (key: string, value: unknown): Promise<OperatorModule | AcpCommand> => {
    if (isPlain(value) && value.command !== undefined) {
      const { command, ...more } = checked(Command, value, key, file);
      return { command: atBase(command, dirname(file)), ...more };
    }
    const { module, options } = checked(Module, value, key, file);
    return { file: await moduleFile(module, file), options };
  };
  const named = Object.entries(checked(Named, agents, "agents", file)).map(
    async ([name, value]) => [name, await agent(`agents.${name}`, value)] as const,
  );
  const one = async (key: "store" | "verifier", value: unknown) => {
    if (value === undefined) return undefined;
    const { module, options } = checked(Module, value, key, file);
    return { file: await moduleFile(module, file), options };
  };
  return {
    agents: new Map(await Promise.all(named)),
    store: databaseOf(store, `store in ${file}`) ?? (await one("store", store)),
    verifier: await one("verifier", verifier),
    allowBashTasks: checked(Allowed, allow_bash_tasks, "allow_bash_tasks", file),
    sandbox: sandbox === undefined ? null : saidIn(file, sandbox),
    webhooks: webhooks === undefined ? new Map() : await webhooksIn(file, webhooks),
  };
}

async function webhooksIn(file: string, value: unknown): Promise<OperatorModules["webhooks"]> {
  const { WebhookSettings } = await import("@ccw-loop/webhooks");
  const named = Object.entries(checked(Named, value, "webhooks", file));
  return new Map(
    named.map(([name, one]) => [name, checked(WebhookSettings, one, `webhooks.${name}`, file)]),
  );
}

/** Throws `invalid_input` for what names no sandbox. */
function saidIn(file: string, value: unknown): SaidSandbox {
  const text = checked(Text, value, "sandbox", file);
  const said = { text, name: `sandbox in ${file}`, origin: file, base: dirname(file) };
  sandboxIn(said);
  return said;
}

function checked<T>(schema: z.ZodType<T>, value: unknown, key: string, file: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = [key, ...(issue?.path ?? [])].join(".");
  throw new LoopError("invalid_input", `${at} in ${file} is wrong: ${reasonOf(issue)}.`, {
    cause: parsed.error,
    details: { file, key: at },
  });
}

function reasonOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === "invalid_key") return issue.issues[0]?.message ?? issue.message;
  return issue?.message ?? "it is no module";
}
