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

/** The pages of the guide: README's part about the documentation first, then every page of `docs/`. */
export function readPages(): Page[] {
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const [, contents = ''] = /\n## Documentation\n([\s\S]*?)\n## /.exec(read('README.md')) ?? [];
  if (contents === '') throw new Error('README.md has no part "Documentation".');
  const files = globSync('docs/**/*.md', { cwd: ROOT }).toSorted();
  return [
    { file: CONTENTS, path: '/guide', markdown: `# The guide\n${contents.replaceAll('\n### ', '\n## ')}` },
    ...files.map((file) => ({ file, path: pathOf(file), markdown: read(file) })),
  ];
}

export const CONTENTS = 'README.md';

function pathOf(file: string): string {
  return posix.join('/guide', posix.relative('docs', file).replace(/(\/README)?\.md$/, ''));
}
