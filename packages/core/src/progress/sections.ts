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
