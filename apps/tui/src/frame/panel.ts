import { fit, fitAll, type Line, line, lineWidth, type Size, span } from "./line.ts";

export interface PanelOptions extends Size {
  title: string;
  /** Has the keys that scroll. */
  focused?: boolean;
  /** Told at the right end of the upper edge, such as `12-30 of 400`. */
  note?: string;
}

/** Lines in a frame of exactly that size, two of each dimension for the edges. */
export function panel(
  lines: readonly Line[],
  { columns, rows, title, focused = false, note = "" }: PanelOptions,
): Line[] {
  const tone = focused ? "name" : "quiet";
  const inner = Math.max(0, columns - 2);
  const body = fitAll(lines, { columns: inner, rows: rows - 2 });
  const end = note === "" ? "" : ` ${note} `;
  const name = line(` ${title} `, focused ? "name" : "strong");
  const head = fit(name, Math.min(inner, lineWidth(name)));
  const room = inner - lineWidth(head) - end.length - 1;
  const upper: Line =
    room < 0
      ? [span("╭", tone), ...fit(head, inner), span("╮", tone)]
      : [span("╭", tone), ...head, span("─".repeat(room), tone), span(`${end}─╮`, tone)];
  const lower = line(`╰${"─".repeat(inner)}╯`, tone);
  const edge = span("│", tone);
  return [upper, ...body.map((of): Line => [edge, ...of, edge]), lower];
}

/** Blocks of lines of equal height side by side. */
export function joinColumns(...blocks: readonly (readonly Line[])[]): Line[] {
  const rows = Math.max(...blocks.map((block) => block.length));
  return Array.from({ length: rows }, (_, i) => blocks.flatMap((block) => block[i] ?? []));
}
