import { seededRandom } from "@ccw-loop/testkit";
import { bundleWorker } from "../processes.ts";
import { type Judgement, mergeJudgements } from "../soak-project.ts";
import { fieldOwners, tasks, toggles } from "./edits.ts";
import type { Row, Trials } from "./row.ts";
import { duringAction, statusChanges } from "./status.ts";
import { underLoad } from "./under-load.ts";

/** By the sections of the survey that measured them. */
const TESTS = new Map<string, (trials: Trials) => AsyncGenerator<Row>>([
  ["17.1", statusChanges],
  ["17.2", duringAction],
  ["17.3", toggles],
  ["17.4", fieldOwners],
  ["17.5", tasks],
  ["18", underLoad],
]);

export interface UpstreamOptions {
  seed: number;
  /** The share of all trials that are made; 1 for a whole run. */
  share: number;
  /** All by default. */
  sections?: readonly string[];
  /** Called with each line as it is there. */
  onRow: (row: Row) => void;
}

/** The tests that the upstream project fails, on our service and store. */
export async function upstreamTests({
  seed,
  share,
  sections = [...TESTS.keys()],
  onRow,
}: UpstreamOptions): Promise<Row[]> {
  using bundle = await bundleWorker();
  const trials: Trials = {
    program: bundle.program,
    random: seededRandom(seed),
    count: (full) => Math.max(1, Math.round(full * share)),
  };
  const rows: Row[] = [];
  for (const [section, test] of TESTS) {
    if (!sections.includes(section)) continue;
    for await (const row of test(trials)) {
      rows.push(row);
      onRow(row);
    }
  }
  return rows;
}

/** What is judged over all rows. */
export function totalOf(rows: readonly Row[]): Judgement & { kept: number; of: number } {
  const verbs = rows.flatMap(({ kept }) => kept ?? []);
  return {
    ...mergeJudgements(rows.map(({ judgement }) => judgement)),
    kept: verbs.reduce((all, { kept }) => all + kept, 0),
    of: verbs.reduce((all, { of }) => all + of, 0),
  };
}

/** The last line of a run. */
export function upstreamLine(rows: readonly Row[]): string {
  const { acked, lost, torn, repairs, kept, of } = totalOf(rows);
  return `acked: ${acked}, lost: ${lost.length}, torn: ${torn.length}, repairs: ${repairs.length}, pauses and stops kept: ${kept} of ${of}`;
}

/** The rows as a Markdown table. */
export function upstreamTable(rows: readonly Row[]): string {
  const heads = [
    "§",
    "test",
    "acked",
    "lost",
    "torn",
    "repairs",
    "ours",
    "upstream, measured before",
  ];
  const cells = rows.map(({ section, what, ours, upstream, judgement }) => [
    section,
    what,
    String(judgement.acked),
    String(judgement.lost.length),
    judgement.reads > 0
      ? `${judgement.torn.length} of ${judgement.reads} reads`
      : String(judgement.torn.length),
    String(judgement.repairs.length),
    ours,
    upstream,
  ]);
  const line = (parts: readonly string[]) => `| ${parts.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...cells.map(line)].join("\n");
}
