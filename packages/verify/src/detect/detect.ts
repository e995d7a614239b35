import { readdir } from "node:fs/promises";
import type { PlanPart, VerifyPlan } from "@ccw-loop/core";
import { splitChain } from "./chain.ts";
import type { Detector } from "./detector.ts";
import { dotnet } from "./dotnet.ts";
import { reportOfGiven } from "./given.ts";
import { go } from "./go.ts";
import { javascript } from "./javascript.ts";
import { gradle, maven } from "./jvm.ts";
import { php } from "./php.ts";
import { python } from "./python.ts";
import { ruby } from "./ruby.ts";
import { rust } from "./rust.ts";
import { planOfScripts, readPackage } from "./scripts.ts";
import { shell, tool } from "./tools.ts";

const script: Detector = async (cwd) => {
  const found = readPackage(cwd);
  return found ? planOfScripts(cwd, found) : null;
};

/** One ecosystem: a file of these at the top says that the project is one of it. */
interface Ecosystem {
  manifest: RegExp;
  /** The first that finds its tests has them all. */
  detectors: readonly Detector[];
}

const ECOSYSTEMS: readonly Ecosystem[] = [
  { manifest: /^package\.json$/, detectors: [script, javascript] },
  {
    manifest:
      /^(pyproject\.toml|setup\.(py|cfg)|tox\.ini|pytest\.ini|conftest\.py|Pipfile|.*requirements.*\.txt)$/,
    detectors: [python],
  },
  { manifest: /^go\.mod$/, detectors: [go] },
  { manifest: /^Cargo\.toml$/, detectors: [rust] },
  { manifest: /^(pom\.xml|(build|settings)\.gradle(\.kts)?)$/, detectors: [maven, gradle] },
  { manifest: /\.(slnx?|(cs|fs|vb)proj)$/, detectors: [dotnet] },
  { manifest: /^(composer\.json|phpunit(\.dist)?\.xml(\.dist)?)$/, detectors: [php] },
  { manifest: /^(Gemfile|\.rspec|.*\.gemspec)$/, detectors: [ruby] },
];

/**
 * How the project in `cwd` is tested: the given command, else what its own files say, else null. Runs
 * nothing and writes nothing.
 */
export async function detect(cwd: string, given?: string): Promise<VerifyPlan | null> {
  if (given?.trim()) {
    const commands = splitChain(given);
    const reports = await Promise.all(commands.map((command) => reportOfGiven(cwd, command)));
    const parts = commands.map((command, at) => ({ command, report: reports[at] ?? "exit-code" }));
    return { command: given, source: "given", parts };
  }
  const top = await readdir(cwd).catch(() => []);
  const plans: VerifyPlan[] = [];
  let other: VerifyPlan | null = null;
  for (const { manifest, detectors } of ECOSYSTEMS) {
    const plan = await firstPlan(cwd, detectors);
    // Tests that lie somewhere in a project of another kind may be data of its own tests.
    if (top.some((name) => manifest.test(name)) && plan) plans.push(plan);
    else other ??= plan;
  }
  if (plans.length > 0) return together(plans);
  return other ?? firstPlan(cwd, [shell, tool]);
}

async function firstPlan(cwd: string, detectors: readonly Detector[]): Promise<VerifyPlan | null> {
  for (const detector of detectors) {
    const plan = await detector(cwd);
    if (plan) return plan;
  }
  return null;
}

/** All of them, one behind the other; what a script runs already is not run twice. */
function together(plans: readonly VerifyPlan[]): VerifyPlan {
  const parts: PlanPart[] = [];
  const sources: string[] = [];
  for (const plan of plans) {
    const more = plan.parts.filter(
      ({ report }) => !parts.some((part) => part.report === report && report !== "exit-code"),
    );
    if (more.length === 0) continue;
    parts.push(...more);
    sources.push(plan.source);
  }
  const command = parts.map((part) => part.command).join(" && ");
  return { command, source: sources.join(", "), parts };
}
