import { describe, expect, test } from 'vitest';
import { renderMarkdown } from '../../../scripts/dashboard/guide/markdown.ts';
import { readPages } from '../../../scripts/dashboard/guide/pages.ts';
import { renderGuide } from '../../../scripts/dashboard/guide/render.ts';

const page = (file: string, markdown: string) => ({
  file,
  path: `/guide/${file.slice('docs/'.length, -'.md'.length)}`,
  markdown,
});

describe('the guide', () => {
  const pages = readPages();
  const { files, parts, broken } = renderGuide(pages);

  test('has every page of docs/, and each link leads to a page and a heading that exist', () => {
    expect(broken).toEqual([]);
    expect(files.size).toBe(pages.length + 1);
    for (const name of ['index', 'budgets', 'adr', 'inside/budgets', 'not-found'])
      expect([...files.keys()]).toContain(`${name}.html`);
  });

  test('links to no file of the repository, and has scripts as files alone', () => {
    for (const [name, html] of files) {
      const links = [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href);
      const isOutside = (href: string) => /^https?:\/\//.test(href);
      const isHere = (href: string) => /^(\/(guide|docs|dashboard|openapi\.json)\b|#)/.test(href);
      const wrong = links.filter((href) => !isOutside(href) && (!isHere(href) || /\.md\b/.test(href)));
      expect(wrong, name).toEqual([]);
      expect(html.match(/<(script|style|iframe|img)\b[^>]*>/g), name).toEqual([
        '<script src="/dashboard/scheme.js">',
        '<script src="/dashboard/guide.js" defer>',
      ]);
      expect(html, name).not.toMatch(/ (style|on\w+)=/);
    }
  });

  test('has the quick start as a page, to which the how-tos lead, and each page leads to the next', () => {
    const start = files.get('quick-start.html') ?? '';
    const next = '<a rel="next" href="/guide/how-to/connect-your-team">Next: connect your team</a>';
    for (const part of ['KEY=$(jq -r', next]) expect(start).toContain(part);
    expect(start).not.toContain('rel="prev"');
    expect(files.get('how-to/connect-your-team.html')).toContain('<a rel="prev" href="/guide/quick-start">');
    for (const name of ['how-to/first-budget', 'index'])
      expect(files.get(`${name}.html`)).toContain('<a href="/guide/quick-start">quick start</a>');
    expect(files.get('index.html')).not.toContain('A running service shows these pages');
  });

  test('can be searched by headings and text, decisions by their titles', () => {
    const timeout = parts.find(([address]) => address === '/guide/sessions#the-timeout');
    expect(timeout?.slice(2)).toEqual(['The timeout', expect.stringContaining('session_timeout')]);
    const decisions = parts.filter(([address]) => address.startsWith('/guide/adr/'));
    expect(decisions.length).toBeGreaterThan(100);
    expect(decisions.every(([, , , text]) => text === '')).toBe(true);
    expect(JSON.stringify(parts)).not.toMatch(/<\/?(a|p|code)\b|&amp;/);
  });

  test('lists every page of how-tos and references, each under one heading', () => {
    const [, nav = ''] = /<nav [^>]*>([\s\S]*)<\/nav>/.exec(files.get('budgets.html') ?? '') ?? [];
    const listed = [...nav.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
    expect(new Set(listed).size).toBe(listed.length);
    const expected = pages.map(({ path }) => path).filter((path) => !/^\/guide(\/adr\/.*)?$/.test(path));
    expect(listed.toSorted()).toEqual(expected.toSorted());
    expect(nav).toContain('<a href="/guide/budgets" aria-current="page">');
  });
});

describe('a page of the guide', () => {
  test('shows HTML, pictures and unsafe links as text', () => {
    const unsafe = 'A <img src=x onerror=alert(1)>\n\n<script>alert(1)</script>';
    const { html } = renderMarkdown(`${unsafe}\n\n![a picture](x.png) [b](javascript:alert(1))`, () => null);
    expect(html).not.toMatch(/<(img|script|a)\b/);
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).toContain('a picture b');
  });

  test('keeps links to other pages and their headings, names broken ones and drops those into code', () => {
    const links = '[two](how-to/two.md#a-part-of-it) [code](../shared/x.ts) [gone](gone.md) [h](#no)';
    const { files, broken } = renderGuide([
      page('docs/one.md', `# One\n\n${links}`),
      page('docs/how-to/two.md', '# Two\n\n## A `part` of it\n\n[one](../one.md)'),
    ]);
    const one = files.get('one.html') ?? '';
    expect(one).toContain('<a href="/guide/how-to/two#a-part-of-it">two</a> code gone ');
    expect(files.get('how-to/two.html')).toContain('<a href="/guide/one">one</a>');
    expect(broken).toEqual(['docs/one.md links to gone.md', 'docs/one.md links to /guide/one#no']);
  });

  test('gives headings the ids that GitHub gives them', () => {
    const headings = '# The `code` & more\n\n## What is … here?\n\n## Same\n\n## Same';
    const { anchors, title } = renderMarkdown(headings, () => null);
    expect([...anchors]).toEqual(['the-code--more', 'what-is--here', 'same', 'same-1']);
    expect(title).toBe('The code & more');
  });
});
