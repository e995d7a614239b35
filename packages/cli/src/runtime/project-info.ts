import type { ServedProject } from "@ccw-loop/api/node";
import { typedCommand } from "@ccw-loop/core";
import type { Parts } from "./compose.ts";

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
