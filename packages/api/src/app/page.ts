import type { Context, Handler } from "hono";

export interface PageFile {
  type: string;
  body: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
}

/** The file of that name, such as `index.html` or `assets/index-B1c2.js`; undefined where there is none. */
export type PageFiles = (name: string) => Promise<PageFile | undefined>;

/** Every page of the dashboard is one document, which reads its own path. */
const PAGES = /^\/(?:new|settings|compare|doctor|workers|try|loops\/[^/]+(?:\/[a-z]+)?)?$/;
const ASSETS = /^\/(assets\/[\w.-]+)$/;

/** Whether the dashboard has a file at a path. They say nothing about a loop, so everybody gets them. */
export function isPageFile(path: string): boolean {
  return PAGES.test(path) || ASSETS.test(path);
}

export const PAGE_ROUTES = [
  "/",
  "/new",
  "/settings",
  "/compare",
  "/doctor",
  "/workers",
  "/try",
  "/loops/*",
  "/assets/*",
] as const;

/** Scripts, styles and requests of this server alone; nothing inline, and in no frame of others. */
const POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  "require-trusted-types-for 'script'",
].join("; ");

/** Where a request finds the app, and its path within that. */
interface Place {
  base(c: Context): string;
  path(c: Context): string;
}

/** Answers with the dashboard's files; what it has not is left to the next handler. */
export function pageAnswer(files: PageFiles, { base, path }: Place): Handler {
  return async (c, next) => {
    const at = path(c);
    const [, asset] = ASSETS.exec(at) ?? [];
    const name = asset ?? (PAGES.test(at) ? "index.html" : undefined);
    const file = name === undefined ? undefined : await files(name);
    if (file === undefined) return next();
    const zipped = /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
    const headers = documentHeaders(file);
    if (asset === undefined) return c.body(documentFor(file, base(c)), 200, headers);
    return c.body(zipped ? file.gzip : file.body, 200, {
      ...headers,
      ...(zipped ? { "Content-Encoding": "gzip" } : {}),
      // Its name has a digest of what is in it.
      "Cache-Control": "public, max-age=31536000, immutable",
    });
  };
}

/** The dashboard, which says that it has no such page; undefined where a browser did not ask for one. */
export async function missingPage(
  files: PageFiles | undefined,
  c: Context,
  base: string,
): Promise<Response | undefined> {
  if (c.req.method !== "GET" || !/\btext\/html\b/.test(c.req.header("accept") ?? "")) return;
  const file = await files?.("index.html");
  const headers = file && { ...documentHeaders(file), Vary: "Accept" };
  return file && c.body(documentFor(file, base), 404, headers);
}

const documentHeaders = ({ type }: PageFile) => ({
  "Content-Type": type,
  Vary: "Accept-Encoding",
  "Content-Security-Policy": POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
});

/** The document as it has to be below `base`: it names its files from its own place, and may be asked for at any depth. */
function documentFor({ body }: PageFile, base: string): string {
  return new TextDecoder().decode(body).replaceAll('"./assets/', `"${encodeURI(base)}/assets/`);
}
