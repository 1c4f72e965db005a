import { beforeEach, describe, expect, it } from 'vitest';
import { endIfSilent } from '../../shared/core/calls/ingest/end-session.ts';
import { sessionRows } from '../../shared/core/calls/sessions/model.ts';
import { planDeliveriesJob } from '../../shared/core/events/webhooks/deliveries/jobs.ts';
import { queuedDeliveryRows } from '../../shared/core/events/webhooks/deliveries/model.ts';
import { planEvents } from '../../shared/core/events/webhooks/deliveries/plan-events.ts';
import { planStep } from '../../shared/core/events/webhooks/deliveries/plan-in-steps.ts';
import { findSubscribers } from '../../shared/core/events/webhooks/endpoints/find-subscribers.ts';
import { evaluateDue } from '../../shared/core/limits/budgets/fire/evaluate-due.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { NAMED_EVENT_TYPES } from '../../shared/platform/basics/contract.ts';
import { commitPlan } from '../../shared/platform/context/commit-plan.ts';
import { dueRows } from '../../shared/platform/due/model.ts';
import { checkSession } from '../../shared/wings/anomalies/check-session.ts';
import { fixture } from '../support/fixture.ts';
import { SECRET } from '../support/webhooks.ts';

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
  it('gets what is about its people, and about those who are in its teams now', async () => {
    const people = await channel({ filter: { people: ['bob'] } });
    const team = await channel({ filter: { teams: ['research'] } });
    const all = await channel();
    await f.spend({ user_id: 'ada' }, { user_id: 'bob' });
    expect(await got(people)).toEqual(['session.started bob']);
    expect(await got(team)).toEqual(['session.started ada']);
    expect(await got(all)).toEqual(['session.started ada', 'session.started bob']);
    await changeMember(f.ctx, f.orgId, 'bob', { teams: ['research'] });
    await f.spend({ user_id: 'bob', project_id: 'other' });
    expect(await got(team)).toEqual(['session.started ada', 'session.started bob']);
  });

  it('gets what is about its projects', async () => {
    await f.spend({ user_id: 'ada', project_id: 'checkout' });
    const id = await channel({ filter: { projects: ['checkout'] } });
    await f.spend({ user_id: 'bob', project_id: 'checkout' }, { user_id: 'ada', project_id: 'other' });
    expect(await got(id)).toEqual(['session.started bob']);
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
    const filters = [
      { filter: { budgets: [org._id] }, name: 'org' },
      { filter: { teams: ['research'] }, name: 'team' },
      { filter: { people: ['bob'] }, name: 'person' },
    ];
    const channels: [id: string, told: string][] = [];
    for (const { filter, name } of filters) {
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
    const event = {
      type: 'signals.held' as const,
      org_id: f.orgId,
      ts: new Date(f.ctx.clock.now()),
      data: {},
    };
    await commitPlan(f.ctx, async (transaction) => {
      const subscribers = await findSubscribers(f.ctx, f.orgId, transaction);
      const raised = { ...event, cause: [f.orgId], concerns: {} };
      return { ...planEvents([raised], subscribers, f.ctx.clock.now()), result: undefined };
    });
    expect([await got(id), await got(other)]).toEqual([[], ['signals.held undefined']]);
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
      f.ask(`/api/v1/webhooks/${id}`, { filter }, { method: 'PATCH' });
    expect((await change({ people: ['bob'], teams: ['sales'] })).filter).toEqual({
      people: ['bob'],
      teams: ['sales'],
    });
    await f.spend({ user_id: 'ada' });
    expect((await change(null)).filter).toBeNull();
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
  ])('that is %j', async (filter, pointer) => {
    const answer = await f.send('/api/v1/webhooks', { ...known, filter });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.errors[0].pointer).toContain(pointer);
    const { id } = await f.ask('/api/v1/webhooks', known);
    const changed = await f.send(`/api/v1/webhooks/${id}`, { filter }, { method: 'PATCH' });
    expect([changed.status, changed.body.errors[0].pointer]).toEqual([400, answer.body.errors[0].pointer]);
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
      const posted = async (key: string) =>
        f.send('/api/v1/webhooks', { ...known, filter: { [kind]: ids } }, { key });
      const refused = await posted(f.key);
      const pointers = ids.map((_id, at) => `/filter/${kind}/${at}`);
      expect([
        refused.status,
        refused.body.errors?.map(({ pointer }: { pointer: string }) => pointer),
      ]).toEqual([400, pointers]);
      expect((await posted(other.key)).status).toBe(201);
    }
  });

  it('of the format json, whose events stay as many as they were', async () => {
    const json = { url: known.url, events: known.events, secret: SECRET };
    const answer = await f.send('/api/v1/webhooks', { ...json, filter: { people: ['ada'] } });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/filter']);
    const { id } = await f.ask('/api/v1/webhooks', { ...json, filter: null });
    const change = { filter: { people: ['ada'] } };
    const changed = await f.send(`/api/v1/webhooks/${id}`, change, { method: 'PATCH' });
    expect([changed.status, changed.body.errors[0].pointer]).toEqual([400, '/filter']);
  });
});
