import { type Attributes, xmlReader } from "../stream-readers.ts";
import type { CoverageParser, FileLines, LineTable } from "./line-table.ts";

/** Cobertura, Clover and JaCoCo, told apart by their root element. */
export function xmlParser(table: LineTable): CoverageParser {
  let dialect: XmlFormat | null = null;
  const reader = xmlReader({
    open(name, attributes) {
      dialect ??= xmlFormatOf(name, attributes, table);
      dialect.open(name, attributes);
    },
    close: (name) => dialect?.close(name),
    text: (text) => dialect?.text?.(text),
  });
  return {
    write: reader.write,
    end() {
      const problem = reader.end();
      if (problem !== null) throw new Error(problem);
    },
  };
}

/** Cobertura and Clover share the name of their root; only the first has rates there. */
function xmlFormatOf(root: string, attributes: Attributes, table: LineTable): XmlFormat {
  if (root === "report") return jacoco(table);
  if (root !== "coverage") throw new Error(`it is no coverage but <${root}>`);
  const hasRates = "line-rate" in attributes || "lines-valid" in attributes;
  return hasRates ? cobertura(table) : clover(table);
}

/** Follows the elements of one XML format. */
export interface XmlFormat {
  open(name: string, attributes: Attributes): void;
  /** Text inside the element that was opened last. */
  text?(value: string): void;
  close(name: string): void;
}

/** Longer texts name no folder. */
const SOURCE_LENGTH = 4096;

/** https://cobertura.github.io/cobertura: lines of a class, and often once more of its methods. */
export function cobertura(table: LineTable): XmlFormat {
  let file: FileLines | null = null;
  let source: string | null = null;
  return {
    open(name, at) {
      if (name === "coverage") table.percent(Number(at["line-rate"] ?? Number.NaN) * 100);
      else if (name === "source") source = "";
      else if (name === "class") file = at.filename === undefined ? null : table.file(at.filename);
      else if (name === "line") file?.line(Number(at.number), Number(at.hits) > 0);
    },
    text(value) {
      if (source !== null && source.length < SOURCE_LENGTH) source += value;
    },
    close(name) {
      if (name === "source") {
        table.places.add(source ?? "");
        source = null;
      } else if (name === "class") file = null;
    },
  };
}

/** The format of OpenClover as istanbul and PHPUnit write it. */
export function clover(table: LineTable): XmlFormat {
  let file: FileLines | null = null;
  return {
    open(name, at) {
      if (name === "file") file = table.file(at.path ?? at.name ?? "");
      else if (name === "line" && at.type !== "method") {
        file?.line(Number(at.num), Number(at.count) > 0);
      }
    },
    close(name) {
      if (name === "file") file = null;
    },
  };
}

const JVM_SOURCES = ["java", "kotlin", "scala", "groovy"].map((language) => `src/main/${language}`);

/** https://www.jacoco.org/jacoco/trunk/coverage/report.dtd; `ci` counts a line's covered instructions. */
export function jacoco(table: LineTable): XmlFormat {
  for (const folder of table.places.above) {
    for (const sources of [...JVM_SOURCES, "src"]) table.places.add(`${folder}/${sources}`);
  }
  let folder = "";
  let file: FileLines | null = null;
  return {
    open(name, at) {
      if (name === "package") folder = at.name ?? "";
      else if (name === "sourcefile") file = table.file(`${folder}/${at.name ?? ""}`);
      else if (name === "line") file?.line(Number(at.nr), Number(at.ci) > 0);
    },
    close(name) {
      if (name === "sourcefile") file = null;
    },
  };
}
