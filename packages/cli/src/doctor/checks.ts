import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { toLoopError, typedCommand } from "@ccw-loop/core";
import { type Finding, note, ok, problem, SettingValues } from "@ccw-loop/view";
import type { Context } from "../context.ts";
import { loopFolder } from "../project-root.ts";
import type { EffectiveSettings } from "../settings/effective.ts";
import { settingsFor } from "../settings/flags.ts";
import { findLeftovers, type LeftoverReport, leftoverFindings } from "./leftovers.ts";
import { checkLoops } from "./loops.ts";

export interface DoctorReport {
  findings: Finding[];
  processes: LeftoverReport;
}

/** Everything that a loop needs here, looked at one after the other. With `reap` leftovers are ended. Never rejects. */
export async function runChecks(
  context: Context,
  { reap }: { reap: boolean },
): Promise<DoctorReport> {
  // An older one does not come so far: bin/start.js says which is needed.
  const findings: Finding[] = [ok("node", `Node ${process.versions.node}`)];
  let values = SettingValues.parse({});
  const look = async (check: string, next: string, find: () => Promise<Finding[]>) => {
    try {
      findings.push(...(await find()));
    } catch (error) {
      findings.push(problem(check, toLoopError(error).message, next));
    }
  };
  await look("settings", "Correct it; see: ccw-loop config show", async () => {
    const effective = await settingsFor(context, {});
    values = effective.values;
    return settingsFindings(effective);
  });
  await look("git", "Install git.", () => checkGit());
  await look("workspace", "Check the repository with: git status", () => checkWorkspace(context));
  await look("tests", TESTS_NEXT, () => checkTests(context, values));
  await look("agent", "Choose an agent with --agent.", () => checkAgent(context, values));
  await look("state", "Make the folder writable for you.", () => checkFolder(context));
  await look("loops", "See: ccw-loop list", async () =>
    (await nearestExisting(loopFolder(context.root))) === loopFolder(context.root)
      ? checkLoops(context)
      : [ok("loops", "No loops yet.")],
  );
  let processes: LeftoverReport = { found: [], reaped: false };
  await look("processes", "See which they are with: ps -f", async () => {
    processes = await findLeftovers(context, reap);
    return leftoverFindings(processes);
  });
  const typed = findings.map((one) => ({ ...one, next: one.next && context.hint(one.next) }));
  return { findings: typed, processes };
}

function settingsFindings({ warnings }: EffectiveSettings): Finding[] {
  if (warnings.length === 0) return [ok("settings", "All settings are understood.")];
  return warnings.map((text) => note("settings", text, "Remove or correct it."));
}

async function checkGit(): Promise<Finding[]> {
  try {
    const { stdout } = await promisify(execFile)("git", ["--version"]);
    return [ok("git", stdout.trim())];
  } catch {
    return [note("git", "git was not found; loops work without it.", "Install git.")];
  }
}

async function checkWorkspace({ parts, root }: Context): Promise<Finding[]> {
  const { kind, lacks } = await parts.workspace(root);
  return [
    ok("workspace", `${root} (${kind})`),
    ...lacks.map((text) => note("workspace", text, null)),
  ];
}

const TESTS_NEXT =
  'Name the command with --verify CMD, or accept it with --waive-tests "REASON" when there are none.';

const READ_BY: Readonly<Record<string, string>> = {
  "exit-code": "the exit code alone",
  script: "the reports of the runners that it starts, else the exit code",
};

async function checkTests({ parts, root }: Context, values: SettingValues): Promise<Finding[]> {
  const plan = await parts.verifier.detect(root, values.verify ?? undefined);
  if (!plan) return [problem("tests", "No test command was found.", TESTS_NEXT)];
  const missing = await parts.verifier.missing(plan, root, null);
  const suites = plan.parts.map(({ report, source, ...part }) => {
    const why = source ?? (values.verify === null ? plan.source : "given");
    const by = READ_BY[report] ?? `${report} report`;
    return ok("tests", `${typedCommand(part)} (${why}; ${by})`);
  });
  const lacking = missing.map(({ message, command }) =>
    note("tests", message, command === null ? null : `Run: ${command}`),
  );
  return [...suites, ...lacking];
}

async function checkAgent({ parts, root }: Context, values: SettingValues): Promise<Finding[]> {
  const agent = await parts.agent({
    agent: values.agent,
    ...(values.model === null ? {} : { model: values.model }),
  });
  const check = await agent.check(root);
  const name = `${agent.driver}${check.version === null ? "" : ` ${check.version}`}`;
  const next = "Put this right, then look again with: ccw-loop doctor";
  return [
    ...(check.ok ? [ok("agent", `${name} can work here.`)] : []),
    ...check.problems.map(({ message }) => problem("agent", message, next)),
    ...check.notes.map((text) => note("agent", text, null)),
  ];
}

async function checkFolder({ root }: Context): Promise<Finding[]> {
  const folder = loopFolder(root);
  const place = await nearestExisting(folder);
  await access(place, constants.W_OK);
  const { mode } = await stat(place);
  if (place === folder && process.platform !== "win32" && (mode & 0o022) !== 0) {
    const shown = (mode & 0o777).toString(8);
    const message = `${folder} may be written by others (mode ${shown}).`;
    return [problem("state", message, `Close it with: chmod go-w ${folder}`)];
  }
  return [ok("state", `${folder} ${place === folder ? "is writable" : "can be made"}.`)];
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch (error) {
    if (dirname(path) === path) throw error;
    return nearestExisting(dirname(path));
  }
}
