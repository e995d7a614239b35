import type { Finding, Tone } from "@ccw-loop/view";
import { blank, type Line, line, span } from "../../frame/line.ts";
import { wrapped } from "../../frame/wrap.ts";
import type { Model } from "../../model/model.ts";
import type { DoctorState } from "./state.ts";

const LOOKS: Readonly<Record<Finding["status"], { word: string; tone: Tone }>> = {
  ok: { word: "ok", tone: "good" },
  note: { word: "note", tone: "warning" },
  problem: { word: "problem", tone: "bad" },
};

/** Everything that was looked at, each with what to do about it, and the verdict on top. */
export function doctorText(state: DoctorState, { place }: Model, columns: number): Line[] {
  if (!place.drives) return elsewhere(place.name, columns);
  if (state.problem !== null) return wrapped(state.problem, columns, "bad");
  if (state.findings === null) return [line(" Looking at what a loop needs here…", "quiet")];
  return [
    verdict(state.findings),
    blank,
    ...state.findings.flatMap((finding) => findingLines(finding, columns)),
  ];
}

/** A control plane is asked about loops, not about its machine. */
function elsewhere(name: string, columns: number): Line[] {
  return [
    ...wrapped(
      `The loops of ${name} work on the machine of that server, not on this one.`,
      columns,
    ),
    blank,
    ...wrapped("Look whether a loop can work there with: ccw-loop doctor, in its folder.", columns),
  ];
}

function verdict(findings: readonly Finding[]): Line {
  const problems = findings.filter(({ status }) => status === "problem").length;
  if (problems === 0) return line(" A loop can work here.", "good");
  const what = problems === 1 ? "1 problem keeps" : `${problems} problems keep`;
  return line(` ${what} a loop from working here.`, "bad");
}

const BEFORE = 21;

function findingLines({ check, status, message, next }: Finding, columns: number): Line[] {
  const { word, tone } = LOOKS[status];
  const room = Math.max(20, columns - BEFORE);
  const head: Line = [span(` ${word.padEnd(8)}`, tone), span(`${check.padEnd(11)} `, "strong")];
  const indent = span(" ".repeat(BEFORE));
  return [
    ...wrapped(message, room).map((of, i): Line => [...(i === 0 ? head : [indent]), ...of]),
    ...(next === null ? [] : wrapped(next, room, "name").map((of): Line => [indent, ...of])),
  ];
}
