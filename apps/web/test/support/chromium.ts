import { type Browser, chromium } from "playwright-core";

const CANDIDATES = ["chromium", "chromium-browser", "google-chrome"].map(
  (name) => `/usr/bin/${name}`,
);

/** The machine's own Chromium, or the one that CCW_LOOP_CHROMIUM names; null where none starts. */
export async function startChromium(): Promise<Browser | null> {
  for (const executablePath of [process.env.CCW_LOOP_CHROMIUM ?? "", ...CANDIDATES]) {
    if (executablePath === "") continue;
    try {
      return await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    } catch {
      // Another one may start.
    }
  }
  return null;
}

/** The same for who cannot do without it. */
export async function requireChromium(): Promise<Browser> {
  const browser = await startChromium();
  if (browser === null) throw new Error("No Chromium starts here. Name one in CCW_LOOP_CHROMIUM.");
  return browser;
}
