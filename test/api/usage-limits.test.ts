import type { mongo } from 'mongoose';
import { beforeAll, expect, it } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { startApi, until } from '../support/harness.ts';

const NOW = Date.parse('2026-04-10T12:07:00Z');
const DAY = 86_400_000;
const fx = await fixture({ clock: NOW, env: { MAX_GROUPS: '6' } });
const { ctx, send, tenant } = fx;
const ask = (query: string, key = fx.key) => send(`/api/v1/usage?${query}`, undefined, { key });

beforeAll(() =>
  fx.record(
    ...Array.from({ length: 7 }, (_, at) => ({
      ts: NOW - at * DAY,
      user_id: `u${at}`,
      project_id: `p${at % 6}`,
    })),
  ),
);

it('answers as many groups as there may be, and refuses one more with a 400 that says so', async () => {
  const most = await ask('group_by=project_id');
  expect([most.status, most.body.groups.length]).toEqual([200, 6]);
  for (const query of ['group_by=user_id', 'group_by=user_id,model', 'group_by=user_id&interval=day']) {
    const refused = await ask(query);
    expect([refused.status, refused.body.code], query).toEqual([400, 'invalid_request']);
    expect(refused.body.detail).toContain('more than 6 groups');
  }
  const series = await ask('group_by=user_id&interval=day&series=groups');
  expect(series.status).toBe(400);
  const teams = await send(`/api/v1/org/${fx.orgId}/usage?group_by=team`);
  expect([teams.status, teams.body.groups.length]).toEqual([200, 1]);
});

it('refuses a series of more sums than may be held at once with a 400 that names buckets', async () => {
  const { key, record } = await tenant();
  await record(...Array.from({ length: 61 }, (_, hour) => ({ ts: NOW - hour * 3_600_000 })));
  const { status, body } = await ask('group_by=user_id&interval=hour&series=groups', key);
  expect([status, body.code]).toEqual([400, 'invalid_request']);
  expect(body.detail).toContain('more than 60 sums of a group and a bucket');
});

it('counts no group that was active in another part of the day only', async () => {
  const { key, record } = await tenant();
  const midnight = NOW - (NOW % DAY);
  const early = Array.from({ length: 6 }, (_, at) => ({ ts: midnight + at, user_id: `early-${at}` }));
  await record(...early, { ts: NOW, user_id: 'late' });
  const from = new Date(midnight + 3_600_000).toISOString();
  const { status, body } = await ask(`group_by=user_id&from=${from}`, key);
  expect([status, body.groups?.length]).toEqual([200, 1]);
});

it('reads groups of one organization one answer after the other, beside those of others', async () => {
  const other = await tenant();
  const client = ctx.db.connection.getClient();
  const withSession = client.withSession.bind(client);
  const reading = { now: 0, most: 0, wanted: 2 };
  const counted = async (work: mongo.WithSessionCallback) => {
    reading.now += 1;
    reading.most = Math.max(reading.most, reading.now);
    // So long that whoever need not wait comes too: until both are there, or for a while where one has to wait.
    if (reading.wanted > 1) await until(() => reading.most >= reading.wanted, { what: 'both to read' });
    else await new Promise((resolve) => setTimeout(resolve, 50));
    return withSession(work).finally(() => {
      reading.now -= 1;
    });
  };
  Object.assign(client, { withSession: counted });
  const asked = 'group_by=project_id';
  await Promise.all([ask(asked), ask(asked, other.key)]);
  expect(reading.most).toBe(2);
  Object.assign(reading, { most: 0, wanted: 1 });
  const series = `${asked}&interval=day&series=groups`;
  const answers = await Promise.all([asked, asked, series, series].map((query) => ask(query)));
  expect([answers.map(({ status }) => status), reading.most]).toEqual([[200, 200, 200, 200], 1]);
  Object.assign(client, { withSession });
});

it('writes an answer of many groups in pieces, as one JSON with every group in order', async () => {
  const many = await startApi({ ctx: { ...ctx, config: { ...ctx.config, maxGroups: 1_000 } } });
  const { orgId, key, record } = await tenant();
  const users = Array.from({ length: 600 }, (_, at) => `user-${String(at).padStart(3, '0')}`);
  await record(...users.map((user_id) => ({ ts: NOW, user_id, project_id: 'p' })));
  for (const path of ['/api/v1/usage', `/api/v1/org/${orgId}/usage`]) {
    const { status, body } = await many.call(`${path}?group_by=user_id`, { key });
    expect(status).toBe(200);
    expect(body.groups.map((group: { key: { user_id: string } }) => group.key.user_id)).toEqual(users);
    expect(body.totals.signals).toBe(600);
    const few = await many.call(`${path}?group_by=project_id`, { key });
    expect(few.body.groups[0]).toMatchObject({ key: { project_id: 'p' }, signals: 600 });
    expect(Object.keys(body)).toEqual(Object.keys(few.body));
  }
  await many.close();
});
