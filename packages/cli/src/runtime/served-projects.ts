import { basename } from "node:path";
import type { ServedProject } from "@ccw-loop/api/node";
import { LoopError, typedCommand } from "@ccw-loop/core";
import { sanitizeLine } from "@ccw-loop/view";
import { userKeyFile } from "../config/settings.ts";
import { compose, type Parts } from "./compose.ts";
import { type Context, folderIn } from "./context.ts";
import { requireOperator } from "./operator-origin.ts";
import { projectRoot } from "./project-root.ts";

/** One of the projects that one process serves. */
export interface ServedRoot {
  /** In URLs: the folder's name, with a number where two have the same. */
  name: string;
  root: string;
  parts: Parts;
}

/** The projects of these folders, each once; the present one when none are named. Throws `invalid_input`. */
export async function openServedProjects(
  context: Context,
  folders: readonly string[],
): Promise<ServedRoot[]> {
  if (folders.length === 0) return [{ ...uniqueName([], context.root), parts: context.parts }];
  const served: ServedRoot[] = [];
  const keyFile = userKeyFile(context.io.env);
  for (const folder of folders) {
    const root = projectRoot(folderIn(context.cwd, folder, "--project"));
    if (served.some((other) => other.root === root)) continue;
    if (served.length > 0) await requireFiles(context);
    await requireOperator(context.io.env, root, context.command);
    const project = uniqueName(served, root);
    const warn = (message: string) =>
      context.say(`ccw-loop: ${sanitizeLine(`${project.name}: ${message}`)}`);
    served.push({ ...project, parts: compose(root, { warn, keyFile, ...context.extensions }) });
  }
  return served;
}

/** A database has the same loops whichever folder one looks from. Throws `invalid_input`. */
async function requireFiles({ parts }: Context): Promise<void> {
  const choice = await parts.storeChoice();
  if (choice === undefined || !("database" in choice)) return;
  const message =
    "Several projects cannot have their loops in one place of a database. Start one server for each, with ?schema=NAME behind the address in --store.";
  throw new LoopError("invalid_input", message);
}

function uniqueName(before: readonly ServedRoot[], root: string): { name: string; root: string } {
  const plain = basename(root)
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 60);
  const base = plain === "" ? "project" : plain;
  const taken = new Set(before.map(({ name }) => name));
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base}-${n}`;
  return { name, root };
}

type ProjectInfo = Awaited<ReturnType<NonNullable<ServedProject["about"]>>>;

/** What a new loop can have in a project: the tests that are found there, and the agents. */
export async function projectInfo(
  name: string,
  { root, parts }: { root: string; parts: Parts },
  agent: () => string | null,
): Promise<ProjectInfo> {
  const plan = await parts.verifier.detect(root);
  const missing = plan ? await parts.verifier.missing(plan, root, null) : [];
  const suites = plan?.parts.map(({ report, source, ...part }) => ({
    command: typedCommand(part),
    source: source ?? plan.source,
    report: reportWords(report),
  }));
  return {
    name,
    tests: suites ?? [],
    missing: missing.map(({ message }) => message),
    agents: (await parts.agents())?.choices.map((one) => ({ ...one })) ?? [],
    agent: agent(),
  };
}

const READ_BY: Readonly<Record<string, string>> = {
  "exit-code": "the exit code alone",
  script: "the reports of the runners that it starts, else the exit code",
};

/** How the results of a suite are read. */
export function reportWords(report: string): string {
  return READ_BY[report] ?? `${report} report`;
}
