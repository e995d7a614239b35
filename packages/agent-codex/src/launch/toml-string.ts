/** A TOML basic string. JSON escapes the same characters, but for DEL. */
export function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
