import {
  type LoopState,
  openObjections,
  type ReceiptCheck,
  redTestsOf,
  type Square,
  statusText,
  type TestStates,
  tasksOf,
} from "@ccw-loop/core";
import type { Tone } from "../text/paint.ts";
import { sanitizeLine, sanitizeText } from "../text/sanitize.ts";
import type { NamedRow } from "../text/table.ts";
import { firstLines, objectionText } from "./proof.ts";
import { checkSentence, receiptLines, squareTexts } from "./receipt.ts";
import { filesChanged, headline } from "./status.ts";

export const REPORT_FORMATS = ["markdown", "junit"] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** What a report tells, whoever reads it. */
interface Report {
  title: string;
  /** What it came to, in one sentence. */
  verdict: string;
  /** `warning` where it is open. */
  tone: Tone;
  square: Square | undefined;
  rows: NamedRow[];
  /** What speaks against it, each with its details. */
  problems: { text: string; details: string[] }[];
  /** The tests of the newest run; of these, `excused` are red and need not pass. */
  tests: TestStates;
  excused: ReadonlySet<string>;
}

/** How a loop stands and what its newest receipt proves, for a page of CI or for its reader of test results. */
export function loopReport(state: LoopState, format: ReportFormat): string {
  const [tone, words] = headline(state);
  const receipt = state.receipts?.at(-1);
  const tasks = tasksOf(state);
  const done = tasks.filter(({ status }) => status === "completed").length;
  return written(format, {
    title: state.title,
    verdict: words.replace(/[:·\s]+$/, ""),
    tone,
    square: receipt?.square,
    rows: [
      ["Loop", [`${state.loop_id}, ${statusText(state)}`]],
      ["Work", [`${state.current_iteration} iterations, ${done} of ${tasks.length} tasks`]],
      ["Tests", receipt ? receiptLines({ ...receipt, square: undefined }) : ["not run yet"]],
      ["Fixed", firstLines(receipt?.comparison?.fixed ?? [])],
      ["Witnesses", firstLines(receipt?.square?.witnesses ?? [])],
      ["Files", firstLines(filesChanged(state), 50)],
    ],
    problems: openObjections(state).map((one) => ({ text: objectionText(one), details: [] })),
    tests: receipt?.tests ?? {},
    excused: new Set(redTestsOf(state).known_red),
  });
}

/** The same of a receipt that was checked. `of` names the loop or the file. */
export function checkReport(of: string, check: ReceiptCheck, format: ReportFormat): string {
  const { receipt, square, problems } = check;
  const [tone, verdict] = checkSentence(of, check);
  return written(format, {
    title: of,
    verdict,
    tone,
    square: square ?? undefined,
    rows: [
      ["Receipt", [`${receipt.id}, ${receipt.started_at}`]],
      ["Tree", [receipt.tree_after ?? "not named"]],
      ["Command", [square?.cells.present.command ?? "not run"]],
      ["Witnesses", firstLines(square?.witnesses ?? [])],
    ],
    problems: problems.map(({ message, details }) => ({ text: message, details })),
    tests: {},
    excused: new Set(),
  });
}

function written(format: ReportFormat, report: Report): string {
  return format === "junit" ? junit(report) : markdown(report);
}

const SIGNS: Partial<Record<Tone, string>> = { good: "✅", bad: "❌", warning: "⚠️" };

function markdown({ title, verdict, tone, square, rows, problems }: Report): string {
  const [head = [], ...body] = square ? squareTexts(square) : [];
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    `## ${SIGNS[tone] ?? ""} ${plain(verdict)}`,
    "",
    code(title),
    "",
    ...(square
      ? [
          line(head),
          line(head.map(() => "---")),
          ...body.map(([name = "", ...cells]) => line([`**${name}**`, ...cells])),
          "",
        ]
      : []),
    ...(problems.length > 0 ? ["### What speaks against it", ""] : []),
    ...problems.flatMap(({ text, details }) => [
      `- ${plain(text)}`,
      ...firstLines(details).map((detail) => `  - ${code(detail)}`),
    ]),
    ...(problems.length > 0 ? [""] : []),
    ...rows
      .filter(([, values]) => values.length > 0)
      .flatMap(([name, values]) =>
        values.length === 1
          ? [`- ${name}: ${code(values[0] ?? "")}`]
          : [`- ${name}:`, ...values.map((value) => `  - ${code(value)}`)],
      ),
  ].join("\n");
}

/** Words of anybody as code: nothing in them is a link, a mention, HTML or a way out of a list. */
function code(text: string): string {
  const line = sanitizeLine(text);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const space = line === "" || longest > 0 ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}

/** A sentence of ours that may quote others. */
function plain(text: string): string {
  return sanitizeLine(text)
    .replaceAll(/[\\`*_[\]<>|~#!]/g, "\\$&")
    .replaceAll("@", "@\u2060");
}

function junit({ title, verdict, tone, rows, square, problems, tests, excused }: Report): string {
  const cells = square ? squareTexts(square).map((line) => line.join(" | ")) : [];
  const facts = rows.flatMap(([name, values]) => values.map((value) => `${name}: ${value}`));
  const proof: Case[] = [
    {
      name: verdict,
      failure: tone === "good" ? null : { message: verdict, text: "" },
      output: [...cells, ...facts].join("\n"),
    },
    ...problems.map(({ text, details }) => ({
      name: text,
      failure: { message: text, text: details.join("\n") },
    })),
  ];
  const ran = Object.entries(tests).map(([name, status]): Case => {
    if (status === "failed" && !excused.has(name)) {
      return { name, failure: { message: "failed", text: "" } };
    }
    const why = status === "skipped" ? "skipped" : "red before the loop, and need not pass";
    return { name, failure: null, ...(status === "passed" ? {} : { skipped: why }) };
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="ccw-loop">`,
    ...suite("ccw-loop.proof", title, proof),
    ...(ran.length > 0 ? suite("ccw-loop.tests", title, ran) : []),
    "</testsuites>",
    "",
  ].join("\n");
}

interface Case {
  name: string;
  failure: { message: string; text: string } | null;
  skipped?: string;
  output?: string;
}

function suite(name: string, title: string, cases: readonly Case[]): string[] {
  const failures = cases.filter(({ failure }) => failure !== null).length;
  const skipped = cases.filter((one) => one.skipped !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
  return [
    `  <testsuite name="${xml(`${name}: ${title}`)}" ${counts}>`,
    ...cases.flatMap(({ name: test, failure, skipped: why, output }) => [
      `    <testcase classname="${name}" name="${xml(test)}">`,
      ...(failure
        ? [`      <failure message="${xml(failure.message)}">${xml(failure.text)}</failure>`]
        : []),
      ...(why === undefined ? [] : [`      <skipped message="${xml(why)}"/>`]),
      ...(output === undefined ? [] : [`      <system-out>${xml(output)}</system-out>`]),
      "    </testcase>",
    ]),
    "  </testsuite>",
  ];
}

const IN_XML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

function xml(text: string): string {
  return sanitizeText(text)
    .replaceAll(/[\uFFFE\uFFFF]/g, "")
    .replaceAll(/[&<>"\n]/g, (mark) => IN_XML[mark] ?? mark);
}
