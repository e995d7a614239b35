/** The documents of the repository as a searchable site: `npm run docs`. `llms.txt` is its table of contents. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { contentsOf } from "./contents.ts";
import { linksWithinSite } from "./links.ts";

const root = join(import.meta.dirname, "../..");
const contents = contentsOf(readFileSync(join(root, "llms.txt"), "utf8"));

export default defineConfig({
  title: contents.title,
  description: contents.description,
  srcDir: root,
  srcExclude: [
    "**/{node_modules,.toolchain,.workflow,.changeset,.turbo,dist,coverage,test,fixtures}/**",
    "quality/*/**",
    "packages/cli/demo/**",
    "**/CHANGELOG.md",
    "{AGENTS,CLAUDE}.md",
  ],
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, "$1index.md"),
  outDir: join(import.meta.dirname, "dist"),
  cacheDir: join(root, "node_modules/.cache/vitepress"),
  cleanUrls: true,
  markdown: { config: (markdown) => linksWithinSite(markdown, root), html: false },
  vite: { publicDir: false },
  themeConfig: {
    sidebar: contents.sections,
    outline: "deep",
    search: { provider: "local" },
    externalLinkIcon: true,
  },
});
