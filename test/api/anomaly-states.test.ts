import { describe, expect, it } from 'vitest';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { queuedDeliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { exportMember } from '../../shared/people/export-member.ts';
import { checkSession } from '../../shared/wings/anomalies/check-session.ts';
import { anomalyRows, expectationRows } from '../../shared/wings/anomalies/model.ts';
import { reportAnomalies } from '../../shared/wings/anomalies/report-anomalies.ts';
import { fixture, type Tenant } from '../support/fixture.ts';
import { standingStillAfter } from '../support/interleave.ts';
import { makePerson, type Person } from '../support/people.ts';
import { SECRET } from '../support/webhooks.ts';

const HOUR = 3_600_000;
const f = await fixture({ clock: Date.UTC(2026, 10, 18, 10), idp: true, admin: true, perTest: true });
const SPIKE = { tokens_in: 2_050_000, tokens_out: 0, cost_usd: 0 };

/** Reports a session of tokens that are too many, or more of the one that is open. Returns it with its anomaly. */
async function spike(fields: Record<string, unknown> = {}, { key, record, orgId: org_id }: Tenant = f) {
  f.clock.advance(61_000);
  await record({ ts: f.clock.now(), user_id: 'ada', ...SPIKE, ...fields });
  const session = await sessionRows(f.ctx).findOne({ org_id }, { sort: { last_activity_at: -1 } });
  if (!session) throw new Error('There is no session.');
  await checkSession(f.ctx, session._id);
  const [anomaly] = await list('', key);
  return { session, id: anomaly?.id ?? '', state: anomaly?.state };
}

async function list(query = '', key = f.key): Promise<{ id: string; state: string; session_id: string }[]> {
  return (await f.ask(`/api/v1/anomalies${query}`, undefined, { key })).data;
}

const post = (path: string, body: object = {}, key: string | Person = f.admin) =>
  f.send(`/v1/anomalies/${path}`, body, { key });
async function channels(key = f.key) {
  const url = 'http://127.0.0.1:9/';
  const events = ['anomaly.detected'];
  const chat = await f.ask('/api/v1/webhooks', { url, format: 'slack', events }, { key });
  const json = await f.ask('/api/v1/webhooks', { url, events, secret: SECRET }, { key });
  let known = [0, 0];
  /** The deliveries since it was asked last: of the channel, and of the webhook of the format json. */
  return async () => {
    const counts = [chat, json].map(({ id }) => queuedDeliveryRows(f.ctx).countDocuments({ webhook_id: id }));
    const before = known;
    known = await Promise.all(counts);
    return known.map((count, at) => count - (before[at] ?? 0));
  };
}

const until = (hours = 1) => new Date(f.ctx.clock.now() + hours * HOUR).toISOString();

describe('an anomaly', () => {
  it('is new until an admin acknowledges it; a repeat, also of another admin, answers the same', async () => {
    const { id, state: before } = await spike();
    expect(before).toBe('new');
    const first = await post(`${id}/acknowledge`);
    const { state, acknowledged_by } = first.body;
    expect([first.status, state, acknowledged_by]).toEqual([200, 'acknowledged', f.admin.userId]);
    const again = await post(`${id}/acknowledge`, {}, await f.person('hopper', 'admin'));
    expect(again.body).toEqual(first.body);
    expect(await f.audited('anomaly.acknowledge')).toHaveLength(1);
    expect([(await list('?state=new')).length, (await list('?state=acknowledged')).length]).toEqual([0, 1]);
    const bound = await f.keyOf('ada', ['usage:read']);
    const own = await f.ask('/api/v1/anomalies', undefined, { key: bound });
    expect([own.data[0].state, own.data[0].acknowledged_by]).toEqual(['acknowledged', undefined]);
    await f.member('ada');
    const records = await Array.fromAsync(exportMember(f.ctx, f.orgId, 'ada'));
    expect(JSON.stringify(records)).toContain('"state":"acknowledged"');
  });

  it.each(['person', 'session'] as const)(
    'of a kind that is expected of a %s tells no channel until then',
    async (of) => {
      const news = await channels();
      const { id } = await spike();
      await news();
      const asked = { of, until: until() };
      const first = await post(`${id}/expect`, asked);
      const { state, expected_until } = first.body;
      expect([first.status, state, expected_until]).toEqual([200, 'expected', asked.until]);
      expect((await post(`${id}/expect`, asked)).body).toEqual(first.body);
      expect(await f.audited('anomaly.expect')).toHaveLength(1);
      // The same session doubles, and another one of the person spikes.
      await spike({ tokens_in: 2_100_000 });
      expect(await news()).toEqual([0, 1]);
      await spike({ project_id: 'other' });
      const isMuted = of === 'person';
      expect(await news()).toEqual([isMuted ? 0 : 1, 1]);
      expect((await list('?state=expected')).length).toBe(isMuted ? 2 : 1);
      f.clock.advance(2 * HOUR);
      await spike({ project_id: 'third' });
      expect(await news()).toEqual([1, 1]);
      expect((await list('?state=new')).length).toBe(isMuted ? 1 : 2);
    },
  );

  it('that is expected of one person tells of others, and of other kinds', async () => {
    const news = await channels();
    await post(`${(await spike()).id}/expect`, { of: 'person', until: until() });
    await news();
    await spike({ user_id: 'bob' });
    await spike({ project_id: 'dear', tokens_in: 1_000, cost_usd: 60 });
    expect(await news()).toEqual([2, 2]);
  });

  it('that is expected is so in its organization alone, although another one has a person of that id', async () => {
    const other = await f.tenant();
    const news = await channels(other.key);
    const [own, theirs] = [until(), until(2)];
    await post(`${(await spike()).id}/expect`, { of: 'person', until: own });
    const { id, state } = await spike({}, other);
    expect([state, await news()]).toEqual(['new', [1, 1]]);
    const admin = await makePerson(f.ctx, f.idp, { orgId: other.orgId, role: 'admin' });
    expect((await post(`${id}/expect`, { of: 'person', until: theirs }, admin)).status).toBe(200);
    const ends = async (org_id: string) =>
      (await expectationRows(f.ctx).find({ org_id }).toArray()).map((row) => row.until.toISOString());
    expect([await ends(f.orgId), await ends(other.orgId)]).toEqual([[own], [theirs]]);
  });

  it.each([
    [{ of: 'session', hours: 1 } as const, { of: 'person', hours: 2 } as const],
    [{ of: 'session', hours: 2 } as const, { of: 'person', hours: 1 } as const],
    [{ of: 'person', hours: 1 } as const, { of: 'session', hours: 2 } as const],
    [{ of: 'person', hours: 2 } as const, { of: 'session', hours: 1 } as const],
  ])('that is expected by %j is by %j too once an admin says so, until the later time', async (...said) => {
    const { id } = await spike();
    const expected_until = until(2);
    const answers: object[] = [];
    for (const { of, hours } of [...said, ...said]) {
      const { status, body } = await post(`${id}/expect`, { of, until: until(hours) });
      expect(status).toBe(200);
      answers.push(body);
    }
    // The answer to a repeat is what holds by then.
    expect(answers[0]).toMatchObject({ expected_until: until(said[0].hours) });
    for (const answer of answers.slice(1)) expect(answer).toMatchObject({ expected_until });
    const rows = await expectationRows(f.ctx).find({ org_id: f.orgId }).toArray();
    expect(rows.map(({ of }) => of).toSorted()).toEqual(['person', 'session']);
    const entries = await f.audited('anomaly.expect');
    expect(entries.map(({ details }) => details.of)).toEqual(said.map(({ of }) => of));
    // The session doubles, so it is reported again.
    await spike({ tokens_in: 2_100_000 });
    expect(await list()).toMatchObject([{ id, state: 'expected', expected_until }]);
  });

  it('that is reported while an admin expects it is muted, or was reported before', async () => {
    const news = await channels();
    const { session, id } = await spike();
    const sizes = { baseline_avg: 1, observed: 9_000_000, deviation_pct: 1 };
    await news();
    const answers: number[] = [];
    const slow = standingStillAfter(f.ctx, expectationRows, async () => {
      answers.push((await post(`${id}/expect`, { of: 'person', until: until() })).status);
    });
    await reportAnomalies(slow, session, [{ anomaly_type: 'token_spike', ...sizes }]);
    expect(answers).toEqual([200]);
    expect(await news()).toEqual([0, 1]);
    expect((await anomalyRows(f.ctx).findOne({ _id: id }))?.state).toBe('expected');
  });

  it.each([
    [{ of: 'person', until: '2026-11-18T09:00:00Z' }, '/until'],
    [{ of: 'person', until: '2028-11-18T09:00:00Z' }, '/until'],
    [{ of: 'team', until: '2026-11-19T09:00:00Z' }, '/of'],
    [{ of: 'person' }, '/until'],
  ])('is not expected by %j', async (body, pointer) => {
    const answer = await post(`${(await spike()).id}/expect`, body);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });
});
