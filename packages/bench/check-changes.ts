import { setTimeout as sleep } from 'node:timers/promises';
import { createApiKey, revokeApiKey, rotateApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { changeBudget } from '../../shared/core/limits/budgets/change/change-budgets.ts';
import { setPerson } from '../../shared/core/limits/budgets/change/change-people.ts';
import { addMember } from '../../shared/people/members.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { approveRaise, revokeRaise } from '../../shared/wings/raises/answer.ts';
import { askForRaise } from '../../shared/wings/raises/ask.ts';
import { askJson, percentiles } from './bench.ts';
import { insertBudgets, makeBudget, makeTemplate } from './budgets.ts';
import { makeKey, type Stage } from './stage.ts';

const CHANGES = 200;
const RELEASES = 50;
const NUSD = 1e9;
/** More than a small threshold, and less than a large one. */
const ESTIMATE_USD = 5;
const [SMALL_USD, LARGE_USD] = [1, 10];
/** A person may ask for twenty raises per day. */
const RAISES_OF_ONE = 20;
const GRACE_MS = 200;
const POLL_MS = 5;

/**
 * Milliseconds from the end of a change that this process makes, until every one of these apis decides by it; and from the end of a
 * key or a member, until what was reserved is free.
 */
export async function measureChanges(stage: Stage, urls: readonly string[]): Promise<object[]> {
  const { ctx } = stage;
  const { orgId, key } = await makeKey(stage);
  const budget = makeBudget(ctx, orgId, { name: 'all', scope: 'org', scope_id: orgId });
  await insertBudgets(ctx, orgId, [budget]);
  const untilAll = async (isAllowed: boolean, as = key) => {
    const body = { user_id: 'ada', estimate_usd: ESTIMATE_USD };
    const until = async (url: string) => {
      while ((await askJson(`${url}/api/v1/budgets/check`, as, body)).allow !== isAllowed);
    };
    await Promise.all(urls.map(until));
  };
  const thresholdOf = (turn: number) => (turn % 2 === 0 ? SMALL_USD : LARGE_USD);
  const budgets = await timesOf(CHANGES, async (turn) => {
    await changeBudget(ctx, orgId, budget._id, { threshold: thresholdOf(turn) });
    return () => untilAll(turn % 2 !== 0);
  });
  const other = await makeKey(stage);
  const template = await makeTemplate(ctx, other.orgId, 1);
  const overrides = await timesOf(CHANGES, async (turn) => {
    const person = { budgetId: template._id, userId: 'ada' };
    await setPerson(ctx, other.orgId, person, { threshold: thresholdOf(turn) });
    return () => untilAll(turn % 2 !== 0, other.key);
  });
  await changeBudget(ctx, orgId, budget._id, { threshold: SMALL_USD });
  await untilAll(false);
  const admin = { orgId, userId: 'grace', accountId: 'usr_grace' };
  let raise = '';
  const raises = await timesOf(CHANGES, async (turn) => {
    if (turn % 2 === 0) {
      const person = { orgId, userId: `user-${Math.floor(turn / 2 / RAISES_OF_ONE)}` };
      raise = (await askForRaise(ctx, person, { budget_id: budget._id, amount: LARGE_USD }))._id;
      await approveRaise(ctx, admin, raise, {});
    } else await revokeRaise(ctx, admin, raise, undefined);
    return () => untilAll(turn % 2 === 0);
  });
  const rows = { 'a changed budget': budgets, 'an override': overrides, 'a raise': raises };
  return [...Object.entries(rows), ...Object.entries(await measureReleases(stage, urls[0] ?? ''))].map(
    ([after, times]) => ({
      after,
      changes: times.length,
      ...percentiles(times, 1),
    }),
  );
}

/** A budget of a dollar that somebody holds whole, until a reservation of another key fits. */
async function measureReleases(stage: Stage, url: string): Promise<Record<string, number[]>> {
  const { ctx } = stage;
  const { orgId, key } = await makeKey(stage);
  const whole = { name: 'all', scope: 'org', scope_id: orgId, limit: NUSD } as const;
  await insertBudgets(ctx, orgId, [makeBudget(ctx, orgId, whole)]);
  const reserve = (as: string, user_id: string) =>
    askJson(`${url}/api/v1/budgets/reserve`, as, { user_id, estimate_usd: 1, ttl_s: 600 });
  const measure = (end: (keyId: string, userId: string) => Promise<unknown>) =>
    timesOf(RELEASES, async () => {
      const email = `${Date.now()}@example.com`;
      const { user_id } = await addMember(ctx, { org_id: orgId, email, role: 'member' });
      const holder = await createApiKey(ctx, { org_id: orgId, scopes: ['budgets:check'] });
      const held = await reserve(holder.key, user_id);
      if (!held.allow) throw new Error('Nothing can be held.');
      await end(holder.key_id, user_id);
      return async () => {
        for (;;) {
          const { reservation_id } = await reserve(key, 'ada');
          if (reservation_id)
            return async () => askJson(`${url}/api/v1/budgets/release`, key, { reservation_id });
          await sleep(POLL_MS);
        }
      };
    });
  return {
    'a revoked key': await measure((keyId) => revokeApiKey(ctx, keyId)),
    'a removed member': await measure((_, userId) => removeMember(ctx, orgId, userId)),
    'the end of a rotated key': await measure(async (keyId) => {
      await rotateApiKey(ctx, keyId, GRACE_MS);
      await sleep(GRACE_MS);
    }),
  };
}

/** Times of what `change` leaves to wait for; and then what that leaves to do. */
async function timesOf(
  count: number,
  change: (turn: number) => Promise<() => Promise<unknown>>,
): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const wait = await change(turn);
    const began = performance.now();
    const rest = await wait();
    times.push(performance.now() - began);
    if (typeof rest === 'function') await rest();
  }
  return times;
}
