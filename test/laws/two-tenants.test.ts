import { beforeAll, describe, expect, test } from 'vitest';
import { routes as table } from '../../api/routes/index.ts';
import { createProgram } from '../../scripts/governor/program.ts';
import { statusCache } from '../../shared/core/limits/enforcement/state/cached-status.ts';
import { reservationKeys } from '../../shared/platform/redis/keys.ts';
import { COLLECTIONS } from '../../shared/tables/collections.ts';
import * as jobs from '../../workers/index.ts';
import { until } from '../support/harness.ts';
import { COMMANDS, JOBS, type Operation, PURGES, REQUESTS } from '../support/operations.ts';
import { differences, type Snapshot, snapshot } from '../support/rows.ts';
import { makeWhole, runScheduled, type WholeTenant, wholeFixture } from '../support/whole-tenant.ts';

/** Collections that hold no rows of one organization. */
const OF_NOBODY: Readonly<Record<string, string>> = {
  instances: 'processes',
  schema: 'the release',
  signing_keys: 'keys of the service',
  ledger_fences: 'shards of credits',
  settlements: 'gone once the next question is answered',
};

const host = await wholeFixture();
let own: WholeTenant | undefined;
let other: WholeTenant | undefined;
/** The rows and keys of the other organization. */
let others: Snapshot;
/** Its ids, which no row of anybody else holds. */
let ids: ReadonlySet<string>;
/** All that there was after the operation before. */
let last: Snapshot;

const ID = /\b[a-z]{3,4}_[A-Za-z0-9]{22}\b/g;

beforeAll(async () => {
  own = await makeWhole(host);
  const before = await settle();
  other = await makeWhole(host);
  last = await settle();
  others = new Map([...last].filter(([name]) => !before.has(name) && !isOfNobody(name)));
  const known = idsIn(before);
  ids = new Set([...idsIn(others)].filter((id) => !known.has(id)));
});

const idsIn = (found: Snapshot) => new Set([...found].flatMap((row) => row.join(' ').match(ID) ?? []));

/** Nothing is left to do that happens by itself. Returns what there is then. */
async function settle(): Promise<Snapshot> {
  let before: Snapshot = new Map();
  return until(async () => {
    await runScheduled(host);
    // A read that a busy machine does not finish in time settles nothing.
    const tenants = [own, other].filter((tenant) => tenant !== undefined);
    const reads = tenants.map(async ({ orgId }) => statusCache(host.ctx).refresh(orgId));
    const areRead = (await Promise.allSettled(reads)).every(({ status }) => status === 'fulfilled');
    const areForgotten = await Promise.all(tenants.map(forgetsReservations));
    const now = await snapshot(host.ctx);
    const isSettled = areRead && !areForgotten.includes(false) && differences(before, now).length === 0;
    before = now;
    const isLeft = [...now.keys()].some((name) => name.startsWith('settlements '));
    return isSettled && !isLeft ? now : null;
  });
}

/** True once Redis keeps no reservation of an organization that has ended: a read takes it out a second later. */
async function forgetsReservations({ orgId }: WholeTenant): Promise<boolean> {
  const { meter } = host.ctx.redis;
  const [nowS] = await meter.time();
  return (await meter.zcount(reservationKeys(orgId).ends, '-inf', 1_000 * Number(nowS) + 999)) === 0;
}

const isOfNobody = (name: string) => Object.hasOwn(OF_NOBODY, name.split(' ')[0] ?? '');

/** Rows and keys of the other organization that are not as they were, and rows of anybody that name it. */
async function touched(): Promise<{ own: string[]; other: string[] }> {
  const now = await snapshot(host.ctx);
  const changed = differences(last, now);
  last = now;
  const isOther = (name: string) =>
    others.has(name) || [name, now.get(name) ?? ''].some((text) => text.match(ID)?.some((id) => ids.has(id)));
  return { own: changed.filter((name) => !isOther(name)), other: changed.filter(isOther) };
}

async function check({ act, isQuiet }: Operation): Promise<void> {
  if (own && other) await act(own, host, other);
  const changed = await touched();
  expect(changed.other).toEqual([]);
  if (!isQuiet) expect(changed.own).not.toEqual([]);
}

test('each collection and kind of key has something of either organization', () => {
  const kinds = new Set([...others.keys()].map((name) => name.split(' ')[0] ?? ''));
  const missing = COLLECTIONS.map(({ collectionName }) => collectionName).filter((name) => !kinds.has(name));
  expect(missing.toSorted()).toEqual(Object.keys(OF_NOBODY).toSorted());
});

const writes = table({ stopping: false }).filter(
  ({ method, changesNothing }) => method !== 'get' && !changesNothing,
);
const namesOf = (operations: object) => Object.keys(operations).toSorted();

test('every route that writes, job and command has its operation here', () => {
  expect(namesOf(REQUESTS)).toEqual(writes.map(({ method, path }) => `${method} ${path}`).toSorted());
  expect(namesOf(JOBS)).toEqual(
    Object.values(jobs)
      .map(({ kind }) => kind)
      .toSorted(),
  );
  expect(namesOf(COMMANDS)).toEqual(commandsOf(createProgram({})).toSorted());
});

type Program = ReturnType<typeof createProgram>;

function commandsOf({ commands }: Pick<Program, 'commands'>, path: string[] = []): string[] {
  return commands.flatMap((command) => {
    const name = [...path, command.name()];
    return command.commands.length > 0 ? commandsOf(command, name) : [name.join(' ')];
  });
}

describe.each([
  ['the command', COMMANDS],
  ['the request', REQUESTS],
  ['the job', JOBS],
  ['the purge of', PURGES],
] as const)('%s', (_, operations) => {
  const acting = Object.entries(operations).filter(
    (entry): entry is [string, Operation] => entry[1] !== null,
  );
  test.each(acting)('%s of one organization leaves another one as it was', (_name, operation) =>
    check(operation),
  );
});
