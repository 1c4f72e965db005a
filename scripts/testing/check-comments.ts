import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../packages/stack/files.ts';

const FILES = '{api,workers,shared,packages,scripts,test}/**/*.{ts,tsx,lua}';
/** A documentation comment, or lines of `//` (in Lua `--`) that follow each other. */
const COMMENTS = /\/\*\*[\s\S]*?\*\/|(?:^[ \t]*(?:\/\/|--).*\n)+/gm;
const MARKS = /^[ \t]*(?:\/\*\*|\*\/|\*|\/\/|--)|\*\/$/gm;
/** A sentence that begins so names its subject last. */
const INVERTED = /^(?:What|Who|Whom|Whose|Whether|Of)\b/;

export interface Inverted {
  /** From 1 on: where the comment begins. */
  line: number;
  sentence: string;
}

/** Finds the sentences of a text's comments that begin with What, Who, Whom, Whose, Whether or Of. */
export function findInverted(text: string): Inverted[] {
  return [...text.matchAll(COMMENTS)].flatMap(({ 0: comment, index }) =>
    sentencesOf(comment)
      .filter((sentence) => INVERTED.test(sentence))
      .map((sentence) => ({ line: text.slice(0, index).split('\n').length, sentence })),
  );
}

function sentencesOf(comment: string): string[] {
  const words = comment.replace(MARKS, ' ').replace(/\s+/g, ' ').trim();
  return words.split(/(?<=[.!?:;]\)?) (?=[A-Z])/);
}

/** `npm run check:comments -- [FOLDER …]`: a doc comment begins with the noun or verb that it documents. */
if (import.meta.main) {
  const folders = process.argv.slice(2);
  let found = 0;
  for (const file of globSync(FILES, {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/dist/**', 'api/docs/client.d.ts'],
  }).sort()) {
    if (folders.length > 0 && !folders.some((folder) => file.startsWith(folder))) continue;
    for (const { line, sentence } of findInverted(readFileSync(join(ROOT, file), 'utf8'))) {
      found += 1;
      process.stderr.write(`${file}:${line} ${sentence.slice(0, 100)}\n`);
    }
  }
  if (found > 0) process.stderr.write(`${found} sentences begin with What, Who, Whose, Whether or Of.\n`);
  process.exitCode = found === 0 ? 0 : 1;
}
