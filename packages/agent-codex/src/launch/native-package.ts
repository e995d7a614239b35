/** Where npm puts the program itself: a package per platform beside `@openai/codex`. */
export interface NativePackage {
  name: string;
  /** The program's path inside that package. */
  program: string;
}

const TRIPLES: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
  "win32-x64": "x86_64-pc-windows-msvc",
  "win32-arm64": "aarch64-pc-windows-msvc",
};

/** Null for a platform that Codex is not built for. */
export function nativePackage(platform: string, arch: string): NativePackage | null {
  const triple = TRIPLES[`${platform}-${arch}`];
  if (triple === undefined) return null;
  const file = platform === "win32" ? "codex.exe" : "codex";
  return {
    name: `@openai/codex-${platform}-${arch}`,
    program: `vendor/${triple}/bin/${file}`,
  };
}
