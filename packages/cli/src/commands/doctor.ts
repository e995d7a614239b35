import { execFile } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { errorText, isLoopError, toLoopError, typedCommand } from "@ccw-loop/core";
import type { Leftover } from "@ccw-loop/processes";
import { foldersUp } from "@ccw-loop/processes/plain-file";
import {
  driveCommand,
  driverText,
  FINDING_LOOKS,
  type Finding,
  formatDuration,
  note,
  ok,
  problem,
  SettingValues,
  sanitizeLine,
  verdictOf,
} from "@ccw-loop/view";
import { settingsFor } from "../config/flags.ts";
import type { EffectiveSettings } from "../config/settings.ts";
import { acpCommandName } from "../extensions/acp-agents.ts";
import { type Kind, loadFactory } from "../extensions/load.ts";
import type { OperatorModule } from "../extensions/module-file.ts";
import type { Context } from "../runtime/context.ts";
import { requireOperator } from "../runtime/operator-origin.ts";
import type { Answer } from "../runtime/perform.ts";
import { loopFolder } from "../runtime/project-root.ts";
import { reportWords } from "../runtime/served-projects.ts";
import { checkAgent, checkOtherAgents } from "./agent-findings.ts";
import { databaseStanding } from "./store.ts";

export interface DoctorFlags {
  agent?: string;
  reap?: true;
}

/** Checks what a loop needs here; exit code 5 as soon as there is one problem. */
export async function doctor(context: Context, flags: DoctorFlags): Promise<Answer> {
  const { io, root } = context;
  if (flags.reap) await requireOperator(io.env, root, "doctor --reap");
  const { findings, processes } = await runChecks(context, flags);
  const isReady = findings.every(({ status }) => status !== "problem");
  return {
    data: { ok: isReady, findings, processes },
    text: [...findingLines(findings, context), "", verdictOf(findings)].join("\n"),
    exit: isReady ? 0 : 5,
  };
}

/** One line for each finding; below it what to do. */
export function findingLines(findings: readonly Finding[], { paint }: Context): string[] {
  return findings.flatMap(({ check, status, message, next }) => {
    const { word, tone } = FINDING_LOOKS[status];
    const line = `${paint(tone, word.padEnd(7))}  ${check.padEnd(9)}  ${sanitizeLine(message)}`;
    return next === null ? [line] : [line, `${" ".repeat(20)}${sanitizeLine(next)}`];
  });
}

/** Everything that a loop needs here, looked at one after the other. With `--reap` leftovers are ended. Never rejects. */
export async function runChecks(
  context: Context,
  flags: DoctorFlags,
): Promise<{ findings: Finding[]; processes: LeftoverReport }> {
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
    const effective = await settingsFor(context, flags);
    values = effective.values;
    return settingsFindings(effective);
  });
  await look("git", "Install git.", () => checkGit());
  await look("workspace", "Check the repository with: git status", () => checkWorkspace(context));
  await look("tests", TESTS_NEXT, () => checkTests(context, values));
  await look("agent", "Correct it, or choose another one: ccw-loop agents list", () =>
    checkAgent(context, values),
  );
  await look("agent", "Choose another one.", () => checkOtherAgents(context, values));
  await look("modules", MODULES_NEXT, () => checkModules(context));
  await look("state", "Make the folder writable for you.", () => checkFolder(context));
  await look("store", "See: ccw-loop store status", () => checkDatabase(context));
  await look("loops", "See: ccw-loop list", async () => {
    const store = await context.parts.storeChoice();
    const folder = loopFolder(context.root);
    const mayHaveLoops = store !== undefined || nearestExisting(folder) === folder;
    return mayHaveLoops ? checkLoops(context) : [ok("loops", "No loops yet.")];
  });
  let processes: LeftoverReport = { found: [], reaped: false };
  await look("processes", "See which they are with: ps -f", async () => {
    const known = await context.parts.processes();
    const reaped = flags.reap === true;
    processes = { found: reaped ? await known.sweep() : known.leftovers(), reaped };
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
  'Name the command: ccw-loop run --verify CMD. Where there are no tests, say why: ccw-loop run --waive-tests "REASON"';

export async function checkTests(
  { parts, root }: Context,
  values: SettingValues,
): Promise<Finding[]> {
  const plan = await parts.verifier.detect(root, values.verify ?? undefined);
  if (!plan) return [problem("tests", "No test command was found.", TESTS_NEXT)];
  const missing = await parts.verifier.missing(plan, root, null);
  const suites = plan.parts.map(({ report, source, ...part }) => {
    const why = source ?? (values.verify === null ? plan.source : "given");
    return ok("tests", `${typedCommand(part)} (${why}; ${reportWords(report)})`);
  });
  const lacking = missing.map(({ message, command }) =>
    command === null
      ? problem("tests", message, "Install it, or name other tests: ccw-loop run --verify CMD")
      : note("tests", message, `Run: ${command}`),
  );
  return [...suites, ...lacking];
}

const MODULES_NEXT = "Correct the module, or what names it in your own configuration.";

/** What the operator's own configuration has loaded; nothing where it names no module. */
async function checkModules({ parts }: Context): Promise<Finding[]> {
  const { agents, verifier } = await parts.modules();
  const store = await parts.storeChoice();
  const findings: Finding[] = [];
  const loaded = async (kind: Kind, { file }: OperatorModule, name: string) => {
    const { describe } = await loadFactory(kind, file);
    findings.push(ok("modules", `${name}: ${describe} (${file})`));
  };
  for (const [name, agent] of agents) {
    if ("command" in agent) {
      findings.push(ok("modules", `agent ${name}: ${acpCommandName(agent.command)}`));
    } else await loaded("agent", agent, `agent ${name}`);
    await parts.agent({ agent: name });
  }
  if (store && !("database" in store)) {
    await parts.store();
    await loaded("store", store, "store");
  }
  if (verifier) await loaded("verifier", verifier, "verifier");
  return findings;
}

/** Nothing where the loops are in no database. */
async function checkDatabase(context: Context): Promise<Finding[]> {
  const choice = await context.parts.storeChoice();
  if (choice === undefined || !("database" in choice)) return [];
  const { message, next } = await databaseStanding(choice);
  return [next === null ? ok("store", message) : problem("store", message, next)];
}

async function checkFolder({ root }: Context): Promise<Finding[]> {
  const folder = loopFolder(root);
  const place = nearestExisting(folder);
  await access(place, constants.W_OK);
  const { mode } = await stat(place);
  if (place === folder && (mode & 0o022) !== 0) {
    const shown = (mode & 0o777).toString(8);
    const message = `${folder} may be written by others (mode ${shown}).`;
    return [problem("state", message, `Close it with: chmod go-w ${folder}`)];
  }
  return [ok("state", `${folder} ${place === folder ? "is writable" : "can be made"}.`)];
}

function nearestExisting(path: string): string {
  return foldersUp(path).find((folder) => existsSync(folder)) ?? path;
}

const PAGE = 100;

/** Whether every loop can be read whole (a list is content with what is published), and somebody drives those that run. */
async function checkLoops({ parts }: Context): Promise<Finding[]> {
  const loops = await parts.loops();
  const undriven: Finding[] = [];
  const damaged: Finding[] = [];
  const tellDamaged = (id: string, reason: string) =>
    damaged.push(problem("loops", `${id} is damaged: ${reason}`, `See: ccw-loop recover ${id}`));
  let read = 0;
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const page = await loops.list({ offset, limit: PAGE });
    total = page.total;
    for (const { id, since } of page.undriven) {
      const driver = driverText({ driven_by: null, undriven_since: since }, new Date());
      const message = `${id} is running, but driven by ${driver}.`;
      const { state } = page.loops.find((one) => one.state.loop_id === id) ?? {};
      const drive = driveCommand(state ?? { loop_id: id });
      undriven.push(note("loops", message, `Drive it with: ${drive}`));
    }
    if (offset === 0) for (const { id, reason } of page.damaged) tellDamaged(id, reason);
    for (const { state } of page.loops) {
      try {
        await loops.get(state.loop_id);
        read += 1;
      } catch (error) {
        if (!isLoopError(error, "loop_not_found")) tellDamaged(state.loop_id, errorText(error));
      }
    }
  }
  return [ok("loops", `${read} can be read.`), ...undriven, ...damaged];
}

/** What runs here for loops and should not; `reap` has ended it. */
interface LeftoverReport {
  found: Leftover[];
  reaped: boolean;
}

function leftoverFindings({ found, reaped }: LeftoverReport): Finding[] {
  const now = Date.now();
  if (found.length === 0) return [ok("processes", "Nothing was left running.")];
  return found.map((left) =>
    reaped
      ? ok("processes", `Ended ${described(left, now)}.`)
      : note(
          "processes",
          `Still running: ${described(left, now)}; ${WHY[left.reason]}.`,
          "End it with: ccw-loop doctor --reap",
        ),
  );
}

const WHY: Readonly<Record<Leftover["reason"], string>> = {
  owner_gone: "the ccw-loop that started it is gone",
  superseded: "another ccw-loop has taken the loop over",
};

function described({ command, pids, scope, started_at }: Leftover, now: number): string {
  const count = pids.length === 1 ? "1 process" : `${pids.length} processes`;
  const whose = scope ? ` of loop ${scope.loop}` : "";
  const age = started_at === null ? "" : ` for ${formatDuration(now - Date.parse(started_at))}`;
  return `${command} (${count}${whose}${age})`;
}
