import { join } from "node:path";
import { textOf } from "../project-files.ts";
import { lineCutter } from "../stream-readers.ts";
import type { CoverageParser, FileLines, LineTable } from "./line-table.ts";
import type { PathResolver } from "./path-resolver.ts";

/** `DA:line,hits[,checksum]`, as in the man page of geninfo. */
const LCOV_LINE = /^DA:(\d+),(-?\d+)(?:,|$)/;
const LCOV_COUNT = /^L([FH]):(\d+)$/;
/** Every other record is a word in capitals; comments start with `#`. */
const LCOV_OTHER = /^(?:[A-Z]{2,}\d*:|#|\s*$)/;

/** The tracefile of lcov, in records from `SF:` to `end_of_record`. */
export function lcovParser(table: LineTable): CoverageParser {
  let file: FileLines | null = null;
  let hasLines = false;
  let found = 0;
  let hits = 0;

  const read = (text: string) => {
    const line = LCOV_LINE.exec(text);
    if (line) {
      hasLines = true;
      file?.line(Number(line[1]), Number(line[2]) > 0);
      return;
    }
    const count = LCOV_COUNT.exec(text);
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
    } else if (!LCOV_OTHER.test(text)) {
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

/** `name:line.column,line.column statements count`, as in golang.org/x/tools/cover. */
const GO_BLOCK = /^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$/;
const GO_MODE = /^mode: (set|count|atomic)$/;
/** Lines of one block, and of all blocks of a profile. */
const BLOCK_LINES = 100_000;
const ALL_LINES = 50_000_000;

/** A profile of `go test -coverprofile`. It tells blocks, from brace to brace, all of whose lines count. */
export function goProfileParser(table: LineTable): CoverageParser {
  const fileNamed = moduleNames(table.places);
  let started = false;
  let touched = 0;
  const read = (text: string) => {
    // Several profiles that were joined have several such lines.
    if (GO_MODE.test(text)) {
      started = true;
      return;
    }
    const block = GO_BLOCK.exec(text);
    if (!started || !block) throw new Error("a line of it is no block of a Go profile");
    const name = fileNamed(block[1] ?? "");
    const [from = 0, to = 0, count = 0] = block.slice(2).map(Number);
    touched += to - from + 1;
    if (to < from || to - from >= BLOCK_LINES || touched > ALL_LINES) {
      throw new Error("a block of it is too long");
    }
    const file = table.file(name);
    for (let line = from; line <= to; line += 1) file.line(line, count > 0);
  };
  const lines = lineCutter((line) => {
    if (line.length > 0) read(line.toString());
  });
  return { write: (chunk) => lines.write(chunk), end: () => lines.end() };
}

interface GoModule {
  path: string;
  folder: string;
}

/** Names in a profile start with the path of their module. */
function moduleNames(places: PathResolver): (name: string) => string {
  const modules = places.above.flatMap(modulesOf).sort((a, b) => b.path.length - a.path.length);
  return (name) => {
    const module = modules.find(({ path }) => name.startsWith(`${path}/`));
    return module ? join(module.folder, name.slice(module.path.length)) : name;
  };
}

/** The module of a folder, and those that its `go.work` names. */
function modulesOf(folder: string): GoModule[] {
  const work = textOf(join(folder, "go.work")) ?? "";
  const used = [...work.matchAll(/^\s*(?:use\s+)?(\.{1,2}[\w./-]*)\s*$/gm)];
  return [folder, ...used.map(([, path = "."]) => join(folder, path))].flatMap((one) => {
    const text = textOf(join(one, "go.mod")) ?? "";
    const path = /^module\s+"?([^\s"]+)/m.exec(text)?.[1];
    return path === undefined ? [] : [{ path, folder: one }];
  });
}
