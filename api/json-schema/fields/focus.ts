import type { Fields } from './field.ts';

/** Fields of FOCUS files and of their metadata. */
export const focus: Fields = {
  focus_version: ['The version of FOCUS', '1.2'],
  granularity: ['The length of a charge period', 'day'],
  billed: ['The meaning of BilledCost', 'computed'],
  DataGenerator: ['The product that made the file', 'usage-governor'],
  Schema: ['The columns of the file'],
  SchemaId: ['The id of the columns', '3f8a90c2d4e1b756'],
  FocusVersion: ['The version of FOCUS', '1.2'],
  CreationDate: ['When these columns were decided', '2026-11-24T00:00:00Z'],
  DataGeneratorVersion: ['The version of the product', '0.1.0'],
  ColumnName: ['The name of the column', 'EffectiveCost'],
  DataType: ['The type in the words of FOCUS', 'Decimal'],
  NumericPrecision: ['Decimal digits', 18],
  NumberScale: ['Digits after the decimal point', 9],
  StringEncoding: ['The encoding of text', 'UTF-8'],
  x_From: ['The start of the first charge period', '2026-11-01T00:00:00.000Z'],
  x_To: ['The end of the last charge period', '2026-12-01T00:00:00.000Z'],
  x_Granularity: ['The length of a charge period', 'day'],
  x_Billed: ['The meaning of BilledCost', 'computed'],
  x_Signals: ['Calls with a row', 41_250],
  x_UnpricedSignals: ['Calls without a price', 12],
  x_UnpricedTokens: ['Tokens of the calls without a price', 80_412],
  x_EffectiveCost: ['The sum of EffectiveCost', '412.500317200'],
  x_ClosedThrough: ['The last closed month', null],
  focus_close_day: ['The day of the next month at which a month of exported FOCUS files closes', 6],
};
