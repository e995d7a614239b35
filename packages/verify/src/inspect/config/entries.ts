import sax from "sax";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { languageOf } from "../code/languages.ts";
import { scan } from "../code/scan.ts";
import { statementsOf } from "../code/statements.ts";
import { codeEntries } from "./code-entries.ts";

/** One setting: where it stands in the document, and its value as text. */
export interface Entry {
  /** `tool.pytest.ini_options.addopts`; empty for a statement of a program. */
  path: string;
  value: string;
  /** 1-based; 0 where the parser tells none, see `lineOf`. */
  line: number;
}

/** Null where the text is not in the format. */
export type Reader = (text: string) => Entry[] | null;

function flatten(value: unknown, path: string, entries: Entry[]): Entry[] {
  if (Array.isArray(value)) {
    for (const item of value) flatten(item, `${path}[]`, entries);
  } else if (value !== null && typeof value === "object" && !(value instanceof Date)) {
    for (const [key, item] of Object.entries(value)) {
      flatten(item, path === "" ? key : `${path}.${key}`, entries);
    }
  } else entries.push({ path, value: String(value), line: 0 });
  return entries;
}

/** The line of a setting; where the parser told none, the first that names its last key, and its value if one does. */
export function lineOf({ path, value, line: known }: Entry, lines: readonly string[]): number {
  if (known > 0) return known;
  const key = path.replaceAll("[]", "").split(".").at(-1) ?? "";
  const start = JSON.stringify(value.split("\n", 1)[0]).slice(1, -1);
  const both = lines.findIndex((line) => line.includes(key) && line.includes(start));
  const wanted = path.endsWith("[]") ? start : key;
  return Math.max(both === -1 ? lines.findIndex((line) => line.includes(wanted)) : both, 0) + 1;
}

function parsed(parse: (text: string) => unknown): Reader {
  return (text) => {
    try {
      return flatten(parse(text), "", []);
    } catch {
      return null;
    }
  };
}

export const toml = parsed(parseToml);
export const yaml = parsed((text) => parseYaml(text, { logLevel: "silent" }));

/** JSON, with comments and commas that are too many. */
export const json = parsed((text) => {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(withoutComments(text));
  }
});

function withoutComments(text: string): string {
  const language = languageOf("a.js");
  const tokens = language ? scan(text, language).filter(({ kind }) => kind !== "newline") : [];
  return tokens
    .filter(({ text: sign }, at) => sign !== "," || !/^[\]}]$/.test(tokens[at + 1]?.text ?? ""))
    .map(({ text: token }) => token)
    .join(" ");
}

/** Sections with `key = value`; a value goes on in lines that are indented. */
export const ini: Reader = (text) => {
  const entries: Entry[] = [];
  let section = "";
  text.split(/\r\n?|\n/).forEach((line, index) => {
    const head = /^\s*\[([^\]]+)\]/.exec(line)?.[1];
    const pair = /^([\w.:-]+)\s*[=:]\s*(.*)$/.exec(line);
    if (/^\s*(?:[#;]|$)/.test(line)) return;
    if (head !== undefined) section = head.trim();
    else if (pair) {
      const path = section === "" ? (pair[1] ?? "") : `${section}.${pair[1]}`;
      entries.push({ path, value: pair[2]?.trim() ?? "", line: index + 1 });
    } else {
      const path = entries.at(-1)?.path ?? section;
      entries.push({ path: `${path.replace(/\[\]$/, "")}[]`, value: line.trim(), line: index + 1 });
    }
  });
  return entries;
};

/** Lines that are no comments. */
export const lines: Reader = (text) =>
  text.split(/\r\n?|\n/).flatMap((line, index) => {
    const value = line.trim().replaceAll(/\s+/g, " ");
    return value === "" || /^(?:#(?!!)|\/\/|;)/.test(value)
      ? []
      : [{ path: "", value, line: index + 1 }];
  });

/** Elements and attributes; what has an `artifactId` is told apart by it. */
export const xml: Reader = (text) => {
  const parser = sax.parser(true);
  const entries: Entry[] = [];
  const open: { name: string; from: number; text: string; line: number }[] = [];
  const path = () => open.map(({ name }) => name).join(".");
  let failed = false;
  parser.onerror = () => {
    failed = true;
    parser.error = null as unknown as Error;
  };
  parser.onopentag = ({ name, attributes }) => {
    open.push({ name, from: entries.length, text: "", line: parser.line + 1 });
    for (const [key, value] of Object.entries(attributes)) {
      entries.push({ path: `${path()}.@${key}`, value: String(value), line: parser.line + 1 });
    }
  };
  const add = (more: string) => {
    const last = open.at(-1);
    if (last) last.text += more;
  };
  parser.ontext = add;
  parser.oncdata = add;
  parser.onclosetag = () => {
    const last = open.at(-1);
    if (!last) return;
    const own = path();
    const value = last.text.trim().replaceAll(/\s+/g, " ");
    if (value !== "") entries.push({ path: own, value, line: last.line });
    const inside = entries.slice(last.from);
    const id = inside.find((entry) => entry.path === `${own}.artifactId`)?.value;
    if (id !== undefined) {
      for (const entry of inside) entry.path = `${own}<${id}>${entry.path.slice(own.length)}`;
    }
    open.pop();
  };
  parser.write(text).close();
  return failed ? null : entries;
};

/** A program: what its object literals set, and everything else in it. */
export const program =
  (file: string): Reader =>
  (text) => {
    const language = languageOf(file);
    if (!language) return lines(text);
    if (language.name === "javascript") return codeEntries(scan(text, language), language);
    return statements(file)(text);
  };

/** The statements of a program. */
export const statements =
  (file: string): Reader =>
  (text) => {
    const language = languageOf(file);
    if (!language) return lines(text);
    return statementsOf(text, language).map(({ text: value, depth, first }) => ({
      path: "",
      value: `${"  ".repeat(depth)}${value}`,
      line: first,
    }));
  };
