/** The meaning of a field, and values that it may have; the first of the right type is its example. */
export type Field = readonly [description: string, ...examples: unknown[]];
export type Fields = Readonly<Record<string, Field>>;

export const TIME = '2026-01-15T09:30:00.000Z';
export const UNIX = 1_768_469_400;
