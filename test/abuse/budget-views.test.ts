import { beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, rotateApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { apiKeyRows } from '../../shared/core/accounts/keys/model.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import type { Scope } from '../../shared/platform/basics/contract.ts';
import { fixture } from '../support/fixture.ts';
import { type Answer, until } from '../support/harness.ts';
import { beginBrowserSession, makePerson, type Person } from '../support/people.ts';

/** Thresholds are found in no other text of an answer. */
const BUDGETS = {
  org: { name: 'of the organization', threshold: 0.070707 },
  team: { name: 'of the team', threshold: 0.080808 },
  project: { name: 'of the project', threshold: 0.090909 },
  ada: { name: 'of ada alone', threshold: 0.010101 },
  bob: { name: 'of bob alone', threshold: 0.020202 },
} as const;
type Whose = keyof typeof BUDGETS;
const ALL = Object.keys(BUDGETS) as Whose[];

const FIELDS = { metric: 'cost_usd', window: 'monthly', enforce: 'hard' };
let ada: Person;
let admin: Person;
const { idp, api, ctx, orgId, ask, send, spend, person, tenant } = await fixture({ idp: true });
const ids = new Map<Whose, string>();

beforeAll(async () => {
  [admin, ada] = [await person(undefined, 'admin'), await person()];
  const bob = await person();
  await changeMember(ctx, orgId, ada.userId, { teams: ['red'] });
  const scopes = {
    org: { scope: 'org', scope_id: orgId },
    team: { scope: 'team', scope_id: 'red' },
    project: { scope: 'project', scope_id: 'solo' },
    ada: { scope: 'user', scope_id: ada.userId },
    bob: { scope: 'user', scope_id: bob.userId },
  };
  for (const whose of ALL)
    ids.set(whose, (await ask('/api/v1/budgets', { ...FIELDS, ...BUDGETS[whose], ...scopes[whose] })).id);
  await spend({ user_id: ada.userId, project_id: 'solo', cost_usd: 0.5 });
  await until(async () => {
    const { budgets } = await ask('/api/v1/budgets/check', { user_id: ada.userId });
    return budgets.length === 3 && budgets.every(({ refuses }: { refuses: boolean }) => refuses);
  });
});

type Headers = Record<string, string>;
const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` });

/** A key as it may have been made before such keys were refused. */
async function makeKey(org_id: string, scopes: Scope[], user_id?: string) {
  const made = await createApiKey(ctx, { org_id, scopes: ['budgets:check'], user_id });
  await apiKeyRows(ctx).updateOne({ _id: made.key_id }, { $set: { scopes } });
  return made;
}

async function cookieOf({ accountId, sub }: Person): Promise<Headers> {
  const identity = { iss: idp.issuer, sub };
  return { cookie: (await beginBrowserSession(ctx, { accountId, identity })).cookie };
}

interface Credential {
  kind: string;
  /** The base of its routes. */
  under: '' | '/dashboard';
  headers: () => Promise<Headers>;
  sees: readonly Whose[];
}

const OWN = ['ada'] as const;
const keyOf = (kind: string, scopes: Scope[], sees: readonly Whose[], isBound: boolean): Credential => ({
  kind,
  under: '',
  headers: async () => bearer((await makeKey(orgId, scopes, isBound ? ada.userId : undefined)).key),
  sees,
});

const ASKERS: Credential[] = [
  keyOf('an unbound key with usage:read', ['budgets:check', 'usage:read'], ALL, false),
  keyOf('an unbound key without it', ['budgets:check'], [], false),
  keyOf('an unbound key that may write budgets', ['budgets:check', 'budgets:write'], [], false),
  keyOf('a bound key', ['budgets:check'], OWN, true),
  keyOf('a bound key with usage:read', ['budgets:check', 'usage:read'], OWN, true),
];

const READERS: Credential[] = [
  keyOf('an unbound key', ['usage:read'], ALL, false),
  keyOf('a bound key', ['usage:read'], OWN, true),
  { kind: 'an admin', under: '/dashboard', headers: () => cookieOf(admin), sees: ALL },
  { kind: 'a member', under: '/dashboard', headers: () => cookieOf(ada), sees: OWN },
];

/** Names and amounts of what is not seen are nowhere in an answer. */
function expectNoneButOf({ text }: Answer, sees: readonly Whose[]): void {
  for (const whose of ALL.filter((one) => !sees.includes(one))) {
    expect(text).not.toContain(BUDGETS[whose].name);
    expect(text).not.toContain(String(BUDGETS[whose].threshold));
    expect(text).not.toContain(BUDGETS[whose].threshold.toFixed(4));
  }
}

/** `refusing` are the budgets that the call counts in. */
function expectRefusal(answer: Answer, sees: readonly Whose[], refusing: readonly Whose[]): void {
  expectNoneButOf(answer, sees);
  const { reason, refused_by, retry_at, budgets } = answer.body;
  const visible = refusing.filter((whose) => sees.includes(whose));
  expect(budgets.map(({ name }: { name: string }) => name)).toEqual(
    visible.map((whose) => BUDGETS[whose].name),
  );
  for (const one of budgets) expect(one).toMatchObject({ refuses: true, remaining: 0 });
  // All have nothing left and the same window: it is the oldest.
  const isSeen = sees.includes('org');
  const until = new Date(retry_at).toISOString();
  expect(refused_by).toEqual({
    id: ids.get('org'),
    name: isSeen ? BUDGETS.org.name : null,
    cause: 'spent',
    resets_at: until,
  });
  const hidden = /^A budget of your organization refuses this call until \d{1,2} [A-Z][a-z]{2}, 00:00 UTC\.$/;
  expect(reason).toMatch(isSeen ? BUDGETS.org.name : hidden);
}

describe.each(ASKERS)('$kind asks', ({ headers, sees }) => {
  let call: (path: string, body?: object) => Promise<Answer>;
  let isBound: boolean;
  beforeAll(async () => {
    const own = await headers();
    call = (path, body) => api.call(path, { headers: own, ...(body && { body }) });
    isBound = sees === OWN;
  });
  const everywhere = ['org', 'team', 'project', 'ada'] as const;

  it('whether a call fits, and is told of the budgets that it sees', async () => {
    const asked = await call('/api/v1/budgets/check', { user_id: ada.userId, project_id: 'solo' });
    expectRefusal(asked, sees, everywhere);
  });

  it('for a reservation that is refused, and is told the same', async () => {
    const wish = { user_id: ada.userId, project_id: 'solo', estimate_usd: 1, ttl_s: 60 };
    const refused = await call('/api/v1/budgets/reserve', wish);
    expect(refused.body).toMatchObject({ reservation_id: null, allow: false });
    expectRefusal(refused, sees, everywhere);
  });

  it('at the gate, and is told the same', async () => {
    const answer = await call('/gate');
    expectNoneButOf(answer, sees);
    const name = sees.includes('org') ? BUDGETS.org.name : null;
    expect(answer.body).toMatchObject({ code: 'budget_refused', refused_by: { id: ids.get('org'), name } });
  });

  it('how its own budgets are, also in one line', async () => {
    const counted = isBound ? (['org', 'team', 'ada'] as const) : (['org'] as const);
    expectRefusal(await call('/api/v1/me/budget'), sees, counted);
    const line = await call('/api/v1/me/budget?format=line');
    expectNoneButOf(line, sees);
    const hidden =
      /^A budget of your organization refuses your calls until \d{1,2} [A-Z][a-z]{2}, 00:00 UTC\n$/;
    expect(line.text).toMatch(sees.includes('org') ? BUDGETS.org.name : hidden);
  });

  it('as the hook of Claude Code', async () => {
    const answer = await call('/hooks/claude-code', { hook_event_name: 'UserPromptSubmit' });
    expectNoneButOf(answer, sees);
    const hidden =
      /^A budget of your organization refuses this call until \d{1,2} [A-Z][a-z]{2}, 00:00 UTC\.\nAsk for more: [^$]+$/;
    expect(answer.body.reason).toMatch(sees.includes('org') ? BUDGETS.org.name : hidden);
  });
});

describe.each(READERS)('$kind with usage:read', ({ headers, under, sees }) => {
  let get: (path: string) => Promise<Answer>;
  beforeAll(async () => {
    const own = await headers();
    get = (path) => api.call(`${under}/api/v1/budgets${path}`, { headers: own });
  });

  it('lists the budgets that it sees', async () => {
    const { body } = await get('');
    const names = body.data.map(({ name }: { name: string }) => name).toReversed();
    expect(names).toEqual(sees.map((whose) => BUDGETS[whose].name));
    expect(body.total).toBe(sees.length);
  });

  it.each(['', '/events', '/windows'])('reads {id}%s of those alone', async (part) => {
    for (const whose of ALL) {
      const { status } = await get(`/${ids.get(whose)}${part}`);
      expect([whose, status]).toEqual([whose, sees.includes(whose) ? 200 : 404]);
    }
  });
});

describe('somebody who wants to know what others use', () => {
  it('gets no key that sets thresholds and asks, unless it may read usage', async () => {
    const scopes: Scope[] = ['budgets:write', 'budgets:check'];
    const refusal = { code: 'invalid_request' };
    await expect(createApiKey(ctx, { org_id: orgId, scopes })).rejects.toMatchObject(refusal);
    const make = (fields: object) =>
      send('/v1/keys', { name: 'two scopes', scopes, ...fields }, { key: admin });
    expect((await make({})).body).toMatchObject({
      status: 400,
      ...refusal,
      errors: [{ pointer: '/scopes' }],
    });
    const old = await makeKey(orgId, scopes);
    await expect(rotateApiKey(ctx, old.key_id, 0)).rejects.toMatchObject(refusal);
    expect((await send('/api/v1/budgets/check', {}, old)).status).toBe(200);
    for (const allowed of [{ scopes: [...scopes, 'usage:read'] }, { user_id: 'eve' }])
      expect((await make(allowed)).status).toBe(201);
  });

  it('reads nothing with such a key of before, by a budget of any threshold', async () => {
    const own = await tenant();
    await own.record({ ts: Date.now(), user_id: 'victim', cost_usd: 20.1192 });
    const two = await makeKey(own.orgId, ['budgets:write', 'budgets:check']);
    const probe = { ...FIELDS, name: 'probe', scope: 'user', scope_id: 'victim', enforce: 'none' };
    const made = await send('/api/v1/budgets', { ...probe, threshold: 9e6 }, two);
    const harder = { enforce: 'hard', threshold: 8e6 };
    const changed = await send(`/api/v1/budgets/${made.body.id}`, harder, { ...two, method: 'PATCH' });
    const call = { user_id: 'victim', estimate_usd: 8e5 };
    await until(async () => {
      const { budgets } = await ask('/api/v1/budgets/check', call, own);
      return budgets[0]?.remaining === 8e6 - 20.1192;
    });
    const asked = await send('/api/v1/budgets/check', call, two);
    expect(asked.body).toMatchObject({ allow: true, budgets: [] });
    for (const { text } of [made, changed, asked]) expect(text).not.toMatch(/remaining|20\.1192|9[78]\d\.88/);
  });

  it('sees nothing of a colleague in any project: the answer is that of a project that does not exist', async () => {
    const own = await tenant();
    const member = await makePerson(ctx, idp, { orgId: own.orgId });
    const mine = await ask('/v1/keys', { name: 'mine', scopes: ['budgets:check'] }, { key: member });
    for (const of of [{ scope: 'project', scope_id: 'solo' }, { scope: 'org' }])
      await ask('/api/v1/budgets', { ...FIELDS, name: 'Of all', threshold: 5_000, ...of }, own);
    const check = (project_id: string, { key }: { key: string }) =>
      send('/api/v1/budgets/check', { project_id }, { key });
    const left = (amount: number) =>
      until(async () => {
        const { budgets } = (await check('solo', own)).body;
        return (
          budgets.length === 2 && budgets.every((one: { remaining: number }) => one.remaining === amount)
        );
      });
    await left(5_000);
    const before = await check('solo', mine);
    await own.record({ ts: Date.now(), user_id: 'colleague', project_id: 'solo', cost_usd: 3.2173 });
    await left(4_996.7827);
    const after = await check('solo', mine);
    expect(after.body).toEqual({ allow: true, reason: null, refused_by: null, retry_at: null, budgets: [] });
    expect([after.text, (await check('there is none', mine)).text]).toEqual([before.text, before.text]);
  });
});
