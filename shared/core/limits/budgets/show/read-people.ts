import { dateAt } from '../../../../platform/basics/clock.ts';
import type { Interval } from '../../../../platform/basics/interval.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { findPersonWindows, readPersonWindows } from '../count/read-windows.ts';
import { type Counts, noCounts } from '../rules/counted.ts';
import { amountOf, stateOf } from '../rules/evaluate.ts';
import { inForce } from '../rules/in-force.ts';
import { counterKey, overrideKey, personWindowKey } from '../rules/keys.ts';
import { type Budget, personOverrideRows } from '../rules/model.ts';
import { budgetOfPerson, exceptionsOf, isOpen, type WithExceptions } from '../rules/people.ts';
import { readExceptions } from '../rules/read-exceptions.ts';
import { windowAt } from '../rules/windows.ts';

export interface TemplatePerson {
  userId: string;
  /** The person's own budget, and the same with the limit that is in force; null: exempt. */
  own: Budget | null;
  budget: Budget | null;
  usage: Counts;
  /** In the unit of the budget's limit. */
  current: number;
}

export interface TemplatePeople {
  template: Budget;
  /** The moment of the read, epoch ms. */
  nowMs: number;
  interval: Interval;
  people: TemplatePerson[];
}

/**
 * Everybody who has usage in a template's open window, an override, or a raise in force; the one who is furthest first, and those
 * who are exempt last.
 */
export async function readPeople(ctx: Context, template: Budget): Promise<TemplatePeople> {
  const nowMs = ctx.clock.now();
  const interval = windowAt(template, nowMs);
  const counter = { org_id: template.org_id, counter: counterKey(template) };
  const [windows, exceptions] = await Promise.all([
    readPersonWindows(ctx, { ...counter, window_start: dateAt(interval.startMs) }),
    readExceptions(ctx, template),
  ]);
  const usageOf = new Map(windows.map(({ person, usage }) => [person ?? '', usage]));
  const named = new Set(usageOf.keys());
  for (const [userId, exception] of exceptions) if (isOpen(exception, nowMs)) named.add(userId);
  const people = [...named].map((userId) =>
    personOf({ budget: template, exceptions }, userId, usageOf.get(userId), nowMs),
  );
  return { template, nowMs, interval, people: people.toSorted(furthestFirst) };
}

/** These people alone, who may have nothing in the open window. */
export async function readSome(
  ctx: Context,
  template: Budget,
  userIds: readonly string[],
): Promise<TemplatePeople> {
  const nowMs = ctx.clock.now();
  const { org_id } = template;
  const interval = windowAt(template, nowMs);
  const counter = counterKey(template);
  const names = userIds.map((userId) => personWindowKey(org_id, counter, interval.startMs, userId));
  const ids = userIds.map((userId) => overrideKey(template._id, userId));
  const [windows, overrides] = await Promise.all([
    findPersonWindows(ctx, org_id, names),
    personOverrideRows(ctx)
      .find({ _id: { $in: ids } })
      .toArray(),
  ]);
  const exceptions = exceptionsOf(template, overrides);
  const usageOf = new Map(windows.map(({ person, usage }) => [person, usage]));
  const people = userIds.map((userId) =>
    personOf({ budget: template, exceptions }, userId, usageOf.get(userId), nowMs),
  );
  return { template, nowMs, interval, people };
}

function personOf(
  template: WithExceptions,
  userId: string,
  usage: Counts | undefined,
  nowMs: number,
): TemplatePerson {
  const own = budgetOfPerson(template, userId);
  const used = usage ?? noCounts();
  const current = amountOf(template.budget.metric, used);
  return { userId, own, budget: own && inForce(own, nowMs), usage: used, current };
}

/** The part of the limit that a person has used; less than nothing for one who is exempt. */
function partUsed({ budget, current }: TemplatePerson): number {
  return budget === null ? -1 : current / budget.limit;
}

function furthestFirst(a: TemplatePerson, b: TemplatePerson): number {
  return partUsed(b) - partUsed(a) || (a.userId < b.userId ? -1 : 1);
}

/** How many people there are, and how many of them have reached each level as the highest. Pure. */
export function countPeople(people: readonly TemplatePerson[]) {
  const states = people.map(({ budget, current }) => (budget ? stateOf(current, budget.limit) : 'ok'));
  const of = (wanted: string) => states.filter((state) => state === wanted).length;
  return { total: people.length, warning: of('warning'), exceeded: of('exceeded') };
}
