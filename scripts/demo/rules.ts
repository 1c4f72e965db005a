import { z } from 'zod';
import { dateAt, systemClock } from '../../shared/platform/basics/clock.ts';
import { send, type Target } from './send.ts';

/** Nobody listens there: what is sent fails, which is what the page of webhooks is for. */
const NOWHERE = 'http://127.0.0.1:9/hooks';

/**
 * Budgets and webhooks of the first demo organization, for whoever looks at their pages: a budget that warns, one that is
 * exceeded, a hard one for one member, an endpoint that does not answer, and a paused one. Thresholds follow from what was
 * used this month. Repeats change nothing. Throws when the api refuses any of it.
 */
export async function addDemoRules(target: Target, memberId: string): Promise<void> {
  const hooks = await namesOf(target, 'webhooks', 'url');
  for (const [name, settings] of Object.entries(WEBHOOKS)) {
    const url = `${NOWHERE}/${name}`;
    if (hooks.has(url)) continue;
    const { id } = created.parse(
      await send(target, 'POST', 'webhooks', { url, secret: SECRET, ...settings.body }),
    );
    if (settings.isPaused) await send(target, 'PATCH', `webhooks/${id}`, { enabled: false });
  }
  const budgets = await namesOf(target, 'budgets', 'name');
  for (const { name, of, scope, share } of budgetsFor(memberId)) {
    if (budgets.has(name)) continue;
    const threshold = thresholdFor(await usedThisMonth(target, of), share);
    await send(target, 'POST', 'budgets', {
      name,
      threshold,
      metric: 'cost_usd',
      window: 'monthly',
      ...scope,
    });
  }
}

const SECRET = 'of the demo, and of nothing else';
/** The paused one first: it holds what the budgets raise. */
const WEBHOOKS = {
  archive: { isPaused: true, body: { events: ['budget.warning', 'budget.exceeded'] } },
  chat: { isPaused: false, body: { events: ['budget.warning', 'budget.exceeded', 'anomaly.detected'] } },
};

/** Each with what it counts, and how much of it is used by now. */
function budgetsFor(userId: string) {
  const project = 'gateway';
  return [
    { name: 'All of Acme', of: {}, scope: { scope: 'org' }, share: 0.9 },
    {
      name: 'Project gateway',
      of: { project_id: project },
      scope: { scope: 'project', scope_id: project },
      share: 1.15,
    },
    {
      name: 'Tomás, at most',
      of: { user_id: userId },
      scope: { scope: 'user', scope_id: userId, enforce: 'hard' },
      share: 0.6,
    },
  ];
}

const created = z.object({ id: z.string() });
const listed = z.object({ data: z.array(z.record(z.string(), z.unknown())) });

async function namesOf(target: Target, kind: 'budgets' | 'webhooks', field: string): Promise<Set<unknown>> {
  const { data } = listed.parse(await send(target, 'GET', kind));
  return new Set(data.map((one) => one[field]));
}

/** A round amount of which so much is used, at least a dollar. */
function thresholdFor(usedUsd: number, share: number): number {
  return Math.max(1, Number((usedUsd / share).toPrecision(2)));
}

const usage = z.object({ totals: z.object({ cost_usd: z.number() }) });

async function usedThisMonth(target: Target, filter: Record<string, string>): Promise<number> {
  const from = `${dateAt(systemClock.now()).toISOString().slice(0, 8)}01`;
  const query = new URLSearchParams({ from, ...filter }).toString();
  return usage.parse(await send(target, 'GET', `usage?${query}`)).totals.cost_usd;
}
