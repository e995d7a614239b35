import type { Answered, Ask } from "../support.ts";
import type { Exchange, Step } from "./exchange.ts";

/** What came of one exchange with our server; ids are names again, and times `{time}`. */
export interface Replayed {
  exchange: Exchange;
  status: number;
  answer: unknown;
}

/** Fields that we add to what was recorded. */
const ADDED = new Set([
  ...["success", "code", "details", "next_cursor", "damaged", "undriven"],
  ...["schema_version", "revision", "etag", "outcome"],
  ...["status", "files_changed", "completed_at"],
]);

export async function replay(steps: readonly Step[], ask: Ask): Promise<Replayed[]> {
  const ids = new Map<string, string>();
  const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (name, key) => ids.get(key) ?? name);
  const send = (request: string, body: unknown, anonymous?: true): Promise<Answered> => {
    const [method = "", path = ""] = fill(request).split(" ");
    const filled =
      typeof body === "object" && body !== null ? JSON.parse(fill(JSON.stringify(body))) : body;
    return ask(method, path, {
      ...(filled === undefined ? {} : { body: filled }),
      ...(anonymous ? { headers: { Authorization: "" } } : {}),
    });
  };
  const name = ({ as }: Step, answer: Answered["json"]) => {
    const made = answer?.data?.task_id ?? answer?.data?.loop_id;
    if (as !== undefined && made !== undefined) ids.set(as, made);
  };
  const replayed: Replayed[] = [];
  for (const step of steps) {
    if ("meanwhile" in step) {
      const { status, text, json } = await send(step.meanwhile, step.body);
      if (status >= 300) throw new Error(`${step.meanwhile}: ${text}`);
      name(step, json);
      continue;
    }
    const { status, json } = await send(step.request, step.body, step.anonymous);
    name(step, json);
    // That a loop was made is said by a status of its own, as the table says of all of them.
    const alike = status === 201 ? 200 : status;
    replayed.push({ exchange: step, status: alike, answer: named(json, ids) });
  }
  return replayed;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function named(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  const names = new Map([...ids].map(([name, id]) => [id, `{${name}}`]));
  return JSON.parse(
    JSON.stringify(value ?? null, (_, field) => {
      if (typeof field !== "string") return field;
      return TIME.test(field) ? "{time}" : (names.get(field) ?? field);
    }),
  );
}

/** What RFC 9457 adds to an error. */
const PROBLEM: ReadonlySet<string> = new Set(["type", "title", "status", "detail"]);

/** Our answer without what we add to the recorded one. */
export function without(answer: unknown, recorded: unknown): unknown {
  if (Array.isArray(answer)) {
    const items: readonly unknown[] = Array.isArray(recorded) ? recorded : [];
    return answer.map((item, at) => without(item, items[at]));
  }
  if (typeof answer !== "object" || answer === null) return answer;
  const known = (typeof recorded === "object" ? recorded : null) ?? {};
  return Object.fromEntries(
    Object.entries(answer)
      .filter(
        ([key]) => key in known || !(ADDED.has(key) || ("error" in answer && PROBLEM.has(key))),
      )
      .map(([key, field]) => [key, without(field, (known as Record<string, unknown>)[key])]),
  );
}
