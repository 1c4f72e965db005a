import type { ClientSession } from 'mongoose';
import { isoTime } from '../../../../platform/basics/clock.ts';
import { sayMoment } from '../../../../platform/basics/say-moment.ts';
import type { Context } from '../../../../platform/context/context.ts';
import type { NewEvent, Words } from '../../../events/record/new-event.ts';
import { areTold, withWords } from '../../../events/webhooks/deliveries/with-words.ts';
import type { Subscriber } from '../../../events/webhooks/endpoints/find-subscribers.ts';
import { sayPeriod } from '../../../events/webhooks/messages/say.ts';
import type { BudgetRules } from '../rules/budget-rules.ts';
import { forecast } from '../rules/evaluate.ts';
import { forecastFrom } from '../rules/evaluate-alerts.ts';
import { shownExact } from '../rules/view.ts';
import { shownEnd } from '../rules/windows.ts';
import { findCauses, type Used } from './find-causes.ts';

export interface RaisedByBudget {
  event: NewEvent;
  used: Used;
}

/** Adds to events of budgets what messages say beside their data, and the cause where one stands out. */
export async function withBudgetWords(
  ctx: Context,
  raised: readonly RaisedByBudget[],
  { limits, webhooks }: { limits: BudgetRules; webhooks: readonly Subscriber[] },
  transaction: ClientSession,
): Promise<readonly NewEvent[]> {
  const events = raised.map(({ event }) => event);
  const told = raised.filter(({ event }) => areTold([event], webhooks));
  if (told.length === 0) return events;
  const same = new Map<string, Used>(told.map(({ event, used }) => [event.level?.of ?? '', used]));
  const causes = await findCauses(ctx, [...same.values()], limits.teamsOf, transaction);
  const causeOf = ({ level }: NewEvent) => {
    const used = same.get(level?.of ?? '');
    return used && causes.get(used);
  };
  const spoken = raised.map(({ event, used }) => {
    const cause = causeOf(event);
    return { ...event, words: { ...wordsOf(used, ctx.clock.now()), ...(cause ? { cause } : {}) } };
  });
  return withWords(ctx, spoken, webhooks, transaction);
}

/** The unit, the window, and while it is open and the limit is not reached, the forecast. Pure. */
function wordsOf({ budget, interval, current }: Used, nowMs: number): Words {
  const { metric, window, rolling_days, timezone } = budget;
  const isOpen = nowMs < interval.endMs;
  const end = shownEnd(interval);
  if (end === null) return { metric, period: sayPeriod(window) };
  if (!isOpen)
    return { metric, period: `in the window until ${sayMoment(isoTime(interval.endMs), timezone)}` };
  const expected = forecast(current, interval, nowMs);
  const isToCome = current < budget.limit && nowMs >= forecastFrom(interval) && expected > budget.limit;
  return {
    metric,
    period: sayPeriod(window, rolling_days),
    ends_at: end,
    ...(isToCome ? { forecast: shownExact(budget, expected) } : {}),
  };
}
