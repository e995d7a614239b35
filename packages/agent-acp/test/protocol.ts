import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";
import { at, textAt } from "../src/json.ts";

type Side = "agent" | "client";

/** A message as it went over the wire. */
export interface Frame {
  /** One for each process of an agent. */
  connection: string;
  from: Side;
  message: unknown;
}

/** As the protocol's authors publish it; what is not stable yet is in it, too. */
const SCHEMA: { $defs: Record<string, object> } = createRequire(import.meta.filename)(
  "@agentclientprotocol/sdk/schema/v1/schema.unstable.json",
);
/** Formats are of numbers, which JSON does not tell apart. */
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(SCHEMA, "acp");

/** What agents call beside the protocol without the underscore that it asks for. */
const UNDERSCORED: readonly string[] = ["craft/drainMidTurnQueue"];

/** What an agent may tell only a client that said it understands it. */
const OFFERED: Readonly<Record<string, string>> = {
  compaction_update: "compaction",
  compaction_summary_chunk: "compaction",
  notice: "notices",
};

/** What is wrong with messages by the protocol, each in a line; `frames` are in the order in which they were sent. */
export function protocolProblems(frames: readonly Frame[]): string[] {
  const connections = Map.groupBy(frames, ({ connection }) => connection);
  return [...connections.values()].flatMap((sent) => {
    const reader = new Connection();
    return sent.flatMap((frame) => reader.problems(frame).map((why) => lineOf(frame, why)));
  });
}

function lineOf({ from, message }: Frame, why: string): string {
  return `The ${from}'s message ${why}: ${JSON.stringify(message).slice(0, 300)}`;
}

const otherThan = (side: Side): Side => (side === "agent" ? "client" : "agent");

/** The messages of one process and its client: an answer is known by its question alone. */
class Connection {
  readonly #asked = new Map<string, string>();
  #offers: unknown;

  problems({ from, message }: Frame): string[] {
    const id = at(message, "id");
    const method = textAt(message, "method");
    if (textAt(message, "jsonrpc") !== "2.0") return ["is no JSON-RPC 2.0"];
    if (method === undefined) return this.#answer(`${otherThan(from)} ${id}`, message);
    const params = at(message, "params");
    if (method === "initialize") this.#offers = at(params, "clientCapabilities", "session");
    if (method.startsWith("_") || UNDERSCORED.includes(method)) return [];
    if (id !== undefined) {
      this.#asked.set(`${from} ${id}`, method);
      return wrongBy(definitionOf(method, otherThan(from), "Request"), params);
    }
    return [
      ...wrongBy(definitionOf(method, otherThan(from), "Notification"), params),
      ...this.#unasked(textAt(params, "update", "sessionUpdate") ?? ""),
    ];
  }

  #answer(question: string, message: unknown): string[] {
    const error = at(message, "error");
    if (error !== undefined) return wrongBy("Error", error);
    const method = this.#asked.get(question);
    if (method === undefined) return [];
    const [side] = question.split(" ") as [Side];
    return wrongBy(definitionOf(method, otherThan(side), "Response"), at(message, "result"));
  }

  #unasked(kind: string): string[] {
    const capability = OFFERED[kind];
    const isOffered = capability === undefined || at(this.#offers, capability) !== undefined;
    return isOffered
      ? []
      : [`tells a ${kind} to a client that does not offer session.${capability}`];
  }
}

type Kind = "Request" | "Response" | "Notification";

/** The names of what describes parameters and results, by method, by the side that is asked or told, and by kind. */
const DEFINITIONS = new Map(
  Object.entries(SCHEMA.$defs).flatMap(([name, definition]): [string, string][] => {
    const kind = /(?:Request|Response|Notification)$/.exec(name)?.[0] as Kind | undefined;
    const method = textAt(definition, "x-method");
    const side = textAt(definition, "x-side") as Side | undefined;
    const isKnown = kind !== undefined && method !== undefined && side !== undefined;
    return isKnown ? [[keyOf(method, side, kind), name]] : [];
  }),
);

function keyOf(method: string, side: Side, kind: Kind): string {
  return `${kind} ${side} ${method}`;
}

function definitionOf(method: string, side: Side, kind: Kind): string | undefined {
  return DEFINITIONS.get(keyOf(method, side, kind));
}

function wrongBy(definition: string | undefined, value: unknown): string[] {
  if (definition === undefined) return ["is of no method that the protocol has"];
  const isValid = ajv.getSchema(`acp#/$defs/${definition}`);
  if (!isValid) throw new Error(`The protocol's schema has no ${definition}.`);
  if (isValid(value)) return [];
  return [`is no ${definition} (${ajv.errorsText(isValid.errors)})`];
}
