import * as fc from "fast-check";
import { AnswerMemory } from "./answer-memory.ts";
import { type Document, operationsOf } from "./document.ts";
import { conformTo, judge, meantBy, messagesOf, type Objection } from "./judge.ts";
import { type FuzzRequest, requestsOf } from "./requests.ts";
import { curlLine, type FuzzResponse, Hang, type ServerAddress, sender } from "./send.ts";

export interface Finding {
  kind: Objection["kind"] | "hang" | "crash";
  /** Which request of the run it was: `--seed` makes the same ones, but for what earlier answers carried. */
  at: number;
  sentence: string;
  /** The request itself. */
  curl: string;
}

export interface Run extends ServerAddress {
  requests: number;
  seed: number;
  /** Requests under way at once; 4 by default. */
  atOnce?: number;
  /** Ends the run early: the server is gone. */
  signal?: AbortSignal;
  onFinding?: (finding: Finding) => void;
  onProgress?: (sent: number) => void;
}

export interface Fuzzed {
  sent: number;
  findings: Finding[];
  /** Ids of all operations that the document has. */
  operations: string[];
  /** Answers by operation and status (`createLoop 200`): what was reached at all. */
  reached: Map<string, number>;
}

/** Asks a server what its own OpenAPI document allows and what it does not, and looks at every answer. */
export async function fuzz(run: Run): Promise<Fuzzed> {
  const { url, requests, seed, atOnce = 4, signal } = run;
  const document = (await (await fetch(`${url}/api/openapi.json`)).json()) as Document;
  const operations = operationsOf(document);
  const memory = new AnswerMemory();
  const { schemas } = document.components;
  const arbitrary = requestsOf(operations, { schemas, memory });
  const objection = judge(operations, conformTo(document));
  const { send, close } = sender(run);
  const ids = operations.map(({ id }) => id);
  const fuzzed: Fuzzed = { sent: 0, findings: [], operations: ids, reached: new Map() };

  const one = async (at: number) => {
    memory.turnTo(at * 7);
    const [asked] = fc.sample(arbitrary, { seed: seed * 1_000_003 + at, numRuns: 1 });
    if (asked === undefined) return;
    const found = (kind: Finding["kind"], sentence: string) => {
      const finding = { kind, at, sentence, curl: curlLine(run, asked) };
      fuzzed.findings.push(finding);
      run.onFinding?.(finding);
    };
    try {
      const answer = await send(asked);
      const { kind, sentence } = objection(asked, answer) ?? {};
      if (kind !== undefined && sentence !== undefined) found(kind, sentence);
      learn(memory, asked, answer);
      const { id = "another path" } = meantBy(operations, asked) ?? {};
      count(fuzzed.reached, `${id} ${answer.status}`);
    } catch (error) {
      if (signal?.aborted) return;
      found(error instanceof Hang ? "hang" : "crash", String(error));
    }
  };

  const work = async () => {
    while (fuzzed.sent < requests && !signal?.aborted) {
      fuzzed.sent += 1;
      await one(fuzzed.sent);
      run.onProgress?.(fuzzed.sent);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  close();
  return fuzzed;
}

function learn(
  memory: AnswerMemory,
  { method, target }: FuzzRequest,
  { status, headers, body }: FuzzResponse,
): void {
  if (status === 404 || (method === "DELETE" && status === 200)) {
    const [path = ""] = target.split("?");
    for (const part of path.split("/")) memory.forget(part);
  }
  if (status !== 200 && status !== 201) return;
  const type = headers["content-type"] ?? "";
  const text = body.toString("utf8");
  if (type.startsWith("application/json"))
    memory.learn(read(text), { "etag header": headers.etag });
  if (!type.startsWith("text/event-stream")) return;
  memory.learn(undefined, { "event id": messagesOf(text).map(({ id }) => id) });
}

/** Undefined for what is no JSON: the judge has said so. */
function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
