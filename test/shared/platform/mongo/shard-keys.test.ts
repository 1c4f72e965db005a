import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../../../shared/tables/collections.ts';
import type { Query } from '../../../support/shard-keys.ts';
import { observeStory } from '../../../support/shard-story.ts';

/** Queries of all shards, by shape. Each looks over all organizations, or is as rare as a change of settings. */
const OF_ALL_SHARDS: Readonly<Record<string, string>> = {
  'due find due_at': 'the sweep: what is due, whosever it is',
  'due find _id,kind,org_id': 'a change of the session timeout: open sessions of the organization, in steps',
  'queued_deliveries find at,state': 'the sweep: what is due, whosever it is',
  'queued_deliveries distinct at,state': 'digests: which webhooks have one that is due',
  'queued_deliveries aggregate state': 'which webhooks hold more than they may',
  'events find created_at': 'retention: the oldest of all',
  'events delete _id': 'retention: the oldest of all',
  'deliveries find finished_at': 'retention: the oldest of all',
  'deliveries delete _id': 'retention: the oldest of all',
  'held_signals find ts': 'retention: the oldest of all',
  'audit find at': 'retention: the oldest of all',
  'audit delete _id': 'retention: the oldest of all',
  'idempotency_records find expires_at': 'retention: the oldest of all',
};

let seen: readonly Query[];

const shapeOf = ({ collection, command, fields }: Query) => `${collection} ${command} ${fields.join(',')}`;

describe('on a sharded MongoDB', () => {
  let story: Awaited<ReturnType<typeof observeStory>> | undefined;
  beforeAll(async () => {
    story = await observeStory();
    seen = story.queries;
  }, 120_000);
  afterAll(() => story?.close());

  test('every query names its shard key, but for those that are of all shards by intent', () => {
    const unnamed = new Set(seen.filter(({ namesShardKey }) => !namesShardKey).map(shapeOf));
    expect([...unnamed].toSorted()).toEqual(Object.keys(OF_ALL_SHARDS).toSorted());
  });

  test.each(COLLECTIONS.filter(({ shardKey }) => shardKey).map(({ collectionName }) => collectionName))(
    'the story reads and writes %s',
    (name) => {
      const commands = new Set(
        seen.flatMap(({ collection, command }) => (collection === name ? [command] : [])),
      );
      expect(['find', 'aggregate', '$lookup'].some((command) => commands.has(command))).toBe(true);
      expect(['insert', 'update'].some((command) => commands.has(command))).toBe(true);
    },
  );
});

describe('the shard key of a collection', () => {
  test.each([...COLLECTIONS])('begins each unique index ($collectionName)', ({ indexes, shardKey }) => {
    if (!shardKey) return;
    const key = Object.keys(shardKey);
    for (const index of indexes.filter(({ unique }) => unique))
      expect(Object.keys(index.key).slice(0, key.length)).toEqual(key);
  });

  test('is the one of docs/scaling.md', () => {
    const docs = readFileSync(new URL('../../../../docs/scaling.md', import.meta.url), 'utf8');
    const documented = [...docs.matchAll(/^\| `(\w+)` +\| `(\{.+?\})`/gm)].map(
      ([, name, key]) => `${name} ${key}`,
    );
    const declared = COLLECTIONS.flatMap(({ collectionName, shardKey }) => {
      const fields = Object.entries(shardKey ?? {}).map(([name, how]) => `${name}: ${JSON.stringify(how)}`);
      return shardKey ? [`${collectionName} { ${fields.join(', ')} }`] : [];
    });
    expect(documented.toSorted()).toEqual(declared.toSorted());
  });
});

test('no index that reads use is partial by $exists, which the embedded store never reads', () => {
  const indexes = COLLECTIONS.flatMap(({ collectionName, indexes: own }) =>
    own.map((index) => ({ collectionName, ...index })),
  );
  const read = indexes.filter((index) => !('unique' in index && index.unique));
  expect(read.filter((index) => JSON.stringify(index).includes('$exists'))).toEqual([]);
  expect(JSON.stringify(read)).toContain('partialFilterExpression');
});
