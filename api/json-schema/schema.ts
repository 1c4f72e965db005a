import { z } from 'zod';
import { fieldNamed, formatOf } from './fields.ts';

export type Json = Record<string, unknown>;

/**
 * The JSON schema of a zod schema, as callers meet it: what a parameter means after parsing (`documentedAs`), and for
 * each field a description, an example and a format, from the schema itself or else from the dictionary of fields.
 */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  return documented(schema, io, true);
}

/**
 * The JSON schema of what a body holds, for a component. Its defaults are words: a generator for TypeScript has a field with
 * a default always there, which is true of answers alone.
 */
export function inputComponent(schema: z.ZodType): Json {
  const whole = jsonSchema(schema, 'input');
  wordDefaults(whole);
  return whole;
}

function wordDefaults(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  const { properties, examples: _, ...others } = part as Json;
  for (const field of Object.values((properties ?? {}) as Record<string, Json>)) {
    if (field.default !== undefined)
      field.description = `${String(field.description)}; ${JSON.stringify(field.default)} by default`;
    delete field.default;
    wordDefaults(field);
  }
  for (const other of Object.values(others)) wordDefaults(other);
}

/** The JSON schema of a zod schema, without what the dictionary of fields knows. */
export function bareSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  return documented(schema, io, false);
}

function documented(schema: z.ZodType, io: 'input' | 'output', fromDictionary: boolean): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  document(rest, fromDictionary);
  return rest;
}

/** Documents a part and all in it. `properties` has fields by name; anything else has no names. */
function document(part: unknown, fromDictionary: boolean): void {
  if (typeof part !== 'object' || part === null) return;
  if (Array.isArray(part)) {
    for (const item of part) document(item, fromDictionary);
    return;
  }
  const schema = part as Json;
  takeDocumented(schema);
  // Zod adds the range of safe integers, which nobody needs to read.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // A generator for Java makes a decimal of a constant number, whose constant it then cannot compare.
  if (schema.type === 'number' && Number.isInteger(schema.const)) schema.type = 'integer';
  const width = fromDictionary ? widthOf(schema) : undefined;
  if (width) schema.format ??= width;
  const { properties, examples: _, default: __, ...others } = schema;
  for (const other of Object.values(others)) document(other, fromDictionary);
  for (const [name, field] of Object.entries((properties ?? {}) as Record<string, Json>)) {
    document(field, fromDictionary);
    if (fromDictionary) describeField(field, name);
    // Generators know no type that is always null; every such field has a branch in which it is text.
    if (field.type === 'null') field.type = ['string', 'null'];
  }
}

/** The format of a number: without one, generators for Go make a float of 32 bits, those for Java an integer of 32 bits. */
function widthOf({ type, maximum, const: constant }: Json): string | undefined {
  const types = [type].flat();
  if (types.includes('number')) return 'double';
  const isSmall = constant !== undefined || Number(maximum ?? Number.POSITIVE_INFINITY) < 2 ** 31;
  return types.includes('integer') && !isSmall ? 'int64' : undefined;
}

function takeDocumented(part: Json): void {
  const { documentedAs, description } = part;
  if (typeof documentedAs !== 'object') return;
  for (const name of Object.keys(part)) delete part[name];
  Object.assign(part, documentedAs, description === undefined ? {} : { description });
}

/** Adds what the dictionary knows of a field to what its schema says. */
function describeField(part: Json, name: string): void {
  const field = fieldNamed(name);
  if (!field) return;
  part.description ??= field.description;
  const example = exampleOf(part, field.examples);
  if (example !== undefined) part.examples ??= [example];
  const format = formatOf(name);
  const isOutput = [part.type].flat().includes('string') && part.pattern === undefined;
  if (format && isOutput && part.const === undefined && part.enum === undefined) part.format ??= format;
}

function exampleOf(part: Json, examples: readonly unknown[]): unknown {
  // An object is shown by the examples of its own fields, also where it may be null.
  const parts = [part, ...((part.anyOf ?? []) as Json[])];
  if (parts.some(({ properties }) => properties !== undefined)) return undefined;
  if (part.const !== undefined) return part.const;
  if (Array.isArray(part.enum))
    return examples.find((example) => (part.enum as unknown[]).includes(example)) ?? part.enum[0];
  return examples.find((example) => fits(part, example));
}

/** True when a value is of a type that a schema names. A schema without types has no example of its own. */
function fits(schema: Json, value: unknown): boolean {
  const { type, anyOf } = schema;
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if (Array.isArray(anyOf)) return anyOf.some((branch: Json) => fits(branch, value));
  return [type].flat().some((name) => {
    if (name === 'integer') return Number.isInteger(value);
    if (name === 'null') return value === null;
    if (name === 'array') return Array.isArray(value);
    if (name === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
    return typeof name === 'string' && typeof value === name;
  });
}
