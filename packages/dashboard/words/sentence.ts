/** The place of the changed object in a sentence. */
export const TARGET = Symbol('target');

/** The place of the person whose thing was changed. */
export const PERSON = Symbol('person');

/** A part of a sentence: words of ours, a value of others, the changed object, or the person whose it is. */
export type Part = string | { value: string } | typeof TARGET | typeof PERSON;

export type Details = Readonly<Record<string, unknown>>;
export type Sentence = (details: Details) => readonly Part[];

/** A sentence without details. */
export const fixed = (...parts: readonly Part[]): Sentence => {
  return () => parts;
};

/** A sentence for each of these actions. */
export type Sentences<Action extends string> = Readonly<Record<Action, Sentence>>;

export function foreign(value: unknown): Part {
  return {
    value: typeof value === 'string' ? value : value === undefined ? 'unknown' : JSON.stringify(value),
  };
}

/** Words before a value, and nothing where there is no value. */
export function clause(words: string, value: unknown): readonly Part[] {
  return value === undefined || value === '' ? [] : [words, foreign(value)];
}

export function list(values: unknown): string {
  return Array.isArray(values) ? values.join(', ') : '';
}

export function length(values: unknown): number {
  return Array.isArray(values) ? values.length : 0;
}

export function counted(count: unknown, one: string, many: string): string {
  const number = typeof count === 'number' ? count : 0;
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
}

/** An amount in the unit of its budget: "$40.00", "1,500 tokens in". */
export function amountOf(metric: unknown, amount: unknown): string | undefined {
  if (typeof metric !== 'string' || typeof amount !== 'number') return undefined;
  if (metric === 'cost_usd') return dollars(amount);
  const unit = metric === 'signals' ? 'calls' : metric.replaceAll('_', ' ');
  return `${amount.toLocaleString('en-US')} ${unit}`;
}

export function dollars(usd: unknown): string | undefined {
  if (typeof usd !== 'number') return undefined;
  return usd.toLocaleString('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });
}
