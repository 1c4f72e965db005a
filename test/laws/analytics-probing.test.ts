import { describe, expect, it } from 'vitest';
import { recordSignals } from '../../shared/core/calls/ingest/record-signals.ts';
import { voidSignals } from '../../shared/core/calls/ingest/void-signals.ts';
import { changeMember } from '../../shared/people/change-member.ts';
import { changeOrganization } from '../../shared/people/change-organization.ts';
import { removeMember } from '../../shared/people/remove-member.ts';
import { blurredMedian } from '../../shared/wings/analytics/cell-sums.ts';
import { decideLate } from '../../shared/wings/analytics/decide-late.ts';
import { freezeAnalytics } from '../../shared/wings/analytics/freeze-weeks.ts';
import { DIMENSIONS, type UserCell, type WeekCells } from '../../shared/wings/analytics/model.ts';
import { readAnalytics } from '../../shared/wings/analytics/read-analytics.ts';
import { mergeUsers, suppressWeek } from '../../shared/wings/analytics/suppress.ts';
import { makeSignal, senderOf } from '../support/factories.ts';
import { storesFixture } from '../support/fixture.ts';
import { seeded } from '../support/random.ts';

/**
 * The attacker is one user, with a key that reads analytics and a key that records their own signals. They move their own
 * usage of a closed week in small steps, while others are late, change teams and leave, and ask again after each step.
 * From each change of an answer they compute candidates for what some other person did.
 */

const K = 5;
const SELF = 'mallory';

/** The attacker's view after one step. */
interface Observation {
  own: number;
  /** The sum that is shown, or null when it is suppressed. */
  sum: number | null;
  median: number | null;
}

/** The attacker's result from two observations that follow each other and differ in more than their own step. */
function candidates(before: Observation, after: Observation): number[] {
  const found: number[] = [];
  const isShown = before.sum !== null && after.sum !== null;
  const others = isShown ? (after.sum ?? 0) - (before.sum ?? 0) - (after.own - before.own) : 0;
  if (others !== 0) found.push(others);
  // The p % rule turned: the own part was ten times what the others have without their largest, or a tenth of it.
  if ((before.sum === null) !== (after.sum === null)) {
    const [shown, own] = before.sum === null ? [after.sum, after.own] : [before.sum, before.own];
    found.push((shown ?? 0) - own - own / 10, own * 10);
  }
  // The median turned by the own step alone: the rounded mean of the own value and that of the other in the middle passed a
  // boundary.
  const isOwnStep = isShown && others === 0 && before.median !== null && after.median !== null;
  if (isOwnStep && before.median !== after.median)
    found.push((before.median ?? 0) + (after.median ?? 0) - after.own);
  return found;
}

/** The candidates that are some other person's figure to within 10 %. */
function exposed(observations: readonly Observation[], figures: readonly number[]): number[] {
  return observations
    .slice(1)
    .flatMap((after, index) => candidates(observations[index] as Observation, after))
    .filter((value) => figures.some((figure) => figure > 0 && Math.abs(value - figure) <= figure / 10));
}

interface World {
  others: number[];
  steps: number[];
}

/** `most`: how much the attacker adds in the end. */
function createWorld(seed: number, people: number, most: number): World {
  const random = seeded(seed);
  const others = Array.from({ length: people }, () => Math.round(1_000 * Math.exp(random() * 3)));
  const steps: number[] = [];
  for (let own = 10; own < most; own *= 1.012) steps.push(Math.round(own));
  return { others, steps };
}

function cellsOf(amounts: ReadonlyMap<string, number>): WeekCells {
  const users = [...amounts].map(([user, amount]): UserCell => {
    const measures = { signals: amount, tokens_in: 0, tokens_out: amount, cost_nusd: amount };
    return { user, isOther: false, sessions: 1, errors: 0, ...measures };
  });
  return new Map([['all', users]]);
}

function amountOf(cells: WeekCells, user: string): number {
  return cells.get('all')?.find((cell) => cell.user === user)?.cost_nusd ?? 0;
}

/** The visible cells of a week, decided on them as they are. */
function show(cells: WeekCells, own: number): Observation {
  const week = [...cells].map(([value, contributions]) => ({ value, contributions }));
  const users = mergeUsers(week);
  const isHidden = suppressWeek(week, K).isTotalHidden;
  const costs = users.map((user) => user.cost_nusd);
  const sum = costs.reduce((total, cost) => total + cost, 0);
  const middle = isHidden || users.length < 2 * K ? null : blurredMedian(costs.map((cost) => cost * 1e9));
  return { own, sum: isHidden ? null : sum, median: middle };
}

describe('moving one’s own usage in small steps', () => {
  it('tells other people’s figures from live data: the attack can win', () => {
    let wins = 0;
    for (let seed = 1; seed <= 20; seed += 1) {
      const { others, steps } = createWorld(seed, 10, 3_000_000);
      const observations = steps.map((own) =>
        show(cellsOf(new Map([...others.map((one, at) => [`u${at}`, one] as const), [SELF, own]])), own),
      );
      if (exposed(observations, others).length > 0) wins += 1;
    }
    expect(wins).toBe(20);
  });

  it('tells nothing from a frozen week, while others are late at times that the attacker does not choose', () => {
    let restatements = 0;
    for (let seed = 1; seed <= 150; seed += 1) {
      const random = seeded(seed);
      const { others, steps } = createWorld(seed, 4 + (seed % 9), seed % 3 === 0 ? 3_000_000 : 1_500);
      const late = others.map((one) => (random() < 0.9 ? Math.round(one * (0.02 + random() * 0.1)) : 0));
      const lateAt = late.map(() => Math.floor(random() * steps.length));
      let before = cellsOf(new Map([...others.map((one, at) => [`u${at}`, one] as const), [SELF, 10]]));
      const first = suppressWeek(
        [...before].map(([value, contributions]) => ({ value, contributions })),
        K,
      );
      let frozen = { hidden: [...first.hidden], is_total_hidden: first.isTotalHidden, judged_users: 0 };
      let seen = show(before, 10);
      for (const [step, own] of steps.entries()) {
        const amounts = others.map((one, at) => one + ((lateAt[at] ?? 0) <= step ? (late[at] ?? 0) : 0));
        const now = cellsOf(new Map([...amounts.map((one, at) => [`u${at}`, one] as const), [SELF, own]]));
        const decision = decideLate(frozen, { before, now }, K);
        if (decision.outcome === 'refuse') frozen = { ...frozen, judged_users: decision.users };
        if (decision.outcome !== 'restate') continue;
        restatements += 1;
        const { hidden, isTotalHidden } = decision.suppression;
        frozen = { hidden: [...hidden], is_total_hidden: isTotalHidden, judged_users: 0 };
        const after = show(now, own);
        // The late signals of each of the others since the last restatement.
        const parts = amounts.map((one, at) => one - amountOf(before, `u${at}`));
        expect(exposed([seen, after], parts), `seed ${seed}, step ${step}`).toEqual([]);
        [before, seen] = [now, after];
      }
    }
    expect(restatements).toBeGreaterThan(50);
  });

  it('judges a late part again only when k more people were late, whatever the attacker adds', () => {
    const people = Array.from({ length: 9 }, (_, at) => [`u${at}`, at === 0 ? 10_000 : 1] as const);
    const before = cellsOf(new Map());
    let frozen = { hidden: [] as string[], is_total_hidden: true, judged_users: 0 };
    const outcomes: string[] = [];
    for (let own = 1; own < 10_000; own *= 1.05) {
      const now = cellsOf(new Map([...people, [SELF, Math.round(own)]]));
      const decision = decideLate(frozen, { before, now }, K);
      outcomes.push(decision.outcome);
      if (decision.outcome === 'refuse') frozen = { ...frozen, judged_users: decision.users };
    }
    expect(outcomes[0]).toBe('refuse');
    expect(new Set(outcomes.slice(1))).toEqual(new Set(['wait']));
  });
});

const NOW = Date.parse('2026-04-15T12:07:00Z');
const CLOSED = Date.parse('2026-04-08T10:00:00Z');
const HOUR = 3_600_000;
const { ctx, clock, tenant } = await storesFixture({ clock: NOW });

/** An organization of so many people beside the attacker, who take turns to be in these teams, and what the attacker asks. */
async function begin(k_population: 'reported' | 'members', others: number, teams: readonly string[] = []) {
  clock.set(NOW);
  const own = await tenant();
  const organization = await changeOrganization(ctx, own.orgId, { k_population });
  const users = [...Array.from({ length: others }, (_, at) => `u${at}`), SELF];
  for (const [at, user] of users.entries())
    await own.member(user, { teams: teams.slice(at % 2, (at % 2) + 1) });
  const ask = () =>
    Promise.all(DIMENSIONS.map((dimension) => readAnalytics(ctx, organization, { dimension })));
  return { ...own, users, ask, freeze: () => freezeAnalytics(ctx, organization) };
}

describe.each(['reported', 'members'] as const)('with k over %s users, the service', (population) => {
  it('answers the same, however the attacker moves their usage, teams change and members leave', async () => {
    const { orgId, users, record, ask, freeze } = await begin(population, 11, ['blue', 'red']);
    const random = seeded(7);
    const amounts = () => ({
      tokens_out: 100 + Math.floor(random() * 900),
      cost_usd: 1 + Math.floor(random() * 50),
    });
    await record(...users.map((user_id) => ({ ts: CLOSED, user_id, ...amounts() })));
    await freeze();
    const first = await ask();
    expect(first[0]?.totals).toMatchObject({ active_users: 12 });
    const sender = { orgId, boundUserId: SELF, defaultProjectId: null };
    for (let step = 0; step < 24; step += 1) {
      const own = makeSignal({
        ts: CLOSED,
        user_id: SELF,
        tokens_out: Math.round(10 * 1.5 ** step),
        cost_usd: 0.01 * 1.5 ** step,
      });
      expect(await recordSignals(ctx, sender, [own])).toMatchObject([{ status: 'accepted' }]);
      // With members only also an unbound key, by which the attacker invents people.
      if (population === 'members')
        await record({ ts: CLOSED, user_id: `ghost-${step}`, tokens_out: 10 * step });
      if (step % 8 === 3) await changeMember(ctx, orgId, `u${step % 11}`, { teams: ['green'] });
      if (step % 8 === 5) await removeMember(ctx, orgId, `u${step % 11}`);
      clock.advance(HOUR);
      await freeze();
      expect(await ask(), `step ${step}`).toEqual(first);
    }
  }, 120_000);

  it('tells what five others were late with as one sum', async () => {
    const { users, record: send, ask, freeze } = await begin(population, 7);
    const record = (who: readonly string[], tokens_out: number) =>
      send(...who.map((user_id, at) => ({ ts: CLOSED, user_id, tokens_out: tokens_out + at })));
    await record(users, 1_000);
    await freeze();
    const first = await ask();
    for (let others = 1; others < 5; others += 1) {
      await record([`u${others}`], 100);
      await freeze();
      expect(await ask(), `${others} others were late`).toEqual(first);
    }
    await record(['u5'], 100);
    expect(await freeze()).toMatchObject({ restated: 6 });
    const told = ([answer]: typeof first) => Number(Reflect.get(answer?.totals ?? {}, 'tokens_out'));
    expect(told(await ask())).toBe(told(first) + 500);
  });

  it('answers the same after a void, and takes it in with what five others were late with', async () => {
    const { orgId, users, ask, freeze } = await begin(population, 7);
    const record = async (user_id: string, tokens_out: number): Promise<[string, string]> => {
      const signal = makeSignal({ ts: CLOSED, user_id, tokens_out });
      const [result] = await recordSignals(ctx, senderOf(orgId), [signal]);
      if (result?.status !== 'accepted') throw new Error(`${user_id} was not recorded`);
      return [result.session_id, result.id];
    };
    const voidOne = ([sessionId, id]: [string, string]) =>
      voidSignals(ctx, orgId, { sessionId, signalIds: [id], reason: 'It was counted twice.' });
    const recorded: [string, string][] = [];
    for (const user of users) recorded.push(await record(user, 1_000), await record(user, 200));
    await freeze();
    const first = await ask();
    const [ofFirst, ofSecond] = [recorded[1] as [string, string], recorded[3] as [string, string]];
    await voidOne(ofFirst);
    expect(await freeze()).toMatchObject({ restated: 0 });
    expect(await ask(), 'after a void').toEqual(first);
    for (const user of ['u2', 'u3', 'u4', 'u5']) await record(user, 300);
    expect(await freeze()).toMatchObject({ restated: 0 });
    // The fifth is late while one more is voided: the number of signals is what it was.
    await voidOne(ofSecond);
    expect(await ask(), 'with four who are late').toEqual(first);
    await record('u6', 300);
    expect(await freeze()).toMatchObject({ restated: 6 });
    const [none] = await ask();
    expect(none?.totals).toMatchObject({ signals: 16 + 5 - 2, tokens_out: 8 * 1_200 + 5 * 300 - 2 * 200 });
  });
});
