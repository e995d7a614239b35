/** Balanced brackets behind a name, three deep. */
const ARGUMENTS = String.raw`(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?`;

/** Marks and time limits: what is left without them says what a test checks. */
const ASIDE: readonly [RegExp, string][] = [
  // Skips and focus, in JavaScript, Python, Java and Kotlin, Rust, C#, Ruby, PHP.
  [/\b(it|test|describe|suite|context|specify)\.(?:skip|only|todo|fails|failing|fixme)\b/g, "$1"],
  [new RegExp(String.raw`\.(?:skipIf|runIf)${ARGUMENTS}`, "g"), ""],
  [/\b[xf](it|test|describe|context|specify|example)\b/g, "$1"],
  [/[,{](?:skip|only|todo|focus|pending|fails):(?:"[^"]*"|[^,{}()]*)(?=[,})]|do\b|$)/g, ""],
  [
    new RegExp(
      String.raw`@(?:pytest\.)?mark\.(?:skip|skipif|xfail|only|timeout)\b${ARGUMENTS}`,
      "g",
    ),
    "",
  ],
  [
    new RegExp(
      String.raw`@(?:unittest\.)?(?:skip(?:If|Unless)?|expectedFailure)\b${ARGUMENTS}`,
      "g",
    ),
    "",
  ],
  [
    new RegExp(
      String.raw`@(?:Disabled\w*|Ignore|Enabled(?:If|On|For)\w*|Timeout)\b${ARGUMENTS}`,
      "g",
    ),
    "",
  ],
  [/,:(?:skip|focus|pending)\b(?:=>true)? ?/g, ""],
  [/#\[ignore[^\]]*\]/g, ""],
  [/,?\bSkip="[^"]*"|\[Ignore[^\]]*\]|,?\bTimeout=\d+/g, ""],
  [new RegExp(`->(?:skip|todo|only)${ARGUMENTS}`, "g"), ""],
  // Time limits.
  [/[,{](?:timeout|interval):[\d_*]+/g, ""],
  [/\b((?:waitFor\w*|waitUntil|poll|eventually)\(.*),[\d_]+\)$/g, "$1)"],
  [/^,[\d_*]+\)$/g, ""],
  [/\b(?:this|jest|test|vi)\.(?:timeout|setTimeout|slow)\([^()]*\)/g, ""],
  // What is left of brackets that held nothing else; a test that waits is no weaker.
  [/,\{?\}(?=[,)])|\[\(\)\]|\(\)(?=\])/g, ""],
  [/(^|[(,])async ?(?=\(|function|def|\w+=>)/g, "$1"],
];

function plain(text: string): string {
  return ASIDE.reduce((left, [pattern, instead]) => left.replaceAll(pattern, instead), text).trim();
}

/** Whether nothing of a statement is left without its marks and time limits. */
export function isAside(text: string): boolean {
  return plain(text) === "";
}

/** Longer statements are compared as they are. */
const LOOKED_AT = 20_000;

/** Whether a statement was only changed in what weakens nothing: marks (which are looked for apart), time limits, more cases. */
export function isHarmless(before: string, after: string): boolean {
  if (Math.max(before.length, after.length) > LOOKED_AT) return false;
  return plain(before) === plain(after) || growsTable(plain(before), plain(after));
}

const TABLE =
  /\.each\b|\bfor(?:Each|All)\b|\bparametrize\(|\b(?:Csv|Value|Method)Source\b|\[InlineData\(|\[TestCase\(|#\[case\(|\b(?:\w*[cC]ases|\w*[tT]ests|tt|tcs|\w*[tT]able|examples|scenarios|samples|\w*_(?:cases|tests))(?::[^=]*)?:?=|\brange\[\]struct|\b[dD]ata\w*:?=/;
const EXPECTED = /expect|want|result|golden|assert|actual|output/i;

/** Whether `after` is the same table of cases with more rows in it. */
function growsTable(before: string, after: string): boolean {
  const head = before.slice(0, before.search(/[[{]/) + 1);
  if (!TABLE.test(before) || EXPECTED.test(head.replaceAll(/"[^"]*"/g, ""))) return false;
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  const least = before.length - start;
  while (end < least && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  if (start + end < before.length) return false;
  let row = after.slice(start, after.length - end);
  if (row === "" || row.length > 4000) return false;
  // The same insertion can be read at several places: `[1],|[2],|[3]`.
  for (let shift = 0; shift <= row.length && start - shift > 0; shift += 1) {
    if (ATTRIBUTES.test(row) || (isRow(row) && isRowPlace(before, start - shift))) return true;
    const last = row.at(-1);
    if (last !== before[start - shift - 1]) return false;
    row = `${last}${row.slice(0, -1)}`;
  }
  return false;
}

/** Languages with attributes have one for each row. */
const ATTRIBUTES = /^(?:\[(?:InlineData|TestCase|DataRow)\([^\]]*\)\]|#\[case\([^\]]*\)\])+$/;

/** One or more whole elements of a list with the comma that parts them from the others. */
function isRow(row: string): boolean {
  if (!row.startsWith(",") && !row.endsWith(",")) return false;
  let depth = 0;
  for (const char of row.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')) {
    if (/[([{]/.test(char)) depth += 1;
    else if (/[)\]}]/.test(char)) depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Whether a row may stand here: directly in the outermost list that the table begins with, in no row of it. */
function isRowPlace(text: string, at: number): boolean {
  const around: string[] = [];
  for (const char of text.slice(0, at).replaceAll(/"(?:[^"\\]|\\.)*"/g, "")) {
    if (/[([{]/.test(char)) around.push(char);
    else if (/[)\]}]/.test(char)) around.pop();
  }
  const lists = around.filter((char) => char !== "(");
  const rowsAreGroups = /[[{(]/.test(text[at] ?? "") || /[\]})],?$/.test(text.slice(0, at));
  return (
    lists.length === 1 &&
    (rowsAreGroups || /\.each\b|parametrize\(|ValueSource|CsvSource/.test(text))
  );
}
