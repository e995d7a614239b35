const ESC = "\u001B";
const STRING_END = `(?:\u0007|\u009C|${ESC}\\\\)`;

/** Control sequences of a terminal, whole where they are whole, else their beginning. */
const SEQUENCES = new RegExp(
  [
    // OSC, DCS, SOS, PM, APC with their text; one that never ends reaches to the end of its line
    `(?:${ESC}[\\]PX^_]|[\u009D\u0090\u0098\u009E\u009F])[^\u0007\u009C${ESC}\\n]*${STRING_END}?`,
    // CSI
    `(?:${ESC}\\[|\u009B)[0-?]*[ -/]*[@-~]?`,
    // any other escape
    `${ESC}[ -/]*[0-~]?`,
  ].join("|"),
  "g",
);

/** Control characters but tab and line feed; marks that reorder text or hide in it. */
const CONTROLS =
  /(?![\t\n])\p{Cc}|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u206A-\u206F\uFEFF\uFFF9-\uFFFB]/gu;

/**
 * Text of an agent, a test or a file as a terminal may show it: nothing in it moves the cursor, changes
 * colors or titles, rings, or reorders what is read. Line breaks become `\n`. Linear time.
 */
export function sanitizeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(SEQUENCES, "")
    .replaceAll(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n")
    .replaceAll(CONTROLS, "");
}

/** The same on one line: white space of any kind becomes one space. */
export function sanitizeLine(text: string): string {
  return sanitizeText(text).replaceAll(/\s+/g, " ").trim();
}

const BARE_IN_JSON = new RegExp(`${CONTROLS.source}|[\\u2028\\u2029]`, "gu");

/** JSON of the same value that is harmless on a screen, too: what JSON leaves bare is written as an escape. */
export function sanitizeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    BARE_IN_JSON,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
