import { DIFFERENCES, type Difference, GENERAL } from "./differences.ts";

/** docs/api-differences.md as the table says it. */
export function differencesDocument(): string {
  const rows = [...GENERAL, ...Object.values(DIFFERENCES)];
  return `# Where the API differs from the older server

\`/api/loops/v2\` keeps the paths, fields and texts of the older control plane. The recorded answers of that server are
sent to ours in a test, [packages/api/test/conformance](../packages/api/test/conformance); each is equal but for ids
and times, or belongs to a row here. This page is made from the same table by
\`node packages/api/scripts/api-differences.ts --write\`.

| what | older server | CCW Loop | why |
|---|---|---|---|
${rows.map(row).join("\n")}
`;
}

function row({ about, upstream, ours, reason }: Difference): string {
  return `| ${[about, upstream, ours, reason].map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
}
