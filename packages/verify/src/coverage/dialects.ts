import type { Attributes } from "../reports/xml.ts";
import type { FileLines, LineTable } from "./line-table.ts";

/** Follows the elements of one XML format. */
export interface XmlFormat {
  open(name: string, attributes: Attributes): void;
  /** Text inside the element that was opened last. */
  text(value: string): void;
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
    text() {},
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
    text() {},
    close(name) {
      if (name === "sourcefile") file = null;
    },
  };
}
