import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const BEGIN = "<!-- table -->";
const END = "<!-- /table -->";

/** A page of `docs` with one place that a program writes. */
export class Page {
  readonly #file: string;

  constructor(name: string) {
    this.#file = join(import.meta.dirname, "../../docs", name);
  }

  /** What was written last. */
  get written(): string {
    return this.#parts()[1];
  }

  /** Puts the text between the marks. Throws where the page has none. */
  write(text: string): void {
    const [before, , after] = this.#parts();
    writeFileSync(this.#file, `${before}${BEGIN}\n${text}${END}${after}`);
  }

  #parts(): [before: string, written: string, after: string] {
    const [before, rest] = readFileSync(this.#file, "utf8").split(`${BEGIN}\n`);
    const [written, after] = rest?.split(END) ?? [];
    if (before === undefined || written === undefined || after === undefined)
      throw new Error(`${this.#file} lacks ${BEGIN} … ${END}.`);
    return [before, written, after];
  }
}

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
