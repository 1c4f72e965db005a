import { isDeepStrictEqual } from 'node:util';
import mongoose from 'mongoose';
import type { CollectionDeclaration } from '../../shared/platform/mongo/collection.ts';
import type { Db } from '../../shared/platform/mongo/connect.ts';
import {
  type Field,
  type FieldOptions,
  type Fields,
  OTHERS,
  optionsOf,
} from '../../shared/platform/mongo/fields.ts';

/** Rows of one collection that are compared: those of a test with more are alike. */
const MOST_ROWS = 200;

// An empty text is a text.
mongoose.Schema.Types.String.checkRequired((value) => typeof value === 'string');

const models = new Map<Fields, mongoose.Model<object>>();

/** Returns what is stored otherwise than the fields of its collection say: unknown, missing, or of another type. */
export async function findUnfit(db: Db, declared: readonly CollectionDeclaration[]): Promise<string[]> {
  const unfit: string[] = [];
  // The test counts and judges commands of the product.
  const client = db.connection.getClient();
  client.removeAllListeners('commandStarted').removeAllListeners('commandSucceeded');
  for (const { collectionName, fields } of declared) {
    const model = modelOf(collectionName, fields);
    for await (const row of db.database.collection(collectionName).find().limit(MOST_ROWS)) {
      const fault = await faultOf(model, row);
      if (fault === null) continue;
      unfit.push(`${collectionName}: ${fault} in ${JSON.stringify(row).slice(0, 400)}`);
      break;
    }
  }
  return unfit;
}

function modelOf(name: string, fields: Fields): mongoose.Model<object> {
  const model = models.get(fields) ?? mongoose.model<object>(`${name}-${models.size}`, schemaOf(fields));
  models.set(fields, model);
  return model;
}

/** The mongoose schema of these fields. The product goes by the driver's handles and needs none. */
function schemaOf(fields: Fields, isPart = false): mongoose.Schema {
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

/** Mongoose makes values of the declared types: a row that is another one then had other types. */
async function faultOf(model: mongoose.Model<object>, row: mongoose.mongo.Document): Promise<string | null> {
  try {
    const document = new model(row);
    await document.validate();
    const made: object = document.toObject({ flattenMaps: true });
    const missing = Object.entries(model.schema.paths).find(
      ([name, { options }]) => !options.isOptional && !name.includes('.') && row[name] === undefined,
    );
    if (missing) return `${missing[0]} is missing`;
    return isDeepStrictEqual(plain(made), plain(row))
      ? null
      : `${differingField(made, row)} is of another type`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Keys that mongoose leaves out of what it makes, though a map may have them. */
const SPECIAL = new Set(['__proto__', 'constructor', 'prototype']);

function plain(row: object): Record<string, unknown> {
  const text = mongoose.mongo.BSON.EJSON.stringify(row);
  return JSON.parse(text, (key, value) => (SPECIAL.has(key) ? undefined : value));
}

function differingField(made: object, row: object): string {
  const [a, b] = [plain(made), plain(row)];
  return Object.keys({ ...a, ...b }).find((name) => !isDeepStrictEqual(a[name], b[name])) ?? 'a field';
}
