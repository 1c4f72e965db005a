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

/** A field, with the type of its values: `holds` is never set. */
type Holding<T> = FieldOptions & { readonly holds?: T };

/** The type of a field's values. */
type ValueOf<F> = F extends StringConstructor
  ? string
  : F extends NumberConstructor
    ? number
    : F extends BooleanConstructor
      ? boolean
      : F extends DateConstructor
        ? Date
        : F extends readonly [infer Item]
          ? ValueOf<Item>[]
          : F extends { readonly holds?: infer T }
            ? T
            : never;

type IsOptional = { readonly isOptional: true };

/** The type of an object with these fields. */
export type ObjectOf<F extends Fields> = {
  [Name in keyof F as F[Name] extends IsOptional ? never : Name]: ValueOf<F[Name]>;
} & { [Name in keyof F as F[Name] extends IsOptional ? Name : never]?: ValueOf<F[Name]> };

export const optional = <F extends Field>(field: F): Holding<ValueOf<F>> & IsOptional => ({
  ...optionsOf(field),
  isOptional: true,
});
export const nullable = <F extends Field>(field: F): Holding<ValueOf<F> | null> => ({
  ...optionsOf(field),
  isNullable: true,
});
export const object = <F extends Fields>(fields: F): Holding<ObjectOf<F>> => ({ type: { object: fields } });
export const mapOf = <F extends Field>(field: F): Holding<Record<string, ValueOf<F>>> => ({
  type: { mapOf: field },
});
/** A field whose values are of a narrower type than it says. */
export const only = <T>(field: Field): Holding<T> => optionsOf(field);
/** A value whose shape its collection does not know. */
export const anything: Holding<unknown> = { type: 'anything' };

export const erased = <F extends Field>(field: F) => personal(field, { erased: true });
export const hashed = <F extends Field>(field: F) => personal(field, { hashed: true });
export const kept = <F extends Field>(field: F, reason: string) => personal(field, { kept: reason });

function personal<F extends Field>(field: F, personal: Personal): Holding<ValueOf<F>> {
  const options = optionsOf(field);
  return { ...options, personal: { ...options.personal, ...personal } };
}

/** A field with what is true of it. */
export function optionsOf(field: Field): FieldOptions {
  return typeof field === 'object' && 'type' in field ? field : { type: field };
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
