/** Files of a project with one issue, whose bound solution has one task. */
export const ISSUES = {
  ".workflow/issues/issues.jsonl": `${JSON.stringify({ id: "ISS-1", title: "Cart" })}\n`,
  ".workflow/issues/solutions/ISS-1.jsonl": `${JSON.stringify({
    id: "SOL-1",
    is_bound: true,
    tasks: [{ title: "Round once", tool: "codex", mode: "modify" }],
  })}\n`,
};
