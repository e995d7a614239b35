import { titleIn } from "../test-text.ts";
import { type Code, closeOf, type Range } from "./code.ts";

/** The tests of a file, by what reports call them, and where each begins and ends. */
export function testsIn(code: Code): (Range & { title: string })[] {
  let at = 0;
  return code.text.split("\n").flatMap((line) => {
    const begin = at;
    at += line.length + 1;
    const found = titleIn(line);
    if (found === null || /\s/.test(code.bare[begin + found.from] as string)) return [];
    const { title, opening } = found;
    return [{ title, from: begin, to: endOf(code, begin, begin + opening) }];
  });
}

/** The title of the innermost test that is at this place. */
export function titleAt(tests: ReturnType<typeof testsIn>, at: number): string | null {
  return tests.findLast(({ from, to }) => from <= at && at < to)?.title ?? null;
}

function endOf(code: Code, from: number, opening: number): number {
  const { bare, ends } = code;
  if (ends === "bracket") {
    const open = bare[opening] === "(" ? opening : bare.indexOf("{", opening);
    return (open === -1 ? null : closeOf(code, open)) ?? bare.length;
  }
  if (ends !== "indent") return bare.length;
  const indent = /[ \t]*/.exec(bare.slice(from))?.[0].length ?? 0;
  const lines = bare.slice(from).split("\n");
  let at = from;
  for (const [n, line] of lines.entries()) {
    const isDeeper = line.search(/\S/) > indent;
    // `) -> None:` ends what began with `def test(`.
    if (n > 0 && line.trim() !== "" && !isDeeper && !/^[ \t]*[)\]}].*:\s*$/.test(line)) return at;
    at += line.length + 1;
  }
  return bare.length;
}
