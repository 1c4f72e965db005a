import { beforeEach, describe, expect, it } from 'vitest';
import { endIfSilent } from '../../shared/core/calls/ingest/end-session.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { planDeliveriesJob } from '../../shared/core/events/webhooks/deliveries/jobs.ts';
import { queuedDeliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { planStep } from '../../shared/core/events/webhooks/deliveries/plan-in-steps.ts';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { NAMED_EVENT_TYPES } from '../../shared/platform/basics/contract.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { checkSession } from '../../shared/wings/anomalies/check-session.ts';
import { fixture } from '../support/fixture.ts';
import { raise, SECRET } from '../support/webhooks.ts';

const f = await fixture({ clock: Date.UTC(2026, 10, 18, 10), perTest: true });
beforeEach(async () => {
  await f.member('ada', { teams: ['research'] });
  await f.member('bob', { teams: ['sales'] });
});

async function channel(fields: Record<string, unknown> = {}): Promise<string> {
  const body = { url: 'http://127.0.0.1:9/', format: 'slack', events: [...NAMED_EVENT_TYPES], ...fields };
  return (await f.ask('/api/v1/webhooks', body)).id;
}

/** The types of events of which a webhook has deliveries, each with the user, the budget or the scope that it is about. */
async function got(webhookId: string): Promise<string[]> {
  const rows = await queuedDeliveryRows(f.ctx).find({ webhook_id: webhookId }).toArray();
  return rows
    .map(({ body }) => JSON.parse(body))
    .map(({ type, data }) => `${type} ${data.user_id ?? data.budget_name}`)
    .sort();
}

describe('a channel with a filter', () => {
  it('of a team gets what is about those who are in it now', async () => {
    const team = await channel({ filter: { teams: ['research'] } });
    await f.spend({ user_id: 'ada' }, { user_id: 'bob' });
    expect(await got(team)).toEqual(['session.started ada']);
    await changeMember(f.ctx, f.orgId, 'bob', { teams: ['research'] });
    await f.spend({ user_id: 'bob', project_id: 'other' });
    expect(await got(team)).toEqual(['session.started ada', 'session.started bob']);
  });

  it.each([{ people: ['bob'] }, { teams: ['sales'] }, { projects: ['checkout'] }])(
    'of %j gets the start, the anomaly and the end of a session',
    async (filter) => {
      await f.spend({ user_id: 'eve', project_id: 'checkout' });
      const id = await channel({ filter });
      const spike = { tokens_in: 2_050_000 };
      await f.spend(
        { user_id: 'bob', project_id: 'checkout', ...spike },
        { user_id: 'ada', project_id: 'other', ...spike },
      );
      const sessions = await sessionRows(f.ctx)
        .find({ org_id: f.orgId, user_id: { $in: ['ada', 'bob'] } })
        .toArray();
      for (const { _id } of sessions) await checkSession(f.ctx, _id);
      f.clock.advance(1_800_001);
      for (const { key } of sessions) await endIfSilent(f.ctx, key);
      expect(await got(id)).toEqual(['anomaly.detected bob', 'session.ended bob', 'session.started bob']);
    },
  );

  it('gets levels and percentages of its budgets, and of those of its teams, projects and people', async () => {
    const metric = 'signals' as const;
    const [org] = await Promise.all([
      f.budget({ name: 'org', metric, threshold: 1 }),
      f.budget({ name: 'team', metric, threshold: 1, scope: 'team', scope_id: 'research' }),
      f.budget({ name: 'person', metric, threshold: 1, scope: 'user', scope_id: 'bob' }),
    ]);
    const channels: [id: string, told: string][] = [];
    for (const [name, filter] of Object.entries({
      org: { budgets: [org._id] },
      team: { teams: ['research'] },
      person: { people: ['bob'] },
    })) {
      channels.push([await channel({ events: ['budget.exceeded'], filter }), `budget.exceeded ${name}`]);
      channels.push([await channel({ events: [], alert_at: [90], filter }), `budget.threshold ${name}`]);
    }
    await f.spend({ user_id: 'ada' }, { user_id: 'bob' });
    await evaluateDue(f.ctx, f.orgId);
    for (const [id, told] of channels) expect(await got(id)).toEqual([told]);
  });

  it('gets nothing that is about no team, project, budget or person', async () => {
    const id = await channel({ filter: { people: ['ada'] } });
    const other = await channel();
    await raise(f.ctx, f.orgId);
    expect([await got(id), await got(other)]).toEqual([[], ['session.started undefined']]);
  });

  it('is the same where the deliveries of a change are planned after it', async () => {
    await f.record({ user_id: 'user-7', project_id: 'before', ts: f.ctx.clock.now() });
    const id = await channel({ filter: { people: ['user-7'] } });
    for (let count = 0; count < 2; count += 1) await channel({ events: ['session.started'] });
    const users = Array.from({ length: 600 }, (_, index) => `user-${index}`);
    await f.record(...users.map((user_id) => ({ user_id, ts: f.ctx.clock.now() })));
    const [due] = await dueRows(f.ctx).find({ kind: planDeliveriesJob.kind, org_id: f.orgId }).toArray();
    expect(due).toBeDefined();
    while (await planStep(f.ctx, due?.key ?? '')) f.clock.advance(60_000);
    expect(await got(id)).toEqual(['session.started user-7']);
  });

  it('loses and gains a filter for the events that follow', async () => {
    const id = await channel({ filter: { people: ['ada'] } });
    const change = async (filter: unknown) =>
      (await f.patch(`/api/v1/webhooks/${id}`, { filter })).body.filter;
    const other = { people: ['bob'], teams: ['sales'] };
    expect(await change(other)).toEqual(other);
    await f.spend({ user_id: 'ada' });
    expect(await change(null)).toBeNull();
    await f.spend({ user_id: 'ada', project_id: 'other' });
    expect(await got(id)).toEqual(['session.started ada']);
  });
});

describe('a filter is refused', () => {
  const known = { url: 'http://127.0.0.1:9/', format: 'slack', events: ['credit.low'] };

  it.each([
    [{ teams: ['none'] }, '/filter/teams/0'],
    [{ projects: ['none'] }, '/filter/projects/0'],
    [{ budgets: ['bud_none'] }, '/filter/budgets/0'],
    [{ people: ['ada', 'nobody'] }, '/filter/people/1'],
    [{ people: [] }, '/filter/people'],
    [{ people: ['ada', 'ada'] }, '/filter/people'],
    [{ people: Array.from({ length: 101 }, (_, index) => `user-${index}`) }, '/filter/people'],
    [{}, '/filter'],
    [{ users: ['ada'] }, '/filter'],
  ])('that is %j', async (filter, start) => {
    const { id } = await f.ask('/api/v1/webhooks', known);
    const post = f.send('/api/v1/webhooks', { ...known, filter });
    for (const { status, body } of [await post, await f.patch(`/api/v1/webhooks/${id}`, { filter })])
      expect([status, body.code, body.errors[0].pointer]).toEqual([
        400,
        'invalid_request',
        expect.stringContaining(start),
      ]);
  });

  it('with what another organization alone knows', async () => {
    const other = await f.tenant();
    await other.member('eve', { teams: ['theirs'] });
    await other.record({ user_id: 'grace', project_id: 'apollo', ts: f.ctx.clock.now() });
    const { _id } = await other.budget({ scope: 'project', scope_id: 'gemini' });
    const foreign = {
      teams: ['theirs'],
      projects: ['apollo', 'gemini'],
      budgets: [_id],
      people: ['eve', 'grace'],
    };
    for (const [kind, ids] of Object.entries(foreign)) {
      const post = (key: string) =>
        f.send('/api/v1/webhooks', { ...known, filter: { [kind]: ids } }, { key });
      const errors = ids.map((_, at) => ({ pointer: `/filter/${kind}/${at}` }));
      expect(await post(f.key)).toMatchObject({ status: 400, body: { errors } });
      expect((await post(other.key)).status).toBe(201);
    }
  });

  it('of the format json, whose events stay as many as they were', async () => {
    const json = { url: known.url, events: known.events, secret: SECRET };
    const { id } = await f.ask('/api/v1/webhooks', { ...json, filter: null });
    const filter = { people: ['ada'] };
    const post = f.send('/api/v1/webhooks', { ...json, filter });
    for (const answer of [await post, await f.patch(`/api/v1/webhooks/${id}`, { filter })])
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/filter' }] } });
  });
});
