import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { MarkdownRenderer } from "vitepress";

/**
 * Documents link to folders and sources as they lie in the repository. On the site a link to a folder leads to its
 * README, and a link to what is no page becomes plain text.
 */
export function linksWithinSite(markdown: MarkdownRenderer, root: string): void {
  markdown.core.ruler.push("links-within-site", ({ tokens, env }) => {
    const folder = dirname(env.path);
    for (const { children } of tokens) {
      for (const [at, token] of (children ?? []).entries()) {
        if (token.type !== "link_open") continue;
        const [target = "", hash] = (token.attrGet("href") ?? "").split("#");
        if (target === "" || /^[a-z]+:/.test(target)) continue;
        const page = pageAt(join(folder, target));
        if (page) {
          const path = relative(root, page).replace(/(^|\/)README\.md$/, "$1index.md");
          token.attrSet("href", `/${path}${hash ? `#${hash}` : ""}`);
        } else {
          const end = children?.findIndex((one, i) => i > at && one.type === "link_close") ?? -1;
          for (const tag of [token, children?.[end]]) if (tag) Object.assign(tag, TEXT);
        }
      }
    }
  });
}

const TEXT = { type: "text", tag: "", nesting: 0, content: "", attrs: null };

function pageAt(path: string): string | null {
  const page = path.endsWith(".md") ? path : join(path, "README.md");
  return existsSync(page) ? page : null;
}
