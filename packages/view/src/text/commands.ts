/** A command that is recommended: by itself, behind the colon of a sentence, or with another one. No synopsis. */
const COMMAND = /(?<=^|(?<!Usage): |&& |\| |<\(|\n)ccw-loop (?=([a-z]+|--help))/g;
/** A full stop behind a command that ends its line: it would be pasted with it. */
const STOP = /(: ccw-loop (?:(?!\. )[^\n])*[^\s.])\.(?=\n|$)/g;

/**
 * Makes the commands in a text ready to be typed where it is read. `program` says how the command with a name, such as
 * `resume`, begins there: `npx ccw-loop`.
 */
export function commandsAsTyped(text: string, program: (name: string) => string): string {
  return text.replaceAll(STOP, "$1").replaceAll(COMMAND, (_, name: string) => `${program(name)} `);
}
