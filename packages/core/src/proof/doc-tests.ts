/** Tests in documentation: examples of Python behind a prompt, fenced blocks in comments of Rust. */

const DOC_COMMENT = /^\s*(\/\/[/!])/;
const FENCE = /^\s*\/\/[/!]\s*```/;
const PROMPT = /^\s*(>>>|\.\.\.) /;
const QUOTES = /^("""|''')/;
const PYTHON_ITEM = /^(\s*)(?:async\s+)?(?:def|class)\s+(\w+)/;
const RUST_ITEM =
  /\b(fn|struct|enum|union|trait|mod|type|const|static|macro_rules!|impl)\s+([^\s(<{;:]+)/;

/** Lines of one text that stand together, from a prompt or a fence to the end of what is expected. */
interface DocTest {
  /** What they document, by its name, and by its number where several have that name. */
  of: string;
  /** The first line of them, and the one behind the last. */
  from: number;
  to: number;
  lines: string[];
}

/** In order; `outside` is a text in which blocks of tests are blank. */
export function docTestsOf(outside: string): DocTest[] {
  const lines = outside.split("\n");
  const found = [...fencedIn(lines), ...promptedIn(lines)].sort((a, b) => a.from - b.from);
  return found.map((one) => ({ ...one, lines: lines.slice(one.from, one.to) }));
}

/** These documentation tests in the place of those that document the same; all others are taken out. */
export function graftDocTests(
  { text, outside }: { text: string; outside: string },
  others: readonly DocTest[],
): { text: string; isComplete: boolean } {
  const wanted = Map.groupBy(others, ({ of }) => of);
  const before = text.split("\n");
  const lines: (string | string[])[] = [...before];
  for (const [of, places] of Map.groupBy(docTestsOf(outside), ({ of }) => of)) {
    const tests = wanted.get(of) ?? [];
    wanted.delete(of);
    for (const [n, { from, to }] of places.entries()) {
      const here = n === 0 ? tests : [];
      const instead = here.flatMap((test, at) => [...(at === 0 ? [] : [""]), ...test.lines]);
      lines.fill([], from, to);
      lines[from] = indentedAs(before[from] ?? "", instead);
    }
  }
  return { text: lines.flat().join("\n"), isComplete: wanted.size === 0 };
}

/** Lines with the indentation of another one; between two tests of Rust stands an empty comment. */
function indentedAs(sample: string, lines: readonly string[]): string[] {
  const indentOf = (line: string) => /^\s*/.exec(line)?.[0] ?? "";
  const [own, first] = [indentOf(sample), indentOf(lines[0] ?? "")];
  const comment = DOC_COMMENT.exec(sample)?.[1] ?? "";
  return lines.map((line) => {
    if (line === "") return comment === "" ? "" : `${own}${comment}`;
    return own + (line.startsWith(first) ? line.slice(first.length) : line.trimStart());
  });
}

type Place = Pick<DocTest, "of" | "from" | "to">;

/** From fence to fence, in comments that document an item or (`//!`) the file. */
function fencedIn(lines: readonly string[]): Place[] {
  const found: Place[] = [];
  const counts = new Map<string, number>();
  let open: number | null = null;
  let waiting: Omit<Place, "of">[] = [];
  for (const [n, line] of lines.entries()) {
    if (DOC_COMMENT.test(line)) {
      if (!FENCE.test(line)) continue;
      if (open !== null) waiting.push({ from: open, to: n + 1 });
      open = open === null ? n : null;
      continue;
    }
    if (open !== null) waiting.push({ from: open, to: n });
    open = null;
    if (waiting.length === 0 || /^\s*(#|$)/.test(line)) continue;
    const [, kind = "", name = ""] = RUST_ITEM.exec(line) ?? [];
    const item = `${kind} ${name}`;
    const count = (counts.get(item) ?? 0) + 1;
    counts.set(item, count);
    const isOfFile = ({ from }: Omit<Place, "of">) => lines[from]?.trim().startsWith("//!");
    found.push(
      ...waiting.map((one) => ({ ...one, of: isOfFile(one) ? "//!" : `${item} ${count}` })),
    );
    waiting = [];
  }
  if (open !== null) waiting.push({ from: open, to: lines.length });
  return [...found, ...waiting.map((one) => ({ ...one, of: "//!" }))];
}

/** From a prompt to the next empty line, or to the end of the text that documents. */
function promptedIn(lines: readonly string[]): Place[] {
  const found: Place[] = [];
  let scopes: { indent: number; name: string }[] = [];
  let open: number | null = null;
  for (const [n, line] of lines.entries()) {
    const item = PYTHON_ITEM.exec(line);
    if (item && open === null) {
      const indent = item[1]?.length ?? 0;
      scopes = scopes.filter((one) => one.indent < indent);
      scopes.push({ indent, name: item[2] ?? "" });
    }
    const plain = line.trim();
    const isPrompt = !DOC_COMMENT.test(line) && PROMPT.test(line);
    if (isPrompt) open ??= n;
    else if (open !== null && (plain === "" || QUOTES.test(plain))) {
      found.push({ of: scopes.map(({ name }) => name).join("."), from: open, to: n });
      open = null;
    }
  }
  if (open !== null) {
    found.push({ of: scopes.map(({ name }) => name).join("."), from: open, to: lines.length });
  }
  return found;
}
