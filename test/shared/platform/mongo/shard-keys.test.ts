import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planOf } from '../../../../scripts/mongod-face/planner.ts';
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

/** Fields of which each value belongs to one organization. */
const OF_ONE_TENANT = new Set(
  '_id org_id account_id webhook_id destination_id budget_id session_id client_session branch work key idk'.split(
    ' ',
  ),
);

/** Reads of all tenants, and rows of all that a write looks for, by shape. */
const OF_NO_TENANT: Readonly<Record<string, string>> = {
  'api_keys by $or in order of created_at': 'retention: the keys of all organizations are few',
  'audit by ~at in order of at': 'retention: the oldest of all',
  'boundaries by renamed_to': 'a hash of repository and branch, which one organization has',
  'contexts by ~ts in order of ts': 'retention: the oldest of all',
  'credit_accounts by nothing': 'the meter: every account is opened again',
  'deliveries by ~finished_at in order of finished_at': 'retention: the oldest of all',
  'destinations by enabled in order of through': 'a gauge: the destination that is furthest behind',
  'device_grants by account_id': 'erasing a person: grants end after minutes, so they are few',
  'due by ~_id,kind,org_id in order of _id': 'an organization, behind the kind in the index',
  'due by ~due_at in order of due_at': 'the sweep: what is due, whosever it is',
  'events by ~created_at in order of created_at': 'retention: the oldest of all',
  'export_runs by ~created_at in order of created_at': 'retention: the oldest of all',
  'held_signals by ~ts in order of ts': 'retention: the oldest of all',
  'idempotency_records by ~expires_at in order of expires_at': 'retention: the oldest of all',
  'members by email': 'sign-in: the organization is not known yet',
  'organizations by nothing': 'jobs that walk over all organizations',
  'organizations by ~_id in order of _id': 'jobs that walk over all organizations',
  'queued_deliveries by state': 'webhooks that hold more than they may',
  'queued_deliveries by ~at,state': 'the sweep: what is due, whosever it is',
  'queued_deliveries by ~at,state in order of at': 'the sweep: what is due, whosever it is',
  'raises by ~notes_until': 'retention: the oldest of all',
  'webhooks by alerted_at,status': 'the sweep: alerts that were not sent',
  'webhooks by status': 'a gauge: webhooks that are failing',
};

/** Lists that are put in order in memory, by shape. */
const SORTED_IN_MEMORY: Readonly<Record<string, string>> = {
  'api_keys by $or in order of created_at': 'retention: the keys of all organizations are few',
  'devices by account_id in order of created_at': 'an account has few devices',
};
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

  test('every read begins with its tenant, by an index, but for those that are of all tenants by intent', () => {
    const others = [...(story?.reads ?? [])].flatMap(([shape, read]) => {
      const declared = COLLECTIONS.find(({ collectionName }) => collectionName === read.collection);
      const plan = declared ? planOf(read, declared) : null;
      const [first = ''] = plan?.index.split(',') ?? [];
      return plan && plan.equal > 0 && OF_ONE_TENANT.has(first) ? [] : [shape];
    });
    expect(others.toSorted()).toEqual(Object.keys(OF_NO_TENANT).toSorted());
  });

  test('no list is put in order in memory, but for those that are short', () => {
    const sorted = [...(story?.reads ?? [])].flatMap(([shape, read]) => {
      const declared = COLLECTIONS.find(({ collectionName }) => collectionName === read.collection);
      return declared && planOf(read, declared)?.isSorted === true
        ? []
        : Object.keys(read.sort).length > 0
          ? [shape]
          : [];
    });
    expect(sorted.toSorted()).toEqual(Object.keys(SORTED_IN_MEMORY).toSorted());
  });

  test('no command breaks a rule of MongoDB', () => {
    expect([...(story?.violations ?? [])]).toEqual([]);
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
