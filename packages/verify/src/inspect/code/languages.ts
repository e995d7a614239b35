/** How a language is written, as far as its statements can be told apart without understanding them. */
export interface Language {
  name:
    | "javascript"
    | "python"
    | "go"
    | "rust"
    | "java"
    | "kotlin"
    | "php"
    | "ruby"
    | "csharp"
    | "shell"
    | "c"
    | "lines";
  /** What holds the statements of a block: braces, deeper lines, lines up to `end`; `lines` knows no blocks. */
  layout: "braces" | "indent" | "end" | "lines";
  /** A new line ends a statement where the statement could end. */
  newlines: boolean;
  /** Sticky; up to the end of the text where a comment is never closed. */
  comment: RegExp | null;
  /** Sticky; every kind of literal that needs no look at what stands before it. */
  string: RegExp | null;
  /** Comments that mean something to a tool, and so count as code. */
  directive?: RegExp;
  /** `/…/` is a pattern where no value stands before it. */
  patterns?: true;
  nestedComments?: true;
  /** `'a'` and `"a"` are the same. */
  quotesAlike?: true;
  /** Sticky; from here to the end is no code. */
  end?: RegExp;
  /** Sticky; starts a text that goes on below, up to a line with its label (group 1). */
  heredoc?: RegExp;
}

const DOUBLE = String.raw`"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?`;
const SINGLE = String.raw`'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?`;
const LONG_DOUBLE = String.raw`"[^"\\]*(?:\\[\s\S][^"\\]*)*"?`;
const LONG_SINGLE = String.raw`'[^'\\]*(?:\\[\s\S][^'\\]*)*'?`;
const RAW = "`[^`]*`?";
const TRIPLE = String.raw`"""[\s\S]*?(?:"""|$(?![\s\S]))`;
const TRIPLE_SINGLE = String.raw`'''[\s\S]*?(?:'''|$(?![\s\S]))`;
const RUST_RAW = String.raw`r(#*)"[\s\S]*?(?:"\1|$(?![\s\S]))`;
const CHARACTER = String.raw`'(?:\\(?:[^\n']{1,10}|')|[^\\'\n])'`;
const VERBATIM = String.raw`(?:@\$?|\$@)"(?:[^"]|"")*"?`;

const SLASHES = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))`;
const HASH = "#[^\\n]*";

const sticky = (...parts: string[]) => new RegExp(parts.join("|"), "y");

const COVERAGE = String.raw`(?:istanbul|v8|c8|node:coverage)\s+ignore`;
const curly = { layout: "braces", newlines: false, comment: sticky(SLASHES) } as const;

const LANGUAGES = {
  javascript: {
    ...curly,
    name: "javascript",
    newlines: true,
    string: sticky(DOUBLE, SINGLE),
    directive: new RegExp(`${COVERAGE}|@(?:jest|vitest)-environment|@ts-nocheck`),
    patterns: true,
    quotesAlike: true,
  },
  python: {
    name: "python",
    layout: "indent",
    newlines: true,
    comment: sticky(HASH),
    string: sticky(TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE),
    directive: /pragma:\s*no\s*(?:cover|branch)/,
    quotesAlike: true,
  },
  go: {
    ...curly,
    name: "go",
    newlines: true,
    string: sticky(DOUBLE, RAW, SINGLE),
    directive: /^\/\/(?:go:build|\s*\+build)\b|^\/\/\s*(?:unordered )?output:/i,
  },
  rust: {
    ...curly,
    name: "rust",
    string: sticky(RUST_RAW, LONG_DOUBLE, CHARACTER),
    nestedComments: true,
  },
  java: { ...curly, name: "java", string: sticky(TRIPLE, DOUBLE, SINGLE) },
  kotlin: {
    ...curly,
    name: "kotlin",
    newlines: true,
    string: sticky(TRIPLE, TRIPLE_SINGLE, DOUBLE, SINGLE),
    nestedComments: true,
  },
  php: {
    ...curly,
    name: "php",
    comment: sticky(SLASHES, "#(?!\\[)[^\\n]*"),
    string: sticky(LONG_DOUBLE, LONG_SINGLE),
    directive:
      /@(?:test|requires|dataProvider|depends|doesNotPerformAssertions|codeCoverageIgnore)\b/,
    end: /__halt_compiler\s*\(/y,
    heredoc: /<<<\s*['"]?(\w+)['"]?/y,
  },
  ruby: {
    name: "ruby",
    layout: "end",
    newlines: true,
    comment: sticky(String.raw`(?<=^|\n)=begin\b[\s\S]*?(?:\n=end[^\n]*|$(?![\s\S]))`, HASH),
    string: sticky(LONG_DOUBLE, LONG_SINGLE, RAW),
    patterns: true,
    quotesAlike: true,
    end: /(?<=^|\n)__END__(?=\r?\n|$)/y,
    heredoc: /<<[~-]?['"]?([A-Z_]\w*)['"]?/y,
  },
  csharp: {
    ...curly,
    name: "csharp",
    comment: sticky(
      SLASHES,
      String.raw`#[ \t]*if[ \t]+(?:false|FALSE|0)\b[\s\S]*?(?:#[ \t]*(?:endif|else)[^\n]*|$(?![\s\S]))`,
      String.raw`#[ \t]*(?:end)?(?:region|pragma|nullable)[^\n]*`,
    ),
    string: sticky(TRIPLE, VERBATIM, DOUBLE, SINGLE),
  },
  shell: {
    name: "shell",
    layout: "braces",
    newlines: true,
    comment: sticky("(?<=^|\\s)#[^\\n]*"),
    string: sticky(LONG_DOUBLE, "'[^']*'?"),
    heredoc: /<<-?['"]?([A-Za-z_]\w*)['"]?/y,
  },
  c: {
    ...curly,
    name: "c",
    comment: sticky(
      SLASHES,
      String.raw`#[ \t]*if[ \t]+(?:false|0)\b[\s\S]*?(?:#[ \t]*(?:endif|else)[^\n]*|$(?![\s\S]))`,
    ),
    string: sticky(DOUBLE, SINGLE),
  },
  lines: { name: "lines", layout: "lines", newlines: true, comment: null, string: null },
} as const satisfies Record<string, Language>;

const EXTENSIONS: readonly [RegExp, keyof typeof LANGUAGES][] = [
  [/\.[cm]?[jt]sx?$/, "javascript"],
  [/\.pyi?$/, "python"],
  [/\.go$/, "go"],
  [/\.rs$/, "rust"],
  [/\.java$/, "java"],
  [/\.(?:kts?|scala|groovy|gradle|swift)$/, "kotlin"],
  [/\.php$/, "php"],
  [/(?:\.(?:rb|rake|gemspec)|(?:^|\/)(?:Rakefile|Gemfile|Guardfile|\.simplecov))$/, "ruby"],
  [/\.cs$/, "csharp"],
  [/\.(?:sh|bash|zsh|bats)$/, "shell"],
  [/\.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm)$/, "c"],
  [/\.(?:exs?|lua|feature|dart|pl|t|r|jl|hs|clj|fs|vb|ps1)$/i, "lines"],
];

/** Undefined for what is no code by its name. */
export function languageOf(path: string): Language | undefined {
  const name = EXTENSIONS.find(([pattern]) => pattern.test(path))?.[1];
  return name && LANGUAGES[name];
}

/** For text of which nothing is known. */
export const LINES: Language = LANGUAGES.lines;
