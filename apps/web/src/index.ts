/** The folder with the built page: `index.html`, and in `assets` what it loads. */
export const pageFolder = new URL("../dist/page/", import.meta.url);
