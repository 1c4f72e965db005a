import type { CollectionDeclaration } from '../../shared/platform/mongo/collection.ts';

type Fields = Record<string, unknown>;
/** The declarations of the collections, by name. */
type Declared = ReadonlyMap<string, Pick<CollectionDeclaration, 'indexes' | 'shardKey'>>;

/** https://www.mongodb.com/docs/manual/core/transactions-operations/ */
const IN_TRANSACTIONS = new Set(
  'find getMore aggregate insert update delete findAndModify bulkWrite killCursors commitTransaction abortTransaction'.split(
    ' ',
  ),
);
const STAGES_OUTSIDE = new Set([
  '$out',
  '$merge',
  '$collStats',
  '$indexStats',
  '$currentOp',
  '$planCacheStats',
  '$listSessions',
  '$unionWith',
  '$graphLookup',
]);
/** https://www.mongodb.com/docs/manual/core/index-partial/ */
const IN_PARTIAL_INDEXES = new Set([
  '$eq',
  '$exists',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$type',
  '$and',
  '$or',
  '$in',
]);

/** The rules of MongoDB 8 that one command breaks, as the driver sends it: it would be refused, or do what nobody meant. Pure. */
export function violationsOf(name: string, command: Fields, declared: Declared): string[] {
  const found: string[] = [];
  const rule = (isBroken: boolean, words: string) => void (isBroken && found.push(`${name}: ${words}`));
  const isInTransaction = command.autocommit === false;
  if (isInTransaction) {
    rule(!IN_TRANSACTIONS.has(name), 'not in a transaction');
    rule(
      'readConcern' in command && !command.startTransaction,
      'readConcern after the first command of a transaction',
    );
    rule('writeConcern' in command && !name.endsWith('Transaction'), 'writeConcern within a transaction');
    rule(name === 'killCursors' && command.startTransaction === true, 'killCursors first');
  }
  if (name === 'createIndexes')
    for (const index of command.indexes as Fields[]) found.push(...ofIndex(index));
  if (name === 'find') {
    found.push(...ofFilter(command.filter as Fields), ...ofProjection((command.projection ?? {}) as Fields));
    rule(Number(command.limit ?? 0) < 0, 'negative limit');
  }
  if (name === 'aggregate')
    for (const stage of command.pipeline as Fields[]) {
      const [[stageName, body] = ['', {}]] = Object.entries(stage);
      rule(Object.keys(stage).length !== 1, 'a stage has one name');
      rule(isInTransaction && STAGES_OUTSIDE.has(stageName), `${stageName} in a transaction`);
      rule(stageName === '$limit' && !(Number(body) > 0), '$limit must be positive');
      rule(stageName === '$project' && Object.keys(body as Fields).length === 0, '$project without fields');
      if (stageName === '$match') found.push(...ofFilter(body as Fields));
      if (stageName === '$group') {
        rule(!('_id' in (body as Fields)), '$group without _id');
        rule(
          Object.keys(body as Fields).some((field) => field.includes('.')),
          '$group of a dotted name',
        );
      }
    }
  for (const write of writesOf(name, command)) found.push(...ofWrite(write, declared.get(write.collection)));
  return found;
}

interface OneWrite {
  collection: string;
  filter: Fields;
  update?: Fields | Fields[];
  row?: Fields;
  upsert: boolean;
  many: boolean;
}

function writesOf(name: string, command: Fields): OneWrite[] {
  const list = (key: string) => (command[key] ?? []) as Fields[];
  const collection = String(command[name]);
  const one = (of: Fields, where: string, many: boolean): OneWrite => ({
    collection: where,
    filter: (of.q ?? of.filter ?? of.query) as Fields,
    ...('u' in of || 'updateMods' in of ? { update: (of.u ?? of.updateMods) as Fields } : {}),
    upsert: of.upsert === true,
    many,
  });
  switch (name) {
    case 'insert':
      return list('documents').map((row) => ({ collection, filter: {}, row, upsert: false, many: true }));
    case 'update':
      return list('updates').map((of) => one(of, collection, of.multi === true));
    case 'delete':
      return list('deletes').map((of) => one(of, collection, of.limit === 0));
    case 'findAndModify':
      return [{ ...one(command, collection, false), update: command.update as Fields }];
    case 'bulkWrite': {
      const names = list('nsInfo').map(({ ns }) => String(ns).slice(String(ns).indexOf('.') + 1));
      return list('ops').map((of) => {
        const where = names[Number(of.insert ?? of.update ?? of.delete)] ?? '';
        return 'insert' in of
          ? { collection: where, filter: {}, row: of.document as Fields, upsert: false, many: true }
          : one(of, where, of.multi === true);
      });
    }
    default:
      return [];
  }
}

function ofWrite(
  { collection, filter, update, row, upsert, many }: OneWrite,
  declared?: { indexes: readonly { key: object }[]; shardKey: object | null },
): string[] {
  const found = ofFilter(filter);
  const rule = (isBroken: boolean, words: string) => void (isBroken && found.push(`${collection}: ${words}`));
  const equal = new Set(Object.keys(filter).filter((field) => !isOperators(filter[field])));
  const shardKey = Object.keys(declared?.shardKey ?? {});
  if (row === undefined && (upsert || !many))
    rule(
      shardKey.some((field) => !equal.has(field)),
      'one row without its whole shard key',
    );
  rule(upsert && !equal.has('_id'), 'an upsert without _id makes an ObjectId');
  const whole =
    row ??
    (update && !Array.isArray(update) && !Object.keys(update).some((key) => key.startsWith('$'))
      ? update
      : undefined);
  if (whole) {
    rule(
      Object.keys(whole).some((field) => field.startsWith('$')),
      'a field begins with $',
    );
    for (const { key } of declared?.indexes ?? [])
      rule(
        Object.keys(key).filter((field) => Array.isArray(whole[field])).length > 1,
        `two lists in the index ${Object.keys(key).join()}`,
      );
  } else if (update && !Array.isArray(update)) {
    const paths = Object.values(update)
      .flatMap((fields) => Object.keys(fields as Fields))
      .sort();
    rule(
      paths.some((path, at) =>
        paths.slice(at + 1).some((other) => other === path || other.startsWith(`${path}.`)),
      ),
      `two operators on one path of ${paths.join()}`,
    );
    rule(
      paths.some((path) => path !== '_id' && shardKey.includes(path) && !('$setOnInsert' in update)),
      'changes its shard key',
    );
    rule('_id' in ((update.$set ?? {}) as Fields), 'sets _id');
  }
  return found;
}

function ofFilter(filter: Fields): string[] {
  return Object.entries(filter).flatMap(([field, condition]) => {
    if (/^\$(or|and|nor)$/.test(field))
      return (condition as Fields[]).length === 0
        ? [`${field} of nothing`]
        : (condition as Fields[]).flatMap(ofFilter);
    if (/^\$(where|near|text)/.test(field)) return [`${field} in a filter`];
    if (!isOperators(condition)) return condition === undefined ? [`${field} is undefined`] : [];
    return Object.entries(condition as Fields).flatMap(([operator, value]) =>
      /^\$n?in$/.test(operator) && !Array.isArray(value)
        ? [`${operator} of no list`]
        : operator === '$regex'
          ? ['$regex']
          : [],
    );
  });
}

function ofProjection(projection: Fields): string[] {
  const { _id, ...others } = projection;
  const names = Object.keys(others).sort();
  const kinds = new Set(Object.values(others).filter((value) => value === 0 || value === 1));
  return [
    ...(kinds.size > 1 ? ['projection includes and excludes'] : []),
    ...names
      .filter((name) => names.some((other) => other.startsWith(`${name}.`)))
      .map((name) => `projection: paths collide at ${name}`),
  ];
}

function ofIndex({ key, expireAfterSeconds, partialFilterExpression = {} }: Fields): string[] {
  const conditions = Object.values(partialFilterExpression as Fields)
    .filter(isOperators)
    .flatMap((condition) => Object.entries(condition as Fields));
  const isOdd = ([operator, value]: [string, unknown]) =>
    !IN_PARTIAL_INDEXES.has(operator) || (operator === '$exists' && value !== true);
  return [
    ...(expireAfterSeconds !== undefined && Object.keys(key as Fields).length > 1
      ? ['a TTL index has one field']
      : []),
    ...conditions.filter(isOdd).map(([operator]) => `${operator} in a partial index`),
  ];
}

function isOperators(condition: unknown): boolean {
  return (
    typeof condition === 'object' &&
    condition !== null &&
    Object.getPrototypeOf(condition) === Object.prototype &&
    Object.keys(condition).some((key) => key.startsWith('$'))
  );
}
