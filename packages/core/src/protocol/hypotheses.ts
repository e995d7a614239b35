import { isPlain, type Plain } from "../json.ts";
import { type Hypothesis, Prediction } from "../state/hypothesis.ts";
import { hypothesisSimilarity, isSameHypothesis } from "./hypothesis-similarity.ts";

/** Below this, two descriptions under one id are two ideas. */
const UNLIKE = 0.3;

export interface Reading {
  known: readonly Hypothesis[];
  failing: readonly string[];
  /** The id that the answer calls the cause. */
  named: string | null;
}

/**
 * The ideas of an answer, each with an id and with what is known of it already, ready for the schema. An echo of what
 * is settled says nothing and is left out; a rejected idea that is proposed again goes to `repeated`.
 */
export function readHypotheses(
  raw: readonly unknown[],
  reading: Reading,
): { ideas: unknown[]; to_probe: string[]; repeated: Repetition[] } {
  const ideas: unknown[] = [];
  const to_probe: string[] = [];
  const repeated: Repetition[] = [];
  const mint = freeIds(raw, reading.known);
  const used = new Set<string>();
  for (const [position, item] of raw.entries()) {
    const plain: unknown = typeof item === "string" ? { description: item } : item;
    if (!isPlain(plain)) {
      ideas.push(plain);
      continue;
    }
    const idea = normalizeIdea(plain);
    const id = idOf(idea, reading, used) ?? mint();
    used.add(id);
    const before = reading.known.find((known) => known.id === id);
    if (before && isEcho(idea, before, reading.named)) continue;
    const ruledOut = rejectedDuplicate(idea, before, reading.known);
    if (ruledOut) repeated.push(repetition(id, ruledOut));
    else {
      if (idea.probe !== undefined) to_probe.push(id);
      ideas.push(merged(idea, { id, before, position, failing: reading.failing }));
    }
  }
  const named = reading.known.find((idea) => idea.id === reading.named && !used.has(idea.id));
  if (named?.status === "rejected") repeated.push(repetition(named.id, named));
  else if (named) ideas.push(reopened(named));
  return { ideas, to_probe, repeated };
}

function freeIds(raw: readonly unknown[], known: readonly Hypothesis[]): () => string {
  const taken = new Set(known.map((idea) => idea.id));
  for (const idea of raw) if (isPlain(idea) && typeof idea.id === "string") taken.add(idea.id);
  let number = 0;
  return () => {
    do number += 1;
    while (taken.has(`H${number}`));
    return `H${number}`;
  };
}

/** The id an idea gives itself; undefined when it is taken, in this answer or by quite another idea. */
function idOf(idea: Plain, { known }: Reading, used: ReadonlySet<string>): string | undefined {
  if (typeof idea.id !== "string" || idea.id === "" || used.has(idea.id)) return undefined;
  const before = known.find(({ id }) => id === idea.id);
  const text = textOf(idea.description);
  const isNew = (idea.status ?? "pending") === "pending" && text !== "";
  if (!before || before.status === "rejected" || !isNew) return idea.id;
  return hypothesisSimilarity(before.description, text) < UNLIKE ? undefined : idea.id;
}

/** Whether an answer only repeats a decided hypothesis: a rejected one, or a cause that was repaired. */
function isEcho(idea: Plain, before: Hypothesis, named: string | null): boolean {
  const told = idea.status === undefined ? idea.probe === undefined : idea.status === before.status;
  return told && before.id !== named && (before.status === "rejected" || Boolean(before.closed_at));
}

function rejectedDuplicate(
  idea: Plain,
  before: Hypothesis | undefined,
  known: readonly Hypothesis[],
): Hypothesis | undefined {
  if (before) return before.status === "rejected" ? before : undefined;
  const text = textOf(idea.description);
  return known.find((k) => k.status === "rejected" && isSameHypothesis(k.description, text));
}

/** Without what only the orchestrator may say, and tolerant of how agents write the rest. */
function normalizeIdea(plain: Plain): Plain {
  const { evidence, closed_at: _closed, settled_at: _settled, ...fields } = plain;
  const entries = Object.entries(fields).filter(([, value]) => value !== null);
  const idea: Plain = Object.fromEntries(entries);
  const claimed = claimedEvidence(idea.claimed_evidence) ?? claimedEvidence(evidence);
  if (claimed === undefined) delete idea.claimed_evidence;
  else idea.claimed_evidence = claimed;
  if (typeof idea.status === "string") idea.status = idea.status.trim().toLowerCase();
  const probe = probeOf(idea.probe);
  if (probe) idea.probe = probe;
  else delete idea.probe;
  return idea;
}

function claimedEvidence(value: unknown): unknown {
  if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
  const empty = value === null || (typeof value === "object" && Object.keys(value).length === 0);
  return empty ? undefined : value;
}

/** A command alone is a probe; an empty one is none. */
function probeOf(value: unknown): Plain | undefined {
  if (typeof value === "string") return probeOf({ command: value });
  if (!isPlain(value) || value.command === undefined) return undefined;
  if (typeof value.command === "string" && value.command.trim() === "") return undefined;
  const { if_holds, if_not } = value;
  return { ...value, if_holds: predictionOf(if_holds), if_not: predictionOf(if_not) };
}

/** One condition alone is a prediction; what cannot be compared is none, and the probe is sent back for it. */
function predictionOf(value: unknown): Prediction {
  const parsed = Prediction.safeParse(Array.isArray(value) ? value : [value]);
  return parsed.success ? parsed.data : [];
}

interface MergeInput {
  id: string;
  before: Hypothesis | undefined;
  position: number;
  failing: readonly string[];
}

/** The known hypothesis with what the answer adds; null and empty values change nothing. */
function merged(idea: Plain, { id, before, position, failing }: MergeInput): Plain {
  const known = before?.explains?.length ? before.explains : [...failing];
  const explains = explainedTests(idea.explains, failing) ?? known;
  const given = typeof idea.likelihood === "number" ? idea.likelihood : undefined;
  const { status: _status, verdict_reason: _reason, ...said } = idea;
  const fresh = { ...said, id, explains, likelihood: given ?? before?.likelihood ?? position + 1 };
  if (!before) return fresh;
  const { description, evidence } = before;
  const spoken = Object.entries(fresh).filter(([, value]) => !isBlank(value));
  return { ...reopened(before), ...Object.fromEntries(spoken), description, evidence };
}

/** A hypothesis that is examined again is open again. */
function reopened({ closed_at: _, settled_at: _settled, ...idea }: Hypothesis): Plain {
  return idea;
}

function isBlank(value: unknown): boolean {
  return value === "" || (isPlain(value) && Object.values(value).every(isBlank));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/**
 * The tests that an agent says a cause explains, as the loop spells them: by their ids, or by a name that only one of
 * the failing tests has. Undefined when it names none of them.
 */
export function explainedTests(claimed: unknown, failing: readonly string[]): string[] | undefined {
  const names: unknown[] = Array.isArray(claimed) ? claimed : [claimed];
  const found = names.flatMap((name) =>
    typeof name === "string" ? testsNamed(name, failing) : [],
  );
  return found.length === 0 ? undefined : [...new Set(found)];
}

function testsNamed(name: string, failing: readonly string[]): string[] {
  const wanted = normal(name);
  if (wanted === "") return [];
  const exact = failing.filter((id) => normal(id) === wanted);
  if (exact.length > 0) return exact;
  const named = failing.filter((id) => normal(id).endsWith(` > ${wanted}`));
  return named.length === 1 ? named : [];
}

function normal(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().toLowerCase();
}

/** An idea that was not taken in, because it says again what evidence has ruled out. */
export interface Repetition {
  id: string;
  /** The rejected one, and why it was rejected. */
  repeats: string;
  reason: string | null;
}

export function repetition(id: string, rejected: Hypothesis): Repetition {
  return { id, repeats: rejected.id, reason: rejected.verdict_reason };
}

/** `H4 repeats H2, which was rejected: the total is right.` */
export function repetitionText({ id, repeats, reason }: Repetition): string {
  const why = reason?.trim().replace(/[.\s]+$/, "");
  const what = id === repeats ? `${id} was proposed again` : `${id} repeats ${repeats}`;
  return `${what}, which was rejected${why ? ` because ${why}` : ""}.`;
}
