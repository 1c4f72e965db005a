import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { acceptInvitation } from '../../shared/core/accounts/identity/invitations.ts';
import { linkIdentity } from '../../shared/core/accounts/identity/link-identity.ts';
import { organizationRows } from '../../shared/core/accounts/organizations/model.ts';
import { eraseMember } from '../../shared/people/erase-member.ts';
import { hashNames } from '../../shared/people/hash-names.ts';
import { addMember } from '../../shared/people/members.ts';
import { SCOPES } from '../../shared/platform/basics/contract.ts';
import { type Personal, personalFields } from '../../shared/platform/mongo/fields.ts';
import type { RedisClient } from '../../shared/platform/redis/connect.ts';
import { COLLECTIONS } from '../../shared/tables/collections.ts';
import { clientSessionKey } from '../../shared/wings/work/attribution/names.ts';
import { BOUND_SCOPES, makeSignal } from '../support/factories.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { approve, linkDevice, startLink } from '../support/people.ts';
import { textsOfRedis } from '../support/whole-stores.ts';
import { runDue, runScheduled } from '../support/whole-tenant.ts';

const MINUTE = 60_000;
/** A word that the person, or somebody who writes about the person, has used. */
const WORD = 'ownword';
/** The person's user id. */
const USER = 'chosenid';
const SHOP = 'github.com/acme/shop';
const publicKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
const COMMIT = 'c0ffee0123456789c0ffee0123456789c0ffee01';
/** A value that is the person's, and no word. */
const MARKS = [WORD, String(publicKey.x), COMMIT];
/** No intervention is held, so none of its words are. */
const NEVER = 'held_signals.signal.intervention.reason';

const host = await fixture({ clock: true, idp: true, smtp: true, redis: true, receiver: true });
const { ctx, api, clock } = host;

/** A place in a store, and whether it holds a word of the person or the user id. */
interface Found {
  collection: string;
  path: string;
  word: boolean;
}

/** Every place of every collection with a mark of the person. Places of lists have no numbers. */
async function findMarks(): Promise<Found[]> {
  const found: Found[] = [];
  for (const { name: collection } of await ctx.db.database.listCollections().toArray())
    for await (const row of ctx.db.database.collection(collection).find())
      for (const [path, text] of textsOf(row, '')) {
        const word = MARKS.some((mark) => text.includes(mark));
        if (word || text.includes(USER)) found.push({ collection, path, word });
      }
  return found;
}

function* textsOf(value: unknown, path: string): Generator<[path: string, text: string]> {
  if (typeof value === 'string') yield [path, value];
  if (Array.isArray(value)) for (const each of value) yield* textsOf(each, path);
  else if (typeof value === 'object' && value !== null && !(value instanceof Date))
    for (const [name, own] of Object.entries(value))
      yield* textsOf(own, path === '' ? name : `${path}.${name}`);
}

/** The declaration of a place: its field, or one that holds it. */
function declaredAt({ collection, path }: Pick<Found, 'collection' | 'path'>): Personal | undefined {
  const fields = COLLECTIONS.find(({ collectionName }) => collectionName === collection)?.fields ?? {};
  return personalFields(fields).find(([own]) => path === own || path.startsWith(`${own}.`))?.[1];
}

const placesOf = (found: readonly Found[]) =>
  [...new Set(found.map(({ collection, path }) => `${collection}.${path}`))].toSorted();

/** Every declared place that is erased, or hashed. */
const declared = (fate: 'erased' | 'hashed') =>
  COLLECTIONS.flatMap(({ collectionName, fields }) =>
    personalFields(fields).flatMap(([path, personal]) =>
      personal[fate] ? [`${collectionName}.${path}`] : [],
    ),
  );

async function keysWithWords(redis: RedisClient): Promise<string[]> {
  const texts = await textsOfRedis(redis);
  return texts.filter((text) => MARKS.some((mark) => text.includes(mark))).map((text) => text.slice(0, 200));
}

/** A person who has used the word in every place that takes one. */
async function tell() {
  const grace = await host.person('grace', 'admin');
  const key = await host.keyOf(null, [...SCOPES]);
  const by = async (as: string, method: string, path: string, body?: unknown) => {
    const answer = await api.call(path, { key: as, method, ...(body === undefined ? {} : { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const identity = { iss: host.idp.issuer, sub: `${WORD}-sub` };
  const email = `${WORD}@example.org`;
  const { _id } = await addMember(ctx, {
    org_id: host.orgId,
    user_id: USER,
    email,
    name: `Ada ${WORD}`,
    role: 'admin',
  });
  // A person joins by an invitation, and an operator names another identity later.
  const joined = { iss: host.idp.issuer, sub: `${WORD}-joined` };
  await acceptInvitation(ctx, { accountId: _id, email, identity: joined });
  await linkIdentity(ctx, host.orgId, USER, identity);
  await organizationRows(ctx).updateOne(
    { _id: host.orgId },
    { $set: { admin_emails: [email], vouched_emails: [email] } },
  );
  const session = await host.idp.mint(identity.sub, { nowMs: clock.now() });
  const ada = { accountId: _id, orgId: host.orgId, userId: USER, sub: identity.sub, session };
  await host.webhook(host.receiver.url);
  const named = { name: `laptop of ${WORD}`, public_key: publicKey };
  await linkDevice(api, ada, named);
  const linking = await startLink(api, named);
  expect((await approve(api, ada, linking.user_code)).status).toBe(204);
  const bound = await host.keyOf(USER, [...BOUND_SCOPES], { name: `key of ${WORD}` });
  const each = {
    ...BUDGET,
    name: 'Each',
    per: 'user',
    window: 'monthly',
    threshold: 50_000,
    enforce: 'hard',
  };
  const budget = await by(key, 'POST', '/api/v1/budgets', each);
  await refuse(key);
  await by(key, 'GET', '/api/v1/refusals');
  await refuse(key);
  await by(session, 'PATCH', '/v1/preferences', { digest: 'daily' });
  const raise = await by(session, 'POST', '/v1/raises', { budget_id: budget.id, amount: 5, note: WORD });
  await by(grace.session, 'POST', `/v1/raises/${raise.id}/deny`, { note: `to ${WORD}` });
  const ts = clock.now() - MINUTE;
  const context = { client_session_id: `${WORD}-session`, repository: SHOP, branch: `${WORD}-branch` };
  const names = {
    task: `${WORD}-task`,
    worktree: `${WORD}-tree`,
    commit: COMMIT,
    renamed_from: `${WORD}-old`,
  };
  const contexts = [
    { ...context, branch: `${WORD}-old`, ts: new Date(ts - 2 * MINUTE).toISOString() },
    { ...context, ...names, ts: new Date(ts - MINUTE).toISOString() },
  ];
  await by(bound, 'POST', '/api/v1/contexts', { contexts });
  const pullRequest = {
    repository: SHOP,
    number: 7,
    title: `About ${WORD}`,
    state: 'open',
    opened_at: contexts[0]?.ts,
  };
  await by(key, 'POST', '/api/v1/pull-requests', {
    ...pullRequest,
    branch: `${WORD}-first`,
    base_branch: `${WORD}-base`,
  });
  await by(key, 'POST', '/api/v1/pull-requests', {
    ...pullRequest,
    branch: `${WORD}-branch`,
    base_branch: `${WORD}-base`,
  });
  const words = {
    user_id: USER,
    metadata: { client_session_id: `${WORD}-session`, note: WORD },
    repository: SHOP,
    branch: `${WORD}-said`,
    task: `${WORD}-task`,
    error: { code: 'refused', message: `No, ${WORD}` },
  };
  const intervention = {
    kind: 'gate',
    verdict: 'deny',
    action: 'block',
    source: 'config',
    reason: `for ${WORD}`,
  };
  const signals = [
    makeSignal({ id: 'one', ts, ...words }),
    makeSignal({ id: 'two', ts: ts + 1, ...words }),
    makeSignal({ id: 'huge', ts: ts + 2, ...words, tokens_in: 900_000_000 }),
    makeSignal({ id: 'gate', ts: ts + 3, ...words, type: 'intervention', intervention }),
  ];
  const { results } = await by(key, 'POST', '/api/v1/signals', { signals });
  await by(key, 'POST', `/api/v1/sessions/${results[0].session_id}/void`, {
    signal_ids: ['two'],
    reason: `of ${WORD}`,
  });
  MARKS.push(clientSessionKey(ctx, host.orgId, `${WORD}-session`));
  await settle();
}

/** A call of the person that a budget refuses, which this process has not written yet. */
async function refuse(key: string): Promise<void> {
  const call = {
    user_id: USER,
    estimate_usd: 60_000,
    adapter: `${WORD}-tool`,
    client_session_id: `${WORD}-session`,
  };
  const { body } = await api.call('/api/v1/budgets/check', { key, body: call });
  expect(body.allow).toBe(false);
}

async function settle(): Promise<void> {
  await runDue(host as never, host.orgId);
  await runScheduled(host as never);
}

test('an erased person is in no store, no queue and nothing that is sent afterwards, but where a field says why', async () => {
  await tell();
  const before = await findMarks();
  const undeclared = before.filter((found) => declaredAt(found) === undefined);
  expect(placesOf(undeclared)).toEqual([]);
  const places = placesOf(before);
  const isReached = (place: string) =>
    place === NEVER || places.some((path) => path === place || path.startsWith(`${place}.`));
  expect([...declared('erased'), ...declared('hashed')].filter((place) => !isReached(place))).toEqual([]);

  await eraseMember(ctx, host.orgId, USER, { revokeMade: true });
  host.receiver.received.length = 0;
  clock.advance(10 * MINUTE);
  await settle();

  const wrong = (await findMarks()).filter((found) => {
    const { erased, kept } = declaredAt(found) ?? {};
    // The reason of a correction belongs to the accounts.
    if (found.collection === 'audit' && found.path === 'details.reason') return false;
    return found.word ? erased || kept === undefined : erased && kept === undefined;
  });
  expect(placesOf(wrong)).toEqual([]);
  expect(await keysWithWords(ctx.redis.producer)).toEqual([]);
  expect(await keysWithWords(ctx.redis.meter)).toEqual([]);
  expect(
    host.receiver.received.filter(({ body }) => MARKS.some((mark) => body.toString().includes(mark))),
  ).toEqual([]);

  await organizationRows(ctx).updateOne({ _id: host.orgId }, { $set: { hash_names: true } });
  await hashNames(ctx, host.orgId);
  const shown = (await findMarks()).filter((found) => found.word && declaredAt(found)?.hashed);
  expect(placesOf(shown)).toEqual([]);
});
