/** One output item of a model's answer, as the Responses API spells it. */
export interface ModelItem {
  type: string;
  id: string;
  [field: string]: unknown;
}

let counter = 0;

function newId(prefix: string): string {
  counter += 1;
  return `${prefix}_${String(counter).padStart(6, "0")}`;
}

/** Text of the model; `commentary` is said on the way, `final_answer` ends the turn. */
export function message(text: string, phase?: "commentary" | "final_answer"): ModelItem {
  const content = [{ type: "output_text", text, annotations: [] }];
  return {
    type: "message",
    role: "assistant",
    id: newId("msg"),
    ...(phase ? { phase } : {}),
    content,
  };
}

export function reasoning(text: string): ModelItem {
  const summary = [{ type: "summary_text", text }];
  return { type: "reasoning", id: newId("rs"), summary, encrypted_content: "none" };
}

/** A call of a function tool with JSON arguments. */
export function functionCall(name: string, args: Record<string, unknown>): ModelItem {
  const call = { id: newId("fc"), call_id: newId("call") };
  return { type: "function_call", name, arguments: JSON.stringify(args), ...call };
}

/** A call of a tool that takes plain text. */
export function customCall(name: string, input: string): ModelItem {
  return { type: "custom_tool_call", id: newId("ctc"), name, input, call_id: newId("call") };
}

/** Codex's shell tool. `more`: `workdir`, `yield_time_ms`, `sandbox_permissions`, `justification`, … */
export function runCommand(cmd: string, more: Record<string, unknown> = {}): ModelItem {
  return functionCall("exec_command", { cmd, yield_time_ms: 30_000, ...more });
}

/** Codex's edit tool; `hunks` is what stands between the patch's begin and end lines. */
export function applyPatch(hunks: string): ModelItem {
  return customCall("apply_patch", `*** Begin Patch\n${hunks.trimEnd()}\n*** End Patch\n`);
}
