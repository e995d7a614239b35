import { hash } from "node:crypto";

/** What happened, in order; its digest tells two runs apart. */
export class Trace {
  readonly lines: string[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  note(text: string): void {
    this.lines.push(`${this.#now().toFixed(3)} ${text}`);
  }

  digest(): string {
    return hash("sha256", this.lines.join("\n")).slice(0, 16);
  }
}
