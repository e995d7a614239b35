import { join } from "node:path";
import {
  cartModel,
  type ModelItem,
  type ModelRequest as ResponsesRequest,
} from "@ccw-loop/testkit";
import { textAt } from "../../../packages/agent-acp/src/json.ts";
import type { Script } from "../model/server.ts";
import type { Move } from "../model/tools.ts";

/** What `cartModel` says to the loop's prompts, for any dialect, in the project `cwd`; with `nap` its first turn sleeps before it does anything. */
export function cartScript(cwd: string, nap?: string): Script {
  const model = cartModel(nap);
  return ({ conversation }) => {
    const items: unknown[] = JSON.parse(conversation);
    const asked = items.findLastIndex((item) => promptIn(item) !== undefined);
    const { done, refusal } = sinceAsked(items.slice(asked + 1).filter(isAnswerOfTool));
    const step = model({
      userTexts: [promptIn(items[asked]) ?? ""],
      body: {
        input: [{ role: "user" }, ...Array.from({ length: done }, () => ({ type: "tool_output" }))],
      },
    } as ResponsesRequest);
    const [item] = "items" in step ? (step.items ?? []) : [];
    const move = moveOf(item, cwd);
    return refusal !== null && "write" in move ? REFUSALS[refusal](move.write.path) : move;
  };
}

/** What agents say that write over no file of which they have not seen what it holds, or over none; and what is done before the next try. */
const REFUSALS = {
  "has not been read": (path: string): Move => ({ read: { path } }),
  "already exists as a file": (path: string): Move => ({ run: `rm '${path}'` }),
};
type Refusal = keyof typeof REFUSALS;

/** How many moves have come to their end, and why the last one was refused. */
function sinceAsked(answers: readonly unknown[]): { done: number; refusal: Refusal | null } {
  let done = 0;
  let refusal: Refusal | null = null;
  for (const answer of answers) {
    const words = JSON.stringify(answer);
    const before: Refusal | null = refusal;
    refusal = (Object.keys(REFUSALS) as Refusal[]).find((one) => words.includes(one)) ?? null;
    // What follows a refused write is the answer to what was done before the next try.
    if (refusal === null && before === null) done += 1;
  }
  return { done, refusal };
}

/** The text of a prompt of the loop, wherever a dialect puts it. */
function promptIn(item: unknown): string | undefined {
  if (typeof item === "string") return item.includes("# ACTION: ") ? item : undefined;
  if (typeof item !== "object" || item === null) return undefined;
  return Object.values(item).flatMap((part) => promptIn(part) ?? [])[0];
}

function isAnswerOfTool(item: unknown): boolean {
  const words = JSON.stringify(item);
  return /"(?:tool_result|functionResponse|\w+_call_output)"|"role":"tool"/.test(words);
}

/** A file that is written by a shell is written by the agent's editor. */
function moveOf(item: ModelItem | undefined, cwd: string): Move {
  if (item?.type === "function_call") {
    const run: string = JSON.parse(textAt(item, "arguments") ?? "{}").cmd;
    const [, path, content] = /^cat > (\S+) <<'END'\n([\s\S]*)END$/.exec(run) ?? [];
    if (path === undefined || content === undefined) return { run };
    return { write: { path: join(cwd, path), content } };
  }
  const [part] = Array.isArray(item?.content) ? item.content : [];
  return { say: textAt(part, "text") ?? "" };
}
