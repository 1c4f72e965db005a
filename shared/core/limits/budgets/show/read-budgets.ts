import { DomainError } from '../../../../platform/basics/errors.ts';
import { type Listed, type ListPage, pageOfSorted } from '../../../../platform/basics/paginate.ts';
import type { Context } from '../../../../platform/context/context.ts';
import { ALL_COUNTER_SHARDS } from '../../../../platform/mongo/counter-shards.ts';
import { listRows } from '../../../../platform/mongo/list-rows.ts';
import { memberRows } from '../../../accounts/organizations/model.ts';
import type { Reader } from '../../../accounts/organizations/reader.ts';
import { readWindows } from '../count/read-windows.ts';
import { isOfRolling, usageIn } from '../count/rolling.ts';
import { noCounts } from '../rules/counted.ts';
import { budgetEvaluationRows } from '../rules/fired.ts';
import { counterKey, overrideKey, windowKey } from '../rules/keys.ts';
import { type Budget, budgetRows, findBudget, personOverrideRows } from '../rules/model.ts';
import { budgetOfPerson, exceptionsOf } from '../rules/people.ts';
import { type BudgetView, viewBudget } from '../rules/view.ts';
import { isOwnedBy, isVisible, type Viewer } from '../rules/visible.ts';
import { windowAt } from '../rules/windows.ts';
import { countPeople, readPeople, readSome } from './read-people.ts';

/** A budget of an organization with its usage now. Throws `not_found`. */
export async function readBudget(ctx: Context, orgId: string, budgetId: string): Promise<BudgetView> {
  return viewOne(ctx, { orgId, userId: null }, await findBudget(ctx, orgId, budgetId));
}

/** The same, if a credential sees the budget. Throws `not_found`. */
export async function readVisibleBudget(ctx: Context, viewer: Viewer, budgetId: string): Promise<BudgetView> {
  const { budget } = await findVisibleBudget(ctx, viewer, budgetId);
  return viewOne(ctx, viewer, budget);
}

/** A budget that a credential sees; of a template, where the credential is bound to a user, with that user's own budget. */
export interface VisibleBudget {
  budget: Budget;
  own: Budget | null;
}

/** The row of a budget that a credential sees. Throws `not_found`. */
export async function findVisibleBudget(
  ctx: Context,
  viewer: Viewer,
  budgetId: string,
): Promise<VisibleBudget> {
  const budget = await findBudget(ctx, viewer.orgId, budgetId);
  const { orgId, userId } = viewer;
  if (budget.per && userId !== null) {
    const own = (await readOwnBudgets(ctx, { orgId, userId }, [budget])).get(budgetId);
    if (own) return { budget, own };
  }
  if (!isVisible(viewer, budget)) throw noBudget();
  return { budget, own: null };
}

export function noBudget(): DomainError {
  return new DomainError('not_found', 'There is no such budget.');
}

async function viewOne(ctx: Context, reader: Reader, budget: Budget): Promise<BudgetView> {
  const [view] = await viewBudgets(ctx, reader, [budget]);
  return view as BudgetView;
}

/** One page of budgets, ordered by (`created_at`, id). Counts only when `total` is not known. */
export async function listBudgets(ctx: Context, reader: Reader, page: ListPage): Promise<Listed<BudgetView>> {
  const found =
    reader.userId === null
      ? await listRows(ctx, budgetRows, { org_id: reader.orgId }, 'created_at', page)
      : pageOfSorted(await findBudgetsOf(ctx, reader), 'created_at', page);
  return { ...found, rows: await viewBudgets(ctx, reader, found.rows) };
}

/** All budgets that a reader with `usage:read` sees, in no order. */
export async function findBudgetsOf(ctx: Context, { orgId, userId }: Reader): Promise<Budget[]> {
  if (userId === null) return budgetRows(ctx).find({ org_id: orgId }, { batchSize: 10_000 }).toArray();
  const [plain, templates, owned] = await Promise.all([
    budgetRows(ctx).find({ org_id: orgId, scope: 'user', scope_id: userId }).toArray(),
    budgetRows(ctx).find({ org_id: orgId, per: 'user' }).toArray(),
    budgetRows(ctx).find({ org_id: orgId, 'owner.user_id': userId }).toArray(),
  ]);
  const own = await readOwnBudgets(ctx, { orgId, userId }, templates);
  const seen = [...plain, ...templates.filter(({ _id }) => own.has(_id)), ...owned];
  return [...new Map(seen.map((budget) => [budget._id, budget])).values()];
}

/** Budgets with their usage in the open window: templates by the person who is furthest, or by the reader who is bound to one. */
export async function viewBudgets(
  ctx: Context,
  reader: Reader,
  budgets: readonly Budget[],
): Promise<BudgetView[]> {
  const plain = await viewPlain(
    ctx,
    reader.orgId,
    budgets.filter(({ per }) => !per),
  );
  const views = new Map(plain.map((view) => [view.id, view]));
  for (const template of budgets.filter(({ per }) => per))
    views.set(template._id, await viewTemplate(ctx, reader, template));
  return budgets.flatMap(({ _id }) => views.get(_id) ?? []).map((view) => withoutOthers(view, reader));
}

/** A person sees of owners only whether it is that person. */
function withoutOthers(view: BudgetView, { userId }: Reader): BudgetView {
  return userId === null || isOwnedBy(view, userId) ? view : { ...view, owner: null };
}

async function viewTemplate(ctx: Context, { userId }: Reader, template: Budget): Promise<BudgetView> {
  const { interval, people } =
    userId === null ? await readPeople(ctx, template) : await readSome(ctx, template, [userId]);
  const evaluation = await budgetEvaluationRows(ctx).findOne({ _id: template.org_id });
  const evaluatedMs = evaluatedSince(template, evaluation?.evaluated_at.getTime() ?? null);
  const top = people.find(({ own }) => own !== null);
  const open = { interval, usage: top?.usage ?? noCounts(), evaluatedMs };
  const counted = userId === null ? countPeople(people) : null;
  return viewBudget(template, open, ctx.clock.now(), { own: top?.own ?? null, people: counted });
}

async function viewPlain(ctx: Context, orgId: string, budgets: readonly Budget[]): Promise<BudgetView[]> {
  if (budgets.length === 0) return [];
  const nowMs = ctx.clock.now();
  const keyed = budgets.map((budget) => {
    const interval = windowAt(budget, nowMs);
    const counter = counterKey(budget);
    const ids = ALL_COUNTER_SHARDS.map((shard) => windowKey(orgId, counter, interval.startMs, shard));
    return { budget, interval, counter, ids };
  });
  const [rolling, others] = [keyed.filter(isOfRolling), keyed.filter((entry) => !isOfRolling(entry))];
  const ids = [...new Set(others.flatMap((entry) => entry.ids))];
  const [windows, days, evaluation] = await Promise.all([
    readWindows(ctx, { _id: { $in: ids }, org_id: orgId }),
    rolling.length > 0
      ? readWindows(ctx, {
          org_id: orgId,
          counter: { $in: [...new Set(rolling.map(({ counter }) => counter))] },
        })
      : [],
    budgetEvaluationRows(ctx).findOne({ _id: orgId }),
  ]);
  const windowsOf = Map.groupBy(windows, ({ counter }) => counter);
  const daysOf = Map.groupBy(days, ({ counter }) => counter);
  return keyed.map(({ budget, interval, counter }) => {
    const counted = (budget.window === 'rolling' ? daysOf : windowsOf).get(counter) ?? [];
    const usage = usageIn(counted, interval);
    const evaluatedMs = evaluatedSince(budget, evaluation?.evaluated_at.getTime() ?? null);
    return viewBudget(budget, { interval, usage, evaluatedMs }, nowMs);
  });
}

/** All budgets of an organization are evaluated together, except those that were made since. */
function evaluatedSince(budget: Budget, evaluatedMs: number | null): number | null {
  return evaluatedMs !== null && evaluatedMs >= budget.created_at.getTime() ? evaluatedMs : null;
}

/** The budgets of one user of an organization. */
interface OfUser {
  orgId: string;
  userId: string;
}

/**
 * The user's own budgets of these templates, by the template's id. A template is left out that does not count this user: another
 * team's, or one that the user is exempt from. The owner of a template has an own part of it in any case.
 */
async function readOwnBudgets(
  ctx: Context,
  { orgId, userId }: OfUser,
  templates: readonly Budget[],
): Promise<Map<string, Budget>> {
  if (templates.length === 0) return new Map();
  const ids = templates.map(({ _id }) => overrideKey(_id, userId));
  const [member, overrides] = await Promise.all([
    memberRows(ctx).findOne({ org_id: orgId, user_id: userId }, { projection: { teams: 1 } }),
    personOverrideRows(ctx)
      .find({ _id: { $in: ids } })
      .toArray(),
  ]);
  const teams = member?.teams ?? [];
  const counting = templates.filter(
    (template) =>
      template.scope === 'org' || teams.includes(template.scope_id) || isOwnedBy(template, userId),
  );
  const own = counting.map((budget): [string, Budget | null] => {
    const exceptions = exceptionsOf(
      budget,
      overrides.filter(({ budget_id }) => budget_id === budget._id),
    );
    const counted = budgetOfPerson({ budget, exceptions }, userId);
    const owned: Budget | null = isOwnedBy(budget, userId)
      ? { ...budget, scope: 'user', scope_id: userId }
      : null;
    return [budget._id, counted ?? owned];
  });
  return new Map(own.filter((entry): entry is [string, Budget] => entry[1] !== null));
}
