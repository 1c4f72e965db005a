import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ROOT } from '../../../packages/stack/files.ts';

export interface Page {
  /** Where it is in the repository, such as `docs/how-to/deploy.md`. */
  file: string;
  /** Where people read it, such as `/guide/how-to/deploy`. */
  path: string;
  markdown: string;
}

/** The pages of the guide: README's parts about the documentation and the quick start first, then every page of `docs/`. */
export function readPages(): Page[] {
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const readme = read(CONTENTS);
  // Readers of the guide know where it is.
  const contents = partOf(readme, 'Documentation').replace(/^A running service shows .*\n/m, '');
  const start = partOf(readme, 'Run it').replace(/^!\[.*\n/m, '');
  const files = globSync('docs/**/*.md', { cwd: ROOT }).toSorted();
  return [
    { file: CONTENTS, path: '/guide', markdown: `# The guide\n${contents.replaceAll('\n### ', '\n## ')}` },
    { file: `${CONTENTS}#run-it`, path: '/guide/quick-start', markdown: `# Quick start\n${start}` },
    ...files.map((file) => ({ file, path: pathOf(file), markdown: read(file) })),
  ];
}

export const CONTENTS = 'README.md';

function partOf(readme: string, heading: string): string {
  const [, part = ''] = new RegExp(`\\n## ${heading}\\n([\\s\\S]*?)\\n## `).exec(readme) ?? [];
  if (part === '') throw new Error(`README.md has no part "${heading}".`);
  return part;
}

function pathOf(file: string): string {
  return posix.join('/guide', posix.relative('docs', file).replace(/(\/README)?\.md$/, ''));
}
