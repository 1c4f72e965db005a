import { posix } from 'node:path';
import { layout, NOT_FOUND, type Place } from './layout.ts';
import { renderMarkdown } from './markdown.ts';
import { CONTENTS, type Page } from './pages.ts';
import { type FoundPart, partsOf } from './search.ts';

export interface Guide {
  /** The files by their names, such as `how-to/deploy.html`. */
  files: Map<string, string>;
  /** The parts of pages to search in. Decisions are found by their titles alone. */
  parts: FoundPart[];
  /** Links to a page or a heading that does not exist, a line each. They stay plain text. */
  broken: string[];
}

export function renderGuide(pages: readonly Page[]): Guide {
  const pathByFile = new Map(pages.map(({ file, path }) => [file, path]));
  const broken: string[] = [];
  const rendered = pages.map((page) => ({
    page,
    ...renderMarkdown(page.markdown, (href) => {
      const address = addressOf(href, page.file, pathByFile);
      if (address === undefined) broken.push(`${page.file} links to ${href}`);
      return address ?? null;
    }),
  }));
  const anchorsByPath = new Map(rendered.map(({ page, anchors }) => [page.path, anchors]));
  for (const { page, html } of rendered)
    for (const [path, anchor] of linksOf(html, page.path))
      if (anchor !== '' && !anchorsByPath.get(path)?.has(anchor))
        broken.push(`${page.file} links to ${path}#${anchor}`);
  const contents = contentsOf(pages);
  const files = rendered.map(({ page, title, html }): [string, string] => [
    page.path === '/guide' ? 'index.html' : `${page.path.slice('/guide/'.length)}.html`,
    layout({ title, html, path: page.path }, contents),
  ]);
  const parts = rendered.flatMap(({ page, title, html }) =>
    partsOf({ title, html, path: page.path }, { isWhole: !page.path.startsWith('/guide/adr/') }),
  );
  return { files: new Map([...files, ['not-found.html', layout(NOT_FOUND, contents)]]), parts, broken };
}

/** An address within the guide or elsewhere; null for a file of the repository, undefined for a page that does not exist. */
function addressOf(
  href: string,
  from: string,
  pathByFile: ReadonlyMap<string, string>,
): string | null | undefined {
  if (/^https?:\/\//.test(href)) return href;
  // README is the contents of the guide here: of its own headings some are pages.
  if (href.startsWith('#')) return from === CONTENTS ? (pathByFile.get(CONTENTS + href) ?? null) : href;
  const [target = '', anchor] = href.split('#');
  const file = posix.normalize(posix.join(posix.dirname(from), target));
  const ofPart = pathByFile.get(`${file}#${anchor}`);
  if (ofPart !== undefined) return ofPart;
  if (file === 'docs/openapi.json') return '/openapi.json';
  if (file === CONTENTS) return '/guide';
  const path = pathByFile.get(file);
  if (path === undefined) return file.startsWith('docs/') && file.endsWith('.md') ? undefined : null;
  return anchor === undefined ? path : `${path}#${anchor}`;
}

/** The path and heading of every link within the guide. */
function linksOf(html: string, path: string): [path: string, anchor: string][] {
  return [...html.matchAll(/<a href="(\/guide[^"#]*)?(?:#([^"]*))?"/g)].map(([, to, anchor]) => [
    to ?? path,
    anchor ?? '',
  ]);
}

/** The table of pages that README has: its headings and, below each, the pages of the guide. */
function contentsOf(pages: readonly Page[]): Place[] {
  const markdown = pages.find(({ file }) => file === CONTENTS)?.markdown ?? '';
  const pathByFile = new Map(pages.map(({ file, path }) => [file, path]));
  return markdown
    .split('\n## ')
    .slice(1)
    .map((part) => {
      const links = [...part.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\)/gm)];
      return {
        heading: part.split('\n', 1)[0] ?? '',
        pages: links.flatMap(([, label = '', file = '']) => {
          const path = pathByFile.get(file.startsWith('#') ? CONTENTS + file : file);
          return path === undefined ? [] : [{ label, path }];
        }),
      };
    });
}
