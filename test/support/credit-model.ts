/**
 * The rules of credits, said again without Redis, Lua or the product's own code: plain numbers and lists. The law
 * tests hold the system against it.
 */
export type Bucket = 'window' | 'monthly' | 'paid' | 'granted';

export interface ModelPlan {
  windowCredits: number;
  windowMs: number;
  monthlyCredits: number;
}

interface Period {
  from: number;
  to: number;
  used: number;
  left: number;
}

interface ModelLot {
  bucket: 'paid' | 'granted';
  left: number;
  expires: number;
  order: number;
}

export interface CreditModel {
  plan: ModelPlan;
  /** Wall-clock day, time and zone of the account's first moment. */
  anchor: Temporal.ZonedDateTime;
  window: Period | null;
  month: Period | null;
  lots: ModelLot[];
  made: number;
  /** Bucket of each spend that succeeded, by key. */
  spends: Map<string, { bucket: Bucket; refunded: boolean; from: number; lot: ModelLot | null }>;
}

export function newModel(plan: ModelPlan, createdMs: number, timezone: string): CreditModel {
  const anchor = Temporal.Instant.fromEpochMilliseconds(createdMs).toZonedDateTimeISO(timezone);
  return {
    plan,
    anchor: anchor.round({ smallestUnit: 'second', roundingMode: 'floor' }),
    window: null,
    month: null,
    lots: [],
    made: 0,
    spends: new Map(),
  };
}

/** By counting months up from the anchor: the k-th month begins k months after it. */
function monthOf(anchor: Temporal.ZonedDateTime, nowMs: number): { from: number; to: number } {
  const turn = (k: number) =>
    anchor.toPlainDateTime().add({ months: k }, { overflow: 'constrain' }).toZonedDateTime(anchor.timeZoneId)
      .epochMilliseconds;
  let k = 0;
  while (turn(k + 1) <= nowMs) k += 1;
  return { from: turn(k), to: turn(k + 1) };
}

function isRunning(period: Period | null, nowMs: number): period is Period {
  return period !== null && nowMs < period.to;
}

function leftOf(period: Period | null, limit: number, nowMs: number): number {
  return isRunning(period, nowMs) ? period.left : limit;
}

function liveLots(model: CreditModel, bucket: 'paid' | 'granted', nowMs: number): ModelLot[] {
  return model.lots
    .filter((lot) => lot.bucket === bucket && lot.left > 0 && lot.expires > nowMs)
    .sort((a, b) => (a.expires === b.expires ? a.order - b.order : a.expires < b.expires ? -1 : 1));
}

export function balancesAt(model: CreditModel, nowMs: number): Record<Bucket, number> {
  const sum = (bucket: 'paid' | 'granted') =>
    liveLots(model, bucket, nowMs).reduce((total, lot) => total + lot.left, 0);
  return {
    window: leftOf(model.window, model.plan.windowCredits, nowMs),
    monthly: leftOf(model.month, model.plan.monthlyCredits, nowMs),
    paid: sum('paid'),
    granted: sum('granted'),
  };
}

/** The bucket that is taken, or null: there is nothing, and then nothing changes. */
export function spend(model: CreditModel, key: string, nowMs: number): Bucket | null {
  const balances = balancesAt(model, nowMs);
  const order: Bucket[] = ['window', 'monthly', 'paid', 'granted'];
  const bucket = order.find((candidate) => balances[candidate] > 0);
  if (!bucket) return null;
  if (!isRunning(model.window, nowMs) && model.plan.windowCredits > 0) {
    model.window = { from: nowMs, to: nowMs + model.plan.windowMs, used: 0, left: model.plan.windowCredits };
  }
  if (!isRunning(model.month, nowMs) && model.plan.monthlyCredits > 0) {
    model.month = { ...monthOf(model.anchor, nowMs), used: 0, left: model.plan.monthlyCredits };
  }
  const period = bucket === 'window' ? model.window : bucket === 'monthly' ? model.month : null;
  const lot = bucket === 'paid' || bucket === 'granted' ? (liveLots(model, bucket, nowMs)[0] ?? null) : null;
  if (period) {
    period.used += 1;
    period.left -= 1;
  }
  if (lot) lot.left -= 1;
  model.spends.set(key, { bucket, refunded: false, from: period?.from ?? 0, lot });
  return bucket;
}

export function addLot(
  model: CreditModel,
  bucket: 'paid' | 'granted',
  amount: number,
  expires: number,
): void {
  model.made += 1;
  model.lots.push({ bucket, left: amount, expires, order: model.made });
}

/** By hand: what is over by now comes back as a credit that stays. */
export function refund(model: CreditModel, key: string, nowMs: number): void {
  if (!takeBack(model, key, nowMs)) addLot(model, 'granted', 1, Number.POSITIVE_INFINITY);
}

/** To where it came from; false when that is over. The second time it does nothing. */
export function takeBack(model: CreditModel, key: string, nowMs: number): boolean {
  const spent = model.spends.get(key);
  if (!spent || spent.refunded) return true;
  spent.refunded = true;
  const period = spent.bucket === 'window' ? model.window : spent.bucket === 'monthly' ? model.month : null;
  if (isRunning(period, nowMs) && period.from === spent.from && period.used > 0) {
    period.used -= 1;
    period.left += 1;
  } else if (spent.lot && spent.lot.expires > nowMs) {
    // One that was used up comes back behind its equals.
    if (spent.lot.left === 0) {
      model.made += 1;
      spent.lot.order = model.made;
    }
    spent.lot.left += 1;
  } else {
    return false;
  }
  return true;
}

export function changePlan(model: CreditModel, plan: ModelPlan, nowMs: number): void {
  model.plan = plan;
  follow(model.window, plan.windowCredits, nowMs);
  follow(model.month, plan.monthlyCredits, nowMs);
}

/** Applies a new limit. Used credits stay used, also beyond it; the rest never falls below 0. */
function follow(period: Period | null, limit: number, nowMs: number): void {
  if (!isRunning(period, nowMs)) return;
  period.left = Math.max(0, limit - period.used);
}
