import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { addMember } from '../../shared/people/members.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { download as downloadFrom } from '../support/download.ts';
import { fixture } from '../support/fixture.ts';
import { type Answer, until } from '../support/harness.ts';
import { queryParquet } from '../support/parquet.ts';
import { beginBrowserSession, type Person } from '../support/people.ts';

const LAST = ['user_name', 'user_email', 'teams'];
const LEVELS = ['daily', 'sessions'] as const;
const HOSTILE = '=HYPERLINK("http://evil.example")';

const f = await fixture({ idp: true });
const { api, ctx, idp } = f;

beforeAll(async () => {
  const member = { org_id: f.orgId, role: 'member' } as const;
  for (const [user_id, name, teams] of [
    ['ada', 'Ada', ['red', 'sky']],
    ['eve', HOSTILE, ['red', '=1']],
    ['gone', 'Gone', ['red']],
  ] as const)
    await addMember(ctx, { ...member, user_id, name, email: `${user_id}@a.example`, teams: [...teams] });
  await removeMember(ctx, f.orgId, 'gone');
  // Another organization's member of the same id says nothing here.
  const { orgId: other } = await f.tenant();
  const bot = { user_id: 'bot', name: 'Bot', email: 'bot@b.example' };
  await addMember(ctx, { ...member, org_id: other, ...bot });
  const ts = ctx.clock.now();
  await f.record(...['ada', 'eve', 'gone', 'bot'].map((user_id) => ({ ts, user_id, cost_usd: 1 })));
});

/** A busy machine sheds exports first: a client comes again. */
const ask = (query: string, call: (path: string) => Promise<Answer>) =>
  until(async () => {
    const answer = await call(`/api/v1/usage/export?${query}`);
    return answer.status === 503 ? null : answer;
  });

const asKey = (given: string) => (path: string) => f.send(path, undefined, { key: given });

const download = async (query: Record<string, string>) =>
  (await downloadFrom(api, f.key, { people: 'true', ...query })).bytes;

async function rowsOf(query: string): Promise<Record<string, string>[]> {
  const { status, text } = await ask(query, asKey(f.key));
  expect(status, text).toBe(200);
  return parse(text, { columns: true });
}

describe.each(LEVELS)('an export of level %s with people=true', (level) => {
  it('names the person of each row in its last columns, and nobody who is not a member', async () => {
    const rows = await rowsOf(`level=${level}&people=true`);
    const plain = await rowsOf(`level=${level}`);
    expect(Object.keys(rows[0] ?? {})).toEqual([...Object.keys(plain[0] ?? {}), ...LAST]);
    const cells = Object.fromEntries(rows.map((row) => [row.user_id, LAST.map((name) => row[name])]));
    expect(cells).toEqual({
      ada: ['Ada', 'ada@a.example', 'red; sky'],
      eve: [`'${HOSTILE}`, 'eve@a.example', "red;' =1"],
      gone: ['', '', ''],
      bot: ['', '', ''],
    });
    const without = rows.map(({ user_name: _n, user_email: _e, teams: _t, ...row }) => row);
    expect(without).toEqual(plain);
  });

  it('has the same columns in NDJSON and in Parquet', async () => {
    const text = String(await download({ level, format: 'ndjson' }));
    const lines = text.split('\n').filter(Boolean);
    const eve = lines.map((line) => JSON.parse(line)).find(({ user_id }) => user_id === 'eve');
    expect(Object.entries(eve).slice(-3)).toEqual([
      ['user_name', HOSTILE],
      ['user_email', 'eve@a.example'],
      ['teams', 'red; =1'],
    ]);
    const parquet = await download({ level, format: 'parquet' });
    const sql = (file: string) =>
      `SELECT user_id, user_name, user_email, teams FROM '${file}' WHERE user_id IN ('ada', 'gone') ORDER BY 1`;
    expect(await queryParquet(parquet, sql)).toEqual([
      { user_id: 'ada', user_name: 'Ada', user_email: 'ada@a.example', teams: 'red; sky' },
      { user_id: 'gone', user_name: '', user_email: '', teams: '' },
    ]);
  });
});

describe('people=true', () => {
  const asPerson = async ({ accountId, sub }: Person) => {
    const { cookie } = await beginBrowserSession(api.ctx, { accountId, identity: { iss: idp.issuer, sub } });
    return (path: string) => api.call(`/dashboard${path}`, { headers: { Cookie: cookie } });
  };

  it.each(LEVELS)(
    'is for keys of members:read that are bound to nobody, and for admins: %s',
    async (level) => {
      const [admin, member] = [await f.person(undefined, 'admin'), await f.person()];
      const callers: [string, number, (path: string) => Promise<Answer>][] = [
        ['members:read, bound to nobody', 200, asKey(await f.keyOf(null, ['usage:read', 'members:read']))],
        ['an admin', 200, await asPerson(admin)],
        ['without members:read', 403, asKey(await f.keyOf(null, ['usage:read']))],
        ['without usage:read', 403, asKey(await f.keyOf(null, ['members:read']))],
        ['bound to a user', 403, asKey(await f.keyOf('ada', ['usage:read']))],
        ['a member', 403, await asPerson(member)],
        ['nobody', 401, (path) => api.call(path)],
      ];
      for (const [who, status, call] of callers) {
        const answer = await ask(`level=${level}&people=true`, call);
        expect(answer.status, who).toBe(status);
        if (status === 403) expect(answer.body.code, who).toBe('missing_scope');
      }
      // The same people, without names, read what they may.
      expect((await ask(`level=${level}&people=false`, await asPerson(member))).status).toBe(200);
    },
  );

  it.each(['people=yes', 'people=true&people=true', 'people='])('refuses %s with 400', async (query) => {
    expect((await ask(query, asKey(f.key))).body.code).toBe('invalid_request');
  });
});
