/** The parts of a JSON Schema that say which values a field takes. */
export interface Schema {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  anyOf?: readonly Schema[];
  examples?: readonly unknown[];
}

/** A value that a schema does not take, with the pointer to what is wrong in it. */
type Wrong = readonly [pointer: string, value: unknown];

/** Values just beyond each limit of a schema, and of other types. A choice of several schemas is left out. */
function wrongValues(schema: Schema): Wrong[] {
  const choices = schema.anyOf?.filter(({ type }) => type !== 'null');
  const [only] = choices ?? [];
  if (choices) return choices.length === 1 && only ? wrongValues(only) : [];
  if (schema.type === undefined) return [];
  switch (schema.type) {
    case 'string':
      return [7, ...wrongTexts(schema)].map((value) => ['', value]);
    case 'integer':
    case 'number':
      return ['x', ...wrongNumbers(schema)].map((value) => ['', value]);
    case 'boolean':
      return ['x', ...(schema.const === undefined ? [] : [!schema.const])].map((value) => ['', value]);
    case 'array':
      return wrongLists(schema);
    case 'object':
      return [['', 'x'], ...(schema.properties ? wrongFields(schema) : wrongMembers(schema))];
    default:
      return [];
  }
}

/** Texts that a schema of texts does not take. */
export function wrongTexts({ minLength = 0, maxLength, pattern, ...schema }: Schema): string[] {
  return [
    ...(minLength > 0 ? ['x'.repeat(minLength - 1)] : []),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...((pattern ?? schema.enum ?? schema.const) === undefined ? [] : ['no nonsense']),
  ];
}

/** Numbers that a schema of numbers does not take. */
export function wrongNumbers({ type, minimum, maximum, exclusiveMinimum }: Schema): number[] {
  return [
    ...(minimum === undefined ? [] : [minimum - (type === 'integer' ? 1 : 0.001)]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(exclusiveMinimum === undefined ? [] : [exclusiveMinimum]),
    ...(type === 'integer' ? [(minimum ?? 0) + 0.5] : []),
  ];
}

function wrongLists({ minItems = 0, maxItems, items = {} }: Schema): Wrong[] {
  const good = goodValue(items);
  return [
    ['', 'x'],
    ...(minItems > 0 ? [['', Array(minItems - 1).fill(good)] satisfies Wrong] : []),
    ...(maxItems === undefined ? [] : [['', Array(maxItems + 1).fill(good)] satisfies Wrong]),
    ...wrongValues(items).map(([pointer, value]): Wrong => [`/0${pointer}`, [value]]),
  ];
}

function wrongMembers({ additionalProperties }: Schema): Wrong[] {
  const members = typeof additionalProperties === 'object' ? wrongValues(additionalProperties) : [];
  return members.map(([pointer, value]) => [`/name${pointer}`, { name: value }]);
}

/** Objects with one field that is wrong, unknown or missing. */
export function wrongFields({
  properties = {},
  required = [],
  additionalProperties,
}: Schema): [pointer: string, object][] {
  const good = Object.fromEntries(required.map((name) => [name, goodValue(properties[name] ?? {})]));
  const wrong = Object.entries(properties).flatMap(([name, field]) =>
    wrongValues(field).map(([pointer, value]): Wrong => [name + pointer, { [name]: value }]),
  );
  const missing = required.map((name): Wrong => [name, { [name]: undefined }]);
  const unknown: Wrong[] = additionalProperties === false ? [['nonsense', { nonsense: 1 }]] : [];
  return [...unknown, ...missing, ...wrong].map(([pointer, fields]) => [
    `/${pointer}`,
    { ...good, ...(fields as object) },
  ]);
}

/** A value that a schema takes, by its example or made of those of its fields. */
function goodValue({ examples, properties = {}, required = [], minimum, anyOf = [] }: Schema): unknown {
  if (examples) return examples[0];
  if (anyOf[0]) return goodValue(anyOf[0]);
  if (required.length === 0) return minimum ?? 'x';
  return Object.fromEntries(required.map((name) => [name, goodValue(properties[name] ?? {})]));
}
