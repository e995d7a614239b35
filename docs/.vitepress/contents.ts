import type { DefaultTheme } from "vitepress";

export interface Contents {
  title: string;
  description: string;
  sections: DefaultTheme.SidebarItem[];
}

/** Reads the table of contents: a title, a quoted description, and under each heading a list of links. */
export function contentsOf(text: string): Contents {
  const sections: (DefaultTheme.SidebarItem & { items: DefaultTheme.SidebarItem[] })[] = [];
  for (const line of text.split("\n")) {
    const [, heading] = /^## (.+)/.exec(line) ?? [];
    if (heading) sections.push({ text: heading, items: [] });
    const [, title, page] = /^- \[(.+?)\]\((.+?)\.md\)/.exec(line) ?? [];
    if (!title || !page) continue;
    sections.at(-1)?.items.push({ text: title, link: `/${page.replace(/README$/, "")}` });
  }
  const [, title = ""] = /^# (.+)/m.exec(text) ?? [];
  const [, description = ""] = /^> (.+)/m.exec(text) ?? [];
  return { title, description, sections };
}
