import { defineConfig } from "vite";

export default defineConfig({
  root: "src/page",
  base: "./",
  build: {
    outDir: "../../dist/page",
    emptyOutDir: true,
    target: "es2023",
    // The policy of the page allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // It is one page; a test holds it to 200 kB compressed.
    chunkSizeWarningLimit: 1000,
  },
});
