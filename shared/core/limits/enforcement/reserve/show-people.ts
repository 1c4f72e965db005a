import { z } from 'zod';
import { isoTime } from '../../../../platform/basics/clock.ts';
import { DomainError } from '../../../../platform/basics/errors.ts';
import { type Listed, type ListPage, pageOfSorted } from '../../../../platform/basics/paginate.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { memberRows } from '../../../accounts/organizations/model.ts';
import { usd4 } from '../../../pricing/money.ts';
import { stateOf } from '../../budgets/rules/evaluate.ts';
import { type Budget, findBudget } from '../../budgets/rules/model.ts';
import {
  raisedView,
  refusesNow,
  shown,
  thresholdOf,
  utilizationPct,
  viewRaised,
} from '../../budgets/rules/view.ts';
import { isVisible, type Viewer } from '../../budgets/rules/visible.ts';
import { shownEnd } from '../../budgets/rules/windows.ts';
import { findVisibleBudget, noBudget } from '../../budgets/show/read-budgets.ts';
import {
  readPeople,
  readSome,
  type TemplatePeople,
  type TemplatePerson,
} from '../../budgets/show/read-people.ts';
import { isReservedIn, nameOfUser, reservedKeys, sumReserved } from '../state/budget-status.ts';
import { type ReservedSums, readReservedSums } from './show-reserved.ts';

const unlessExempt = 'null for one who is exempt';

export const personView = z.strictObject({
  user_id: z.string(),
  threshold: z.number().nullable().describe(`The person's own, else the template's; ${unlessExempt}`),
  threshold_now: z.number().nullable().describe(`With the raises that are in force; ${unlessExempt}`),
  ...raisedView,
  exempt: z.boolean().describe('True: the budget does not count for this person'),
  current: z.number().describe('Usage in the open window, in the unit of the threshold'),
  reserved: z.number().nullable().describe('Held by open reservations; null while that cannot be read'),
  remaining: z.number().nullable().describe(`Up to the threshold, 0 beyond it; ${unlessExempt}`),
  utilization_pct: z.number(),
  state: z.enum(['ok', 'warning', 'exceeded']),
  refuses_now: z.boolean().describe('True: every call of this person that is not free is refused'),
  window_start: z.string(),
  window_end: z.string().nullable().describe('Null: it does not end'),
});
export type PersonView = z.output<typeof personView>;

/** Narrows a list of people. */
export interface PeopleFilter {
  user_id?: string | undefined;
  state?: PersonView['state'] | undefined;
}

/**
 * One page of the people of a template, by falling `utilization_pct`, then by user: whoever has usage, a reservation, a raise or an
 * override in the open window. A reader that is bound to a user gets that user alone. Throws `not_found`, and `conflict` where
 * the budget is no template.
 */
export async function listPeople(
  ctx: Context,
  viewer: Viewer,
  budgetId: string,
  { filter: { user_id, state }, page }: { filter: PeopleFilter; page: ListPage },
): Promise<Listed<PersonView>> {
  const views = await readViews(ctx, viewer, budgetId);
  const matching = views
    .filter((view) => user_id === undefined || view.user_id === user_id)
    .filter((view) => state === undefined || view.state === state)
    .map((view) => ({ _id: view.user_id, order: -view.utilization_pct, view }));
  const found = pageOfSorted(matching, 'order', { ...page, order: 'asc' });
  return { ...found, rows: found.rows.map(({ view }) => view) };
}

/** One person of a template, who may have nothing in it. Throws as `listPeople`. */
export async function readPerson(
  ctx: Context,
  orgId: string,
  budgetId: string,
  userId: string,
): Promise<PersonView> {
  const template = refuseOther(await findBudget(ctx, orgId, budgetId));
  const [view] = viewAll(await readSome(ctx, template, [userId]), await readHeld(ctx, template));
  return view as PersonView;
}

async function readViews(ctx: Context, viewer: Viewer, budgetId: string): Promise<PersonView[]> {
  const template = await findTemplate(ctx, viewer, budgetId);
  const sums = await readHeld(ctx, template);
  if (viewer.userId !== null) return viewAll(await readSome(ctx, template, [viewer.userId]), sums);
  const people = await readPeople(ctx, template);
  const holding = await findHolding(ctx, people, sums);
  return [...viewAll(people, sums), ...viewAll(await readSome(ctx, template, holding), sums)];
}

/** The template, if the reader may see people of it: one who is exempt may see that. */
async function findTemplate(ctx: Context, viewer: Viewer, budgetId: string): Promise<Budget> {
  const { userId, orgId } = viewer;
  if (userId === null) return refuseOther((await findVisibleBudget(ctx, viewer, budgetId)).budget);
  const budget = await findBudget(ctx, orgId, budgetId);
  if (budget.per && budget.scope === 'org') return budget;
  const member = await memberRows(ctx).findOne({ org_id: orgId, user_id: userId });
  if (budget.per && member?.teams.includes(budget.scope_id)) return budget;
  if (!isVisible(viewer, budget)) throw noBudget();
  return refuseOther(budget);
}

function refuseOther(budget: Budget): Budget {
  if (budget.per) return budget;
  throw new DomainError('conflict', 'This budget has no people of its own: it is no template (`per`).');
}

async function readHeld(ctx: Context, template: Budget): Promise<ReservedSums> {
  return isReservedIn(template) ? readReservedSums(ctx, template.org_id) : new Map();
}

/**
 * Members who hold something in the open window, and have nothing else in it. The keys of reservations name nobody, so they
 * are found by the hashes of all members. Somebody else is found with the first usage.
 */
async function findHolding(
  ctx: Context,
  { template, people }: TemplatePeople,
  sums: ReservedSums,
): Promise<string[]> {
  const { org_id } = template;
  const keyOf = (userId: string) => reservedKeys(template, nameOfUser(org_id, userId)).own;
  const { own: prefix, beside, also } = reservedKeys(template, '');
  const held = new Set([...(sums?.keys() ?? [])].filter((key) => key.startsWith(prefix)));
  for (const key of [beside, also]) held.delete(key);
  for (const { userId } of people) held.delete(keyOf(userId));
  if (held.size === 0) return [];
  const members = await memberRows(ctx)
    .find({ org_id }, { projection: { user_id: 1 } })
    .toArray();
  return members.map(({ user_id }) => user_id).filter((userId) => held.has(keyOf(userId)));
}

function viewAll({ template, nowMs, interval, people }: TemplatePeople, sums: ReservedSums): PersonView[] {
  const { org_id } = template;
  return people.map((person) => {
    const keys = reservedKeys(template, nameOfUser(org_id, person.userId));
    return {
      ...viewPerson(template, person),
      ...viewRaised(person.own, nowMs),
      reserved: sums && usd4(sumReserved(sums, keys)),
      window_start: isoTime(interval.startMs),
      window_end: shownEnd(interval),
    };
  });
}

function viewPerson({ metric }: Budget, { userId, own, budget, current }: TemplatePerson) {
  return {
    user_id: userId,
    threshold: own && thresholdOf(own),
    threshold_now: budget && thresholdOf(budget),
    exempt: budget === null,
    current: shown(metric, current),
    remaining: budget && shown(metric, Math.max(0, budget.limit - current)),
    utilization_pct: budget ? utilizationPct(current, budget.limit) : 0,
    state: budget ? stateOf(current, budget.limit) : ('ok' as const),
    refuses_now: budget !== null && refusesNow(budget, current),
  };
}
