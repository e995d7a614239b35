/**
 * Writes a coverage report of some megabytes and reads it; run by coverage-bounds.test.ts in a small heap.
 * Arguments: format, megabytes, lines of each file.
 */
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { readCoverage } from "../src/coverage/read-coverage.ts";

interface Shape {
  path: string;
  head: string;
  file: (name: string, first: boolean) => string;
  line: (number: number, hit: boolean, first: boolean) => string;
  endOfFile: string;
  end: string;
}

const SHAPES: Record<string, Shape> = {
  lcov: {
    path: "lcov.info",
    head: "TN:\n",
    file: (name) => `SF:${name}\n`,
    line: (number, hit) => `DA:${number},${hit ? 1 : 0}\n`,
    endOfFile: "end_of_record\n",
    end: "",
  },
  cobertura: {
    path: "coverage.xml",
    head: '<?xml version="1.0"?><coverage line-rate="1"><packages><package><classes>',
    file: (name) => `<class name="${name}" filename="${name}"><methods/><lines>`,
    line: (number, hit) => `<line number="${number}" hits="${hit ? 1 : 0}" branch="false"/>`,
    endOfFile: "</lines></class>",
    end: "</classes></package></packages></coverage>",
  },
  istanbul: {
    path: "coverage/coverage-final.json",
    head: "{",
    file: (name, first) => `${first ? "" : ","}"${name}":{"path":"${name}","statementMap":{`,
    line: (number, _, first) =>
      `${first ? "" : ","}"${number}":{"start":{"line":${number},"column":0},"end":{"line":${number},"column":9}}`,
    endOfFile: '},"s":{"1":1}}',
    end: "}",
  },
  go: {
    path: "coverage.out",
    head: "mode: set\n",
    file: () => "",
    line: (number, hit) => `a.go:${number}.1,${number}.20 1 ${hit ? 1 : 0}\n`,
    endOfFile: "",
    end: "",
  },
};

const [format = "", megabytes = "1", perFile = "1000"] = process.argv.slice(2);
const shape = SHAPES[format];
if (!shape) throw new Error(`unknown format ${format}`);
const told = { files: 0, lines: 0, hit: 0, bytes: 0 };

function* text({ head, file, line, endOfFile, end }: Shape): Generator<string> {
  yield head;
  while (told.bytes < Number(megabytes) * 1_000_000) {
    let piece = file(`src/f${told.files}.x`, told.files === 0);
    for (let number = 1; number <= Number(perFile); number += 1) {
      const hit = format === "istanbul" ? number === 1 : number % 4 !== 0;
      piece += line(number, hit, number === 1);
      told.lines += 1;
      if (hit) told.hit += 1;
      if (piece.length > 64 * 1024) {
        told.bytes += piece.length;
        yield piece;
        piece = "";
      }
    }
    told.files += 1;
    piece += endOfFile;
    told.bytes += piece.length;
    yield piece;
  }
  yield end;
}

const dir = await mkdtemp(join(tmpdir(), "ccw-loop-huge-"));
try {
  const file = join(dir, shape.path);
  await mkdir(dirname(file), { recursive: true });
  await pipeline(Readable.from(text(shape)), createWriteStream(file));
  const started = performance.now();
  const { lines, files } = await readCoverage(dir, 0);
  const listed = files.filter(({ hit, missed }) => hit.length + missed.length > 0);
  const ms = Math.round(performance.now() - started);
  console.log(JSON.stringify({ told, lines, files: files.length, listed: listed.length, ms }));
} finally {
  await rm(dir, { recursive: true });
}
