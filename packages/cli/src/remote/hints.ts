import { shellWord } from "../text/shell-word.ts";
import { LOCAL, type RemoteOptions } from "./remote-of.ts";

/** A command that is recommended: by itself, behind the colon of a sentence, or behind another one. */
const COMMAND = /(?<=^|: |&& )ccw-loop (?=([a-z]+))/g;
const ABOUT_HERE = new Set([...LOCAL].map((name) => name.split(" ", 1)[0]));

/** A hint for who gave `--url`: the commands in it ask there, too. In CCW_LOOP_URL the address holds by itself. */
export function hintFor({ url, tokenFile, insecureHttp }: RemoteOptions, text: string): string {
  if (url === undefined) return text;
  const flags = [
    `--url ${shellWord(url)}`,
    ...(tokenFile === undefined ? [] : [`--token-file ${shellWord(tokenFile)}`]),
    ...(insecureHttp ? ["--insecure-http"] : []),
  ].join(" ");
  return text.replaceAll(COMMAND, (command, name: string) =>
    ABOUT_HERE.has(name) ? command : `${command}${flags} `,
  );
}
