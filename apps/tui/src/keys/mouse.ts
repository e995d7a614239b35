/** A left click, or one notch of the wheel; `column` and `row` of the terminal, from 0. */
export interface Mouse {
  kind: "click" | "up" | "down";
  column: number;
  row: number;
}

/** Asks a terminal to report clicks and the wheel in the SGR form (xterm's modes 1000 and 1006), and no longer to. */
export const MOUSE_ON = "\u001B[?1000h\u001B[?1006h";
export const MOUSE_OFF = "\u001B[?1006l\u001B[?1000l";

const ESCAPE = "\u001B";
const REPORT = new RegExp(String.raw`${ESCAPE}\[<(\d+);(\d+);(\d+)([Mm])`, "g");
/** A report whose end is in the next piece. */
const BEGUN = new RegExp(String.raw`${ESCAPE}\[<[\d;]*$`);

/** Without modifiers; releases and other buttons mean nothing here. */
const KINDS: Readonly<Record<string, Mouse["kind"]>> = { 0: "click", 64: "up", 65: "down" };

/** Takes the reports of the mouse out of what a terminal sends, however it is cut into pieces. */
export class MouseReports {
  #begun = "";

  /** The text without them, and what they mean. */
  taken(piece: string): { text: string; reports: Mouse[] } {
    const all = this.#begun + piece;
    this.#begun = BEGUN.exec(all)?.[0] ?? "";
    const whole = all.slice(0, all.length - this.#begun.length);
    const reports = [...whole.matchAll(REPORT)].flatMap(([, button = "", column, row, end]) => {
      const kind = end === "M" ? KINDS[button] : undefined;
      return kind ? [{ kind, column: Number(column) - 1, row: Number(row) - 1 }] : [];
    });
    return { text: whole.replace(REPORT, ""), reports };
  }
}
