/**
 * Draws the state machine from the machine itself, as Mermaid: `node packages/core/scripts/diagrams.ts`
 * prints both diagrams; with `--write` it puts them between the markers in ARCHITECTURE.md.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { decide, evolve, type LoopCommand, LoopState, LoopStatus } from "../src/index.ts";
import { explore } from "../test/machine-search.ts";

const AT = "2026-01-22T10:00:00.000Z";

/** Statuses, and the commands and ends that lead from one to another. */
export function statusDiagram(): string {
  const edges = new Map<string, string[]>();
  const add = (from: string, to: string, label: string) => {
    const key = `${from} --> ${to}`;
    edges.set(key, [...new Set([...(edges.get(key) ?? []), label])]);
  };
  const commands: LoopCommand[] = (["start", "pause", "resume", "stop", "exit"] as const).map(
    (type) => ({ type }),
  );
  commands.push({ type: "resume", reopen: true });
  for (const status of LoopStatus.options) {
    for (const command of commands) {
      const to = after(status, command);
      if (to) add(status, to, "reopen" in command ? "resume --reopen" : command.type);
    }
  }
  for (const out of explore(2).edges.values()) {
    if (!out.some((e) => e.label === "COMPLETE")) continue;
    add("running", "completed", "COMPLETE, proven");
    add("running", "failed", "COMPLETE, limit or open task");
    break;
  }
  const lines = [...edges].map(([edge, labels]) => `  ${edge}: ${labels.join(" · ")}`);
  return ["stateDiagram-v2", "  [*] --> created", ...lines].join("\n");
}

function after(status: LoopStatus, command: LoopCommand): string | undefined {
  const open = { id: "a", description: "a", status: "pending" };
  const state = LoopState.parse({
    loop_id: "a",
    title: "a",
    status,
    created_at: AT,
    updated_at: AT,
    tasks: [open],
  });
  if ("reopen" in command && status !== "failed" && status !== "completed") return undefined;
  try {
    const next = decide(state, command, AT).reduce(evolve, state).status;
    return next === status ? undefined : next;
  } catch {
    return undefined;
  }
}

/** Which action follows which, over every path of a small loop. */
export function actionDiagram(): string {
  const graph = explore(3);
  const pairs = new Set<string>();
  for (const out of graph.edges.values()) {
    for (const edge of out) {
      if (edge.by !== "system") continue;
      for (const next of graph.edges.get(edge.to) ?? []) {
        if (next.by === "system") pairs.add(`  ${node(edge.label)} --> ${node(next.label)}`);
      }
    }
  }
  return ["flowchart LR", ...[...pairs].sort()].join("\n");
}

function node(label: string): string {
  const action = label.replace(/\(.*/, "");
  if (/VALIDATE\((pass|waived)/.test(label)) return 'PASS(["VALIDATE: pass"])';
  if (action === "VALIDATE") return 'FAIL(["VALIDATE: fail"])';
  return `${action}["${action}"]`;
}

/** The text with the diagrams of today between its markers. */
export function withDiagrams(text: string): string {
  return [
    ["status", statusDiagram()],
    ["actions", actionDiagram()],
  ].reduce((doc, [name, diagram]) => {
    const begin = `<!-- diagram:${name} -->`;
    const end = `<!-- /diagram:${name} -->`;
    const from = doc.indexOf(begin);
    const to = doc.indexOf(end);
    if (from < 0 || to < from) throw new Error(`ARCHITECTURE.md lacks the markers of ${name}.`);
    return `${doc.slice(0, from)}${begin}\n\`\`\`mermaid\n${diagram}\n\`\`\`\n${doc.slice(to)}`;
  }, text);
}

if (import.meta.main) {
  const file = new URL("../../../ARCHITECTURE.md", import.meta.url);
  if (process.argv.includes("--write")) {
    writeFileSync(file, withDiagrams(readFileSync(file, "utf8")));
  } else {
    console.log(`${statusDiagram()}\n\n${actionDiagram()}`);
  }
}
