import { splitBraces } from "./braces.ts";
import { splitIndented, splitLines, splitToEnd } from "./indented.ts";
import type { Language } from "./languages.ts";
import { Outline, type Statement } from "./outline.ts";
import { scan } from "./scan.ts";

/** The statements of a text, in order; linear time, whatever the text. */
export function statementsOf(text: string, language: Language): Statement[] {
  const plain = text.replaceAll(/\r\n?/g, "\n");
  if (language.layout === "lines") return splitLines(plain);
  const tokens = scan(plain, language);
  const outline = new Outline(language);
  if (language.layout === "braces") splitBraces(tokens, language, outline);
  else if (language.layout === "indent") splitIndented(tokens, outline);
  else splitToEnd(tokens, outline);
  return outline.statements;
}
