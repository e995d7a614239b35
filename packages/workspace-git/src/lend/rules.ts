/** How the entries of an installed folder get into another copy of the project. What no rule names becomes a link. */
export interface LinkRule {
  /** Folders that are made, with their entries lent one by one. */
  made: RegExp;
  /** Files that are copied, because programs ask them where they are. */
  copied: RegExp;
  /** Entries that are not lent: caches that would be written through the link. */
  omitted: RegExp;
}

const NEVER = /^(?!)/;

const NODE: LinkRule = {
  made: /^(\.bin|@[^/]+)$/,
  copied: NEVER,
  omitted: /^\.(cache|parcel-cache|tmp|turbo|vite|vite-temp|vitest)$/,
};

/** Scripts name their interpreter, and editable installs the project, by an absolute path. */
const PYTHON: LinkRule = {
  made: /^(bin|Scripts|lib|Lib|lib\/[^/]+|(lib\/[^/]+|Lib)\/site-packages)$/,
  copied:
    /^(pyvenv\.cfg|(bin|Scripts)\/[^/]+|.*\/site-packages\/([^/]+\.(pth|egg-link)|__editable__[^/]*))$/,
  omitted: NEVER,
};

/** Composer finds the project from where its own files really are. */
const VENDOR: LinkRule = {
  made: /^([^/]+|composer\/.+)$/,
  copied: /^(autoload\.php|(bin|composer)\/.+)$/,
  omitted: NEVER,
};

const BUNDLE: LinkRule = { made: NEVER, copied: NEVER, omitted: NEVER };

/** By the end of the folder's path. */
export const LINK_RULES: Readonly<Record<string, LinkRule>> = {
  node_modules: NODE,
  ".venv": PYTHON,
  venv: PYTHON,
  vendor: VENDOR,
  "vendor/bundle": BUNDLE,
};
