/** A part of a page as the search knows it: its address, the title of its page, its heading and its text. */
export type FoundPart = [address: string, title: string, heading: string, text: string];

/** The parts of a page, each below a heading; without `isWhole` its title alone. */
export function partsOf(
  { title, html, path }: { title: string; html: string; path: string },
  { isWhole }: { isWhole: boolean },
): FoundPart[] {
  if (!isWhole) return [[path, title, title, '']];
  return html.split(/(?=<h[1-3] id=")/).flatMap((part): FoundPart[] => {
    const [heading, depth, id = '', words = ''] = /^<h([1-3]) id="([^"]*)">(.*)<\/h\1>/.exec(part) ?? [];
    if (heading === undefined) return [];
    const address = depth === '1' ? path : `${path}#${id}`;
    return [[address, title, textOf(words), textOf(part.slice(heading.length))]];
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** HTML as the text that one sees. */
function textOf(html: string): string {
  return html
    .replace(/<\/?(a|code|em|strong|del)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}
