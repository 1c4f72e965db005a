import { escapeHtml } from './markdown.ts';

/** A part of the table of pages. */
export interface Place {
  heading: string;
  pages: { label: string; path: string }[];
}

interface Content {
  title: string;
  html: string;
  path: string;
}

export const NOT_FOUND: Content = {
  title: 'There is no such page',
  html: '<h1>There is no such page</h1>\n<p>The guide has no page at this address. <a href="/guide">All pages</a></p>\n',
  path: '',
};

/** A page with its frame. Scripts and styles are files, so that the dashboard's policy holds. */
export function layout({ title, html, path }: Content, contents: readonly Place[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · usage-governor guide</title>
<link rel="icon" type="image/svg+xml" href="/dashboard/icon.svg">
<link rel="stylesheet" href="/dashboard/guide.css">
<script src="/dashboard/scheme.js"></script>
<script src="/dashboard/guide.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<header><a href="/dashboard/">usage-governor</a><a href="/guide">Guide</a><a href="/docs">API</a><a class="to-pages" href="#pages">All pages</a></header>
<div class="columns">
<main id="content" tabindex="-1">
${html}${turning(contents, path)}</main>
<nav id="pages" aria-label="All pages">
${contents.map((place) => placeOf(place, path)).join('')}</nav>
</div>
</body>
</html>
`;
}

/** The links to the pages before and after one, in the order of the table. */
function turning(contents: readonly Place[], path: string): string {
  const pages = contents.flatMap((place) => place.pages);
  const at = pages.findIndex((page) => page.path === path);
  if (at === -1) return '';
  const link = (page: Place['pages'][number] | undefined, rel: string, words: string) =>
    page ? `<a rel="${rel}" href="${page.path}">${words}: ${escapeHtml(page.label)}</a>` : '';
  const links = [link(pages[at - 1], 'prev', 'Previous'), link(pages[at + 1], 'next', 'Next')];
  return `<p class="turn">${links.filter(Boolean).join('\n')}</p>\n`;
}

function placeOf({ heading, pages }: Place, open: string): string {
  const items = pages.map(({ label, path }) => {
    const current = path === open ? ' aria-current="page"' : '';
    return `<li><a href="${path}"${current}>${escapeHtml(label)}</a></li>\n`;
  });
  return `<h2>${escapeHtml(heading)}</h2>\n<ul>\n${items.join('')}</ul>\n`;
}
