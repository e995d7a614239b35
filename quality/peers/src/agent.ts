import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A coding agent that costs a few milliseconds: it speaks like `claude -p`, in text or as a stream of JSON. Beside the project it finds what
 * to do: `edit-N` is run as a shell script in the N-th turn, the last one in each turn after it; `done` and `open` are what it says then.
 */
const AGENT = `#!/bin/sh
top=$(dirname "$PWD")
json=
for word in "$@"; do
  case $word in
    --version|-v) echo "2.1.240 (Claude Code)"; exit 0 ;;
    --help) echo "Usage: claude [options]"; exit 0 ;;
    *stream-json*) json=1 ;;
  esac
done
[ -f "$top/edits" ] || { echo "no edits beside $PWD" >&2; exit 3; }
[ -n "$json" ] && [ ! -t 0 ] && timeout 0.05 cat >/dev/null 2>&1
n=$(($(cat "$top/n" 2>/dev/null || echo 0) + 1))
echo $n >"$top/n"
read -r edits each <"$top/edits"
edit=$(((n - 1) / each + 1))
[ $edit -gt $edits ] && edit=$edits
[ $(((n - 1) % each)) -eq 0 ] && sh "$top/edit-$edit" >/dev/null 2>&1
say=$(cat "$top/done")
[ $edit -lt $edits ] && say=$(cat "$top/open")
if [ -n "$json" ]; then
  text='"'$say'"'
  printf '%s\\n' '{"type":"system","subtype":"init","session_id":"s1","model":"none","tools":[]}' \\
    '{"type":"assistant","session_id":"s1","message":{"role":"assistant","content":[{"type":"text","text":'"$text"'}]}}' \\
    '{"type":"result","subtype":"success","is_error":false,"session_id":"s1","total_cost_usd":0,"duration_ms":1,"num_turns":1,"usage":{"input_tokens":10,"output_tokens":10},"result":'"$text"'}'
else
  printf '%s\\n' "$say"
fi
`;

/** Puts it into the folder under the name of the agent that every tool knows how to call; answers with its path. */
export function writeAgent(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "claude");
  writeFileSync(path, AGENT);
  chmodSync(path, 0o755);
  return path;
}

/** What the agent of the project in `top` will do: a shell script for each turn. */
export function writeEdits(
  top: string,
  edits: readonly string[],
  says: { done: string; open?: string },
  callsPerEdit = 1,
): void {
  for (const [n, edit] of edits.entries()) writeFileSync(join(top, `edit-${n + 1}`), edit);
  writeFileSync(join(top, "edits"), `${edits.length} ${callsPerEdit}\n`);
  writeFileSync(join(top, "done"), says.done);
  writeFileSync(join(top, "open"), says.open ?? says.done);
}
