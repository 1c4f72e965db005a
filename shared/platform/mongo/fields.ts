import mongoose from 'mongoose';

/** The type of a value, by mongoose's names. */
type Type = StringConstructor | NumberConstructor | BooleanConstructor | DateConstructor;

/** A field of a collection: a type, a list of one, or a type with what else is true of it. It is there, and not null, unless it says so. */
export type Field = Type | readonly [Field] | FieldOptions;
export type Fields = Readonly<Record<string, Field>>;

/** The name of a field that stands for others, which the collection does not know by name. */
export const OTHERS = '*';

export interface FieldOptions {
  readonly type:
    | Type
    | readonly [Field]
    | { readonly object: Fields }
    | { readonly mapOf: Field }
    | 'anything';
  readonly isOptional?: true;
  readonly isNullable?: true;
  readonly personal?: Personal;
}

/** How a field may hold a person's name, address or own words (docs/data.md). */
export interface Personal {
  /** The erasure of the person takes it away. */
  readonly erased?: true;
  /** An organization that hides names keeps a hash in its place. */
  readonly hashed?: true;
  /** The reason for which it outlives the person. */
  readonly kept?: string;
}

export const optional = (field: Field): FieldOptions => ({ ...optionsOf(field), isOptional: true });
export const nullable = (field: Field): FieldOptions => ({ ...optionsOf(field), isNullable: true });
export const object = (fields: Fields): FieldOptions => ({ type: { object: fields } });
export const mapOf = (field: Field): FieldOptions => ({ type: { mapOf: field } });
/** A value whose shape its collection does not know. */
export const anything: FieldOptions = { type: 'anything' };

export const erased = (field: Field): FieldOptions => personal(field, { erased: true });
export const hashed = (field: Field): FieldOptions => personal(field, { hashed: true });
export const kept = (field: Field, reason: string): FieldOptions => personal(field, { kept: reason });

function personal(field: Field, personal: Personal): FieldOptions {
  const options = optionsOf(field);
  return { ...options, personal: { ...options.personal, ...personal } };
}

function optionsOf(field: Field): FieldOptions {
  return typeof field === 'object' && 'type' in field ? field : { type: field };
}

/** The mongoose schema of these fields. Only what checks or describes rows needs one: the product goes by the driver's handles. */
export function schemaOf(fields: Fields, isPart = false): mongoose.Schema {
  const { [OTHERS]: others, ...named } = fields;
  const paths = Object.entries(named).map(([name, field]) => [name, pathOf(field)]);
  return new mongoose.Schema(Object.fromEntries(paths), {
    ...(isPart ? { _id: false } : {}),
    id: false,
    versionKey: false,
    minimize: false,
    strict: others ? false : 'throw',
    autoIndex: false,
    suppressReservedKeysWarning: true,
  });
}

function pathOf(field: Field): mongoose.SchemaTypeOptions<unknown> {
  const { type, isOptional, isNullable, personal } = optionsOf(field);
  return { ...typeOf(type), isOptional, isNullable, personal, required: !isOptional && !isNullable };
}

function typeOf(type: FieldOptions['type']): Pick<mongoose.SchemaTypeOptions<unknown>, 'type' | 'default'> {
  if (typeof type === 'function') return { type };
  // Mongoose has maps, but none with a key such as `constructor`, which people may use.
  if (type === 'anything' || 'mapOf' in type) return { type: mongoose.Schema.Types.Mixed };
  if ('object' in type) return { type: schemaOf(type.object, true) };
  return { type: [pathOf(type[0])], default: undefined };
}

/** The fields that may hold a person's name, address or own words: paths with points, and what becomes of each. */
export function personalFields(fields: Fields, prefix = ''): [path: string, personal: Personal][] {
  return Object.entries(fields).flatMap(([name, field]) => personalParts(field, `${prefix}${name}`));
}

/** The fields that an erasure takes away, as an update removes them. */
export function withoutErased(fields: Fields): { $unset: Record<string, ''> } {
  const erased = personalFields(fields).filter(([, personal]) => personal.erased);
  return { $unset: Object.fromEntries(erased.map(([path]) => [path, ''])) };
}

function personalParts(field: Field, path: string): [string, Personal][] {
  const { type, personal } = optionsOf(field);
  if (personal && !('object' in Object(type))) return [[path, personal]];
  if (typeof type !== 'object') return [];
  const parts =
    'object' in type
      ? personalFields(type.object, `${path}.`)
      : personalParts('mapOf' in type ? type.mapOf : type[0], path);
  return parts.map(([own, of]) => [own, { ...personal, ...of }]);
}
