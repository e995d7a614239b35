import { clip, visible } from "../text.ts";

const LINE_LIMIT = 300;
const QUOTE_LIMIT = 4_000;
const QUOTE_LINES = 80;

/**
 * Foreign text as one inert line: no heading, list, table, fence, link, HTML or emphasis of ours can be forged
 * with it, wherever in a line it stands.
 */
export function inline(text: string, limit: number = LINE_LIMIT): string {
  const line = visible(text)
    .replaceAll(/[\n\t]/g, " ")
    .trim();
  return escapeLine(clip(line, limit), BESIDE_OURS);
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

/** Foreign text as a code span; a longer fence than any inside it. */
export function code(text: string, limit: number = LINE_LIMIT): string {
  const line = clip(
    visible(text)
      .replaceAll(/[\n\t]/g, " ")
      .trim(),
    limit,
  );
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

/** A heading of a Markdown document and the lines below it, up to the next heading of any level. */
export interface Section {
  /** 1 for `#`; 0 for what stands before the first heading. */
  level: number;
  title: string;
  lines: string[];
}

/** A document cut at its headings, in order. */
export function sectionsOf(text: string): Section[] {
  let current: Section = { level: 0, title: "", lines: [] };
  const sections = [current];
  for (const raw of text.split("\n")) {
    const line = raw.trimEnd();
    const level = headingLevel(line);
    if (level === 0) current.lines.push(line);
    else {
      current = { level, title: line.slice(level).trim(), lines: [] };
      sections.push(current);
    }
  }
  return sections;
}

function headingLevel(line: string): number {
  let level = 0;
  while (level < 7 && line[level] === "#") level += 1;
  return level > 0 && level < 7 && line[level] === " " ? level : 0;
}

/** The sections below the one at `index`, up to the next of its own level or above. */
export function below(sections: readonly Section[], index: number): Section[] {
  const level = sections[index]?.level ?? 0;
  let end = index + 1;
  while (end < sections.length && (sections[end]?.level ?? 0) > level) end += 1;
  return sections.slice(index + 1, end);
}

/** The lines of a section as one text, without rules and the blank lines around it. */
export function textOf(section: Section | undefined): string {
  const lines = section?.lines.filter((line) => line !== "---") ?? [];
  return plain(
    lines
      .map((line) => line.replace(/^> ?/, ""))
      .join("\n")
      .trim(),
  );
}

/** `- **Name**: value` and its kin → the value of the first such line of any of the names. */
export function fieldOf(lines: readonly string[], ...names: string[]): string | undefined {
  for (const line of lines) {
    const bare = line.slice(0, 2_000).replace(/^[\s>*_-]+/, "");
    for (const name of names) {
      if (!bare.toLowerCase().startsWith(name.toLowerCase())) continue;
      const rest = bare.slice(name.length).replace(/^[*_]*/, "");
      if (rest.startsWith(":"))
        return plain(
          rest
            .slice(1)
            .replace(/^[*_]*/, "")
            .trim(),
        );
    }
  }
  return undefined;
}

/** The paths of a list like ``- `src/a.ts` ``. */
export function listOf(section: Section | undefined): string[] {
  const items = section?.lines.filter((line) => /^[-*] /.test(line)) ?? [];
  const paths = items.map((line) => plain(line.slice(2).trim()));
  return paths.filter((path) => path !== "" && !/^no files changed$/i.test(path));
}

/** A table row `| Name | value |` → the value. */
export function cellOf(lines: readonly string[], name: string): string | undefined {
  for (const line of lines) {
    const cells = line.slice(0, 2_000).split("|");
    const title = cells[1]?.replaceAll("*", "").trim();
    if (title?.toLowerCase() === name.toLowerCase()) return cells[2]?.replaceAll("*", "").trim();
  }
  return undefined;
}

/** `Title (2026-01-22T10:00:00Z)` → the title and what is in the last parentheses. */
export function datedTitle(title: string): { text: string; at: string | undefined } {
  const open = title.endsWith(")") ? title.lastIndexOf(" (") : -1;
  if (open === -1) return { text: plain(title), at: undefined };
  return { text: plain(title.slice(0, open)), at: title.slice(open + 2, -1) };
}

/** Text without the escapes and the code marks that we or an earlier tool put around it. */
function plain(text: string): string {
  const inner = /^`[^`]+`$/.test(text) ? text.slice(1, -1) : text;
  return inner.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1");
}
