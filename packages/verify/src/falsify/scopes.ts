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
  let [at, indent] = [from, -1];
  while (at < bare.length) {
    const next = bare.indexOf("\n", at) + 1 || bare.length + 1;
    const line = bare.slice(at, next - 1);
    const depth = line.search(/\S/);
    // `) -> None:` ends what began with `def test(`.
    const isEnd = depth !== -1 && depth <= indent && !/^[ \t]*[)\]}].*:\s*$/.test(line);
    if (isEnd) return at;
    if (at === from) indent = depth;
    at = next;
  }
  return bare.length;
}
