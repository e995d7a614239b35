import { lineCutter } from "../stream-readers.ts";
import type { CoverageParser, FileLines, LineTable } from "./line-table.ts";

/** `DA:line,hits[,checksum]`, as in the man page of geninfo. */
const LINE = /^DA:(\d+),(-?\d+)(?:,|$)/;
const COUNT = /^L([FH]):(\d+)$/;
/** Every other record is a word in capitals; comments start with `#`. */
const OTHER = /^(?:[A-Z]{2,}\d*:|#|\s*$)/;

/** The tracefile of lcov, in records from `SF:` to `end_of_record`. */
export function lcovParser(table: LineTable): CoverageParser {
  let file: FileLines | null = null;
  let hasLines = false;
  let found = 0;
  let hits = 0;

  const read = (text: string) => {
    const line = LINE.exec(text);
    if (line) {
      hasLines = true;
      file?.line(Number(line[1]), Number(line[2]) > 0);
      return;
    }
    const count = COUNT.exec(text);
    if (count?.[1] === "F") found = Number(count[2]);
    else if (count) hits = Number(count[2]);
    else if (text.startsWith("SF:")) {
      file = table.file(text.slice(3));
      hasLines = false;
      found = 0;
      hits = 0;
    } else if (text === "end_of_record") {
      if (!hasLines) file?.counts(found, hits);
      file = null;
    } else if (!OTHER.test(text)) {
      throw new Error("a line of it is no lcov record");
    }
  };
  // Nearly all are `DA:`, which needs no decoding.
  const lines = lineCutter((line) => read(line.toString(line[0] === 0x44 ? "latin1" : "utf8")));
  return {
    write: (chunk) => lines.write(chunk),
    end() {
      lines.end();
      if (file !== null) throw new Error("its last record has no end");
    },
  };
}
