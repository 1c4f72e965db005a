import type { SignalPrice } from '../../../core/calls/ingest/price-signal.ts';

/** The price of a recorded signal as far as a repricing compares it. */
export interface PriceBefore {
  cost_nusd: number | null;
  source: SignalPrice['cost_source'];
  rule: string | null;
}

/** A signal whose price stays, or changes to `after`. */
export interface RepricedSignal {
  id: string;
  before: PriceBefore;
  after: SignalPrice | null;
}

type Rule = NonNullable<SignalPrice['price_rule']>;

const SOURCES = ['reported', 'computed', 'unknown', 'rule'] as const;

/** The id, cost, source and rule before, and cost, source, rule, replaced cost and list price after. Rules are places in the list. */
type Line = [string, number | null, number, number, ...(After | [])];
type After = [number | null, number, number, number | null, number | null];

interface Packed {
  rules: Rule[];
  lines: Line[];
}

/** Packs signals as text: rules repeat, so that each is written once. */
export function packPart(signals: readonly RepricedSignal[]): string {
  const places = new Map<string, number>();
  const rules: Rule[] = [];
  const placeOf = (rule: Rule | undefined): number => {
    if (rule === undefined) return -1;
    const key = JSON.stringify([rule.id, rule.name]);
    const at = places.get(key) ?? rules.push(rule) - 1;
    places.set(key, at);
    return at;
  };
  const lines = signals.map(({ id, before, after }): Line => {
    const rule = placeOf(before.rule === null ? undefined : { id: before.rule, name: '' });
    const had = [id, before.cost_nusd, SOURCES.indexOf(before.source), rule] as const;
    if (after === null) return [...had];
    const { cost_nusd, cost_source, price_rule, reported_nusd = null, list_nusd = null } = after;
    return [...had, cost_nusd, SOURCES.indexOf(cost_source), placeOf(price_rule), reported_nusd, list_nusd];
  });
  return JSON.stringify({ rules, lines } satisfies Packed);
}

export function unpackPart(text: string): RepricedSignal[] {
  const { rules, lines } = JSON.parse(text) as Packed;
  const sourceAt = (at: number) => SOURCES[at] ?? 'unknown';
  return lines.map(([id, had, source, rule, ...after]) => {
    const before = { cost_nusd: had, source: sourceAt(source), rule: rules[rule]?.id ?? null };
    if (after.length === 0) return { id, before, after: null };
    const [cost_nusd, nextSource, nextRule, reported_nusd, list_nusd] = after;
    const price_rule = rules[nextRule];
    return {
      id,
      before,
      after: {
        cost_nusd,
        cost_source: sourceAt(nextSource),
        ...(price_rule === undefined ? {} : { price_rule }),
        ...(reported_nusd === null ? {} : { reported_nusd }),
        ...(list_nusd === null ? {} : { list_nusd }),
      },
    };
  });
}

export function priceOf({
  cost_nusd,
  cost_source,
  price_rule,
}: Pick<SignalPrice, 'cost_nusd' | 'cost_source' | 'price_rule'>): PriceBefore {
  return { cost_nusd, source: cost_source, rule: price_rule?.id ?? null };
}

export function isSamePrice(a: PriceBefore, b: PriceBefore): boolean {
  return a.cost_nusd === b.cost_nusd && a.source === b.source && a.rule === b.rule;
}
