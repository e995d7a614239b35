import { clip, visible } from "../text.ts";

const LINE_LIMIT = 300;
const QUOTE_LIMIT = 4_000;
const QUOTE_LINES = 80;

/**
 * Foreign text as one inert line: no heading, list, table, fence, link, HTML or emphasis of ours can be forged
 * with it, wherever in a line it stands.
 */
export function inline(text: string): string {
  return escapeLine(oneLine(text, LINE_LIMIT), BESIDE_OURS);
}

function oneLine(text: string, limit: number): string {
  const line = visible(text).replaceAll(/[\n\t]/g, " ");
  return clip(line.trim(), limit);
}

/** Foreign text as a block quote, every line inert. Long text is cut; the whole of it is in the data part. */
export function quote(text: string): string {
  const lines = clip(visible(text).trim(), QUOTE_LIMIT).split("\n");
  const shown = lines
    .slice(0, QUOTE_LINES)
    .map((line) => (line.trim() === "" ? ">" : `> ${escapeLine(line.trimEnd(), ALONE)}  `));
  const more = lines.length - shown.length;
  if (more > 0) shown.push(`> … (${more} more lines)`);
  return shown.join("\n");
}

/**
 * Foreign text as it is, in a fenced block with a longer fence than any inside it. Indented, so that none of its lines
 * begins where one of ours could. Long text is cut to its end.
 */
export function fenced(text: string): string {
  const lines = visible(text).trimEnd().slice(-QUOTE_LIMIT).split("\n").slice(-QUOTE_LINES);
  const longest = Math.max(2, ...(lines.join("\n").match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return [`${fence}text`, ...lines, fence].map((line) => `  ${line}`.trimEnd()).join("\n");
}

/** Foreign text as a code span; a longer fence than any inside it. */
export function code(text: string, limit = LINE_LIMIT): string {
  const line = oneLine(text, limit);
  if (line === "") return "_empty_";
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = longest > 0 ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A list of the first `most` of them, each as `text` makes it, and how many `more` there are. */
export function bullets(
  items: readonly string[],
  most: number,
  text: (item: string) => string,
  more = "more",
): string {
  const lines = items.slice(0, most).map((item) => `- ${text(item)}`);
  if (items.length > most) lines.push(`- … (${items.length - most} ${more})`);
  return lines.join("\n");
}

/** A table; every cell but the titles is made inert here. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(titles),
    line(titles.map(() => "---")),
    ...rows.map((row) => line(row.map((cell) => inline(cell)))),
  ].join("\n");
}

export function metrics(values: Readonly<Record<string, string | number>>): string {
  const rows = Object.entries(values).map(([name, value]) => [name, String(value)]);
  return table(["Metric", "Value"], rows);
}

/** A heading with a list behind it; nothing where the list is empty. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, lines.map((line) => `- ${line}`).join("\n")];
}

/** Lines of `**Name**: value`, each ending in a hard break. Values are inert. */
export function fields(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `**${name}**: ${value === "" ? "_unknown_" : inline(value)}  `)
    .join("\n");
}

/** The parts of a document with one empty line between them. */
export function document(parts: readonly (string | undefined)[]): string {
  return `${parts.filter((part) => part !== undefined && part !== "").join("\n\n")}\n`;
}

/** What forms links, HTML, tables and escapes. */
const ALONE = /[\\<>&|[\]*]/g;
/** The same and what could pair with a mark of ours on the same line. */
const BESIDE_OURS = /[\\<>&|[\]*`~]/g;

/** Escapes Markdown: always what `everywhere` names; at the start of the line what opens a block. */
function escapeLine(line: string, everywhere: RegExp): string {
  const escaped = line.replaceAll(everywhere, "\\$&").replaceAll(/`{2,}|~{2,}|_{2,}/g, escapeAll);
  return escaped.replace(
    /^(\s*)([#>+=:~`_-]|\d{1,9}(?=[.)](?:\s|$)))/,
    (_, space: string, mark: string) =>
      /\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
  );
}

function escapeAll(run: string): string {
  return run.replaceAll(/./g, "\\$&");
}
