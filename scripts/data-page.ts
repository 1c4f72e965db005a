import { readFileSync, writeFileSync } from 'node:fs';
import { userId } from '../shared/core/accounts/organizations/user-id.ts';
import type { CollectionDeclaration } from '../shared/platform/mongo/collection.ts';
import { type Personal, personalFields } from '../shared/platform/mongo/fields.ts';
import { COLLECTIONS } from '../shared/tables/collections.ts';
import { RETENTION } from '../shared/tables/retention.ts';

// node scripts/data-page.ts [--check]: writes the part of docs/data.md that follows from the collections, or fails when it is stale.
const PAGE = 'docs/data.md';
/** The fate of user ids. */
const ID = `stays: ${userId.personal?.kept}`;
const BEGIN = '<!-- From here on: npm run data -->\n';

const page = readFileSync(PAGE, 'utf8');
const [story] = page.split(BEGIN);
const made = `${story}${BEGIN}\n${sections().join('\n\n')}\n`;
if (!process.argv.includes('--check')) writeFileSync(PAGE, made);
else if (page !== made) {
  process.stderr.write(`${PAGE} is stale: run npm run data\n`);
  process.exitCode = 1;
}

/** Collections with names or words of people each by itself, the others in tables. */
function sections(): string[] {
  const byName = COLLECTIONS.toSorted((a, b) => (a.collectionName < b.collectionName ? -1 : 1));
  const fieldsOf = (declared: CollectionDeclaration) => personalFields(declared.fields);
  const isWorded = (declared: CollectionDeclaration) =>
    fieldsOf(declared).some(([, of]) => fateOf(of) !== ID);
  const worded = byName.filter(isWorded);
  const others = byName.filter((declared) => !isWorded(declared));
  const rowOf = (declared: CollectionDeclaration) => [
    `\`${declared.collectionName}\``,
    declared.about,
    keptOf(declared),
    fieldsOf(declared)
      .map(([path]) => `\`${path}\``)
      .join(', '),
  ];
  return [
    '## Collections with names, addresses or words of people',
    ...worded.map(describeFates),
    '## Other collections',
    table(['collection', 'a row of it', 'kept', 'user ids'], others.map(rowOf)),
  ];
}

function describeFates(declared: CollectionDeclaration): string {
  const { collectionName, about, fields } = declared;
  const byFate = Map.groupBy(personalFields(fields), ([, personal]) => fateOf(personal));
  const rows = [...byFate].map(([fate, paths]) => [paths.map(([path]) => `\`${path}\``).join(', '), fate]);
  return [
    `### \`${collectionName}\``,
    `${about} Kept ${keptOf(declared)}.`,
    table(['fields', 'when the person is erased'], rows),
  ].join('\n\n');
}

function fateOf({ erased, hashed, kept }: Personal): string {
  const stays = kept === undefined ? [] : [`stays: ${kept}`];
  const fate = [...(erased ? ['names and words are erased'] : []), ...stays].join('; ');
  return hashed ? `${fate}. A hash where the organization hides names` : fate;
}

function keptOf({ collectionName, indexes }: CollectionDeclaration): string {
  const rule = RETENTION.find((retention) => retention.collectionName === collectionName);
  if (rule) return rule.kept;
  const ttl = indexes.find(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
  if (!ttl) return 'for ever, or until what it belongs to is deleted';
  const after = `\`${Object.keys(ttl.key)[0]}\``;
  return ttl.expireAfterSeconds === 0
    ? `until ${after}`
    : `${spanText(ttl.expireAfterSeconds ?? 0)} after ${after}`;
}

function spanText(seconds: number): string {
  const hours = seconds / 3_600;
  if (hours === 1) return 'an hour';
  return hours > 48 ? `${hours / 24} days` : `${hours} hours`;
}

/** A table of Markdown, as Biome formats it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((cells) => cells[at]?.length ?? 0)));
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0, fill)).join(' | ')} |`;
  const rule = line(
    head.map(() => ''),
    '-',
  );
  return [line(head), rule, ...rows.map((cells) => line(cells))].join('\n');
}
