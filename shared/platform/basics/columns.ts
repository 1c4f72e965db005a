/**
 * Types of columns: `time` is ISO 8601 text, `money` nano-USD (or a quantity in billionths) as BigInt, `count` a whole number that
 * readers take for a decimal, `list` an array of text. Only texts and counts may be null.
 */
export type ColumnType = 'text' | 'integer' | 'count' | 'time' | 'money' | 'list';
export type Columns = readonly { name: string; type: ColumnType }[];
/** Values in the order of the columns. */
export type Row = readonly (string | number | bigint | readonly string[] | null)[];
export type Value = Row[number];
