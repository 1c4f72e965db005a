/**
 * Types of columns: `time` is ISO 8601 text, `money` nano-USD (or a quantity in billionths) as BigInt, `count` a whole number that
 * readers take for a decimal, `price` money that may be null, `list` an array of text. Only texts, counts and prices may be null.
 */
export type ColumnType = 'text' | 'integer' | 'count' | 'time' | 'money' | 'price' | 'list';
export type Columns = readonly { name: string; type: ColumnType }[];
/** Values in the order of the columns. */
export type Row = readonly (string | number | bigint | readonly string[] | null)[];
export type Value = Row[number];
