import { html, raw } from "hono/html";
import type { Operation } from "../contract/operation.ts";
import { OPERATIONS } from "../contract/operations.ts";
import { openApiDocument } from "./document.ts";

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733; }
h2 { border-bottom: 1px solid #cdd5dd; margin-top: 2.5rem; }
summary { cursor: pointer; padding: .3rem 0; }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
pre { background: #f3f5f7; padding: .7rem; overflow-x: auto; }
.method { display: inline-block; width: 4.5rem; font-weight: 700; color: #0a5c8a; }
.what { color: #51606f; }
@media (prefers-color-scheme: dark) {
  body { background: #14191f; color: #d9e0e7; }
  pre { background: #1e252d; }
  .method { color: #6cb8e6; }
  .what { color: #98a6b3; }
}
`;

let made: Promise<{ text: string; policy: string }> | undefined;

/**
 * The OpenAPI document to read: one page without scripts, which may load nothing from anywhere. `api` is where the
 * document lies, seen from the page.
 */
export async function docsPage(api: string): Promise<Response> {
  made ??= makePage();
  const { text, policy } = await made;
  return new Response(text.replace('href="openapi.json"', `href="${api}openapi.json"`), {
    headers: { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy },
  });
}

async function makePage(): Promise<{ text: string; policy: string }> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(STYLE));
  const digest = btoa(String.fromCharCode(...new Uint8Array(hash)));
  const policy = `default-src 'none'; style-src 'sha256-${digest}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
  const topics = [...new Set(OPERATIONS.map(({ topic }) => topic))];
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>CCW Loop API</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<h1>CCW Loop API</h1>
<p>Every request but those to this page, the document and <code>/api/health</code> needs the server's token:
<code>Authorization: Bearer …</code>. Every answer that is no success is
<code>{"success": false, "error": "…", "code": "…"}</code>. For programs:
<a href="openapi.json">OpenAPI 3.1</a>.</p>
${topics.map((topic) => html`<h2>${topic}</h2>${OPERATIONS.filter((one) => one.topic === topic).map(entry)}`)}
</body>
</html>`;
  return { text: String(await page), policy };
}

function entry({ id, method, path, summary, description, body, example }: Operation) {
  const parameters = openApiDocument().paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method]
    ?.parameters as { name: string; in: string; description?: string }[] | undefined;
  return html`<details id="${id}">
<summary><code class="method">${method.toUpperCase()}</code> <code>${path}</code> <span class="what">${summary}</span></summary>
${description === undefined ? "" : html`<p>${description}</p>`}
${parameters === undefined ? "" : html`<ul>${parameters.map((one) => html`<li><code>${one.name}</code> (${one.in}) ${one.description ?? ""}</li>`)}</ul>`}
${body === undefined ? "" : html`<p>Body, for example:</p><pre>${JSON.stringify(example.body ?? {}, null, 2)}</pre>`}
</details>
`;
}
