/** A Markdown table that is readable in a terminal as well. */
export function columns(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, n) =>
    Math.max(head.length, ...rows.map((row) => row[n]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(" | ")} |`;
  const rule = line(widths.map((width) => "-".repeat(width)));
  return [line(heads), rule, ...rows.map(line)].join("\n");
}

/** One line of a table: no line breaks, no bars, and no more characters than `longest`. */
export function cell(text: string, longest: number): string {
  const line = text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
