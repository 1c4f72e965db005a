import { Marked, type RendererObject, type Tokens } from 'marked';

export interface Rendered {
  title: string;
  html: string;
  /** The ids of its headings. */
  anchors: ReadonlySet<string>;
}

/** Finds the address of a link as a page writes it; null for one that leads out of the guide, which stays plain text. */
export type FindAddress = (href: string) => string | null;

/** Makes HTML of Markdown. HTML within it stays text, and so do pictures and links that lead nowhere. */
export function renderMarkdown(markdown: string, findAddress: FindAddress): Rendered {
  const anchors = new Set<string>();
  let title = '';
  let heading = '';
  const renderer: RendererObject = {
    html: ({ text }) => escapeHtml(text),
    image: ({ text }) => escapeHtml(text),
    link({ href, tokens }) {
      const address = findAddress(href);
      const text = this.parser.parseInline(tokens);
      return address === null ? text : `<a href="${escapeHtml(address)}">${text}</a>`;
    },
    heading({ tokens, depth, text }) {
      heading = plainText(tokens);
      if (depth === 1) title = heading;
      const id = anchorOf(text, anchors);
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`,
    table(table) {
      const row = (cells: Tokens.TableCell[]) =>
        `<tr>${cells.map((cell) => this.tablecell(cell)).join('')}</tr>\n`;
      const body = table.rows.map(row).join('');
      // It scrolls by itself, so that a wide table does not widen the page; the keyboard needs a way in.
      return `<div class="scroll" tabindex="0" role="group" aria-label="Table: ${escapeHtml(heading)}"><table><thead>${row(table.header)}</thead><tbody>${body}</tbody></table></div>\n`;
    },
    tablecell({ tokens, header, align }) {
      const text = this.parser.parseInline(tokens);
      const tag = header && text !== '' ? 'th' : 'td';
      return `<${tag}${align === 'right' ? ' class="number"' : ''}>${text}</${tag}>`;
    },
  };
  const html = new Marked({ gfm: true, renderer }).parse(markdown, { async: false });
  return { title, html, anchors };
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function plainText(tokens: readonly { raw: string; text?: string }[]): string {
  return tokens.map(({ raw, text }) => text ?? raw).join('');
}

/** Makes the id of a heading as GitHub does, so that a link works in both places. */
function anchorOf(text: string, taken: Set<string>): string {
  const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const slug = plain
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
  let id = slug;
  for (let n = 1; taken.has(id); n += 1) id = `${slug}-${n}`;
  taken.add(id);
  return id;
}
