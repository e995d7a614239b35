import { type Attributes, xmlReader } from "../reports/xml.ts";
import { clover, cobertura, jacoco, type XmlFormat } from "./dialects.ts";
import type { LineTable } from "./line-table.ts";
import type { CoverageParser } from "./parser.ts";

/** Cobertura, Clover and JaCoCo, told apart by their root element. */
export function xmlParser(table: LineTable): CoverageParser {
  let dialect: XmlFormat | null = null;
  const reader = xmlReader({
    open(name, attributes) {
      dialect ??= xmlFormatOf(name, attributes, table);
      dialect.open(name, attributes);
    },
    close: (name) => dialect?.close(name),
    text: (text) => dialect?.text(text),
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
