import { planOf, type Read, readsOf, shapeOf } from '../../scripts/mongod-face/planner.ts';
import { createRules, type Rules } from '../../scripts/mongod-face/rules/index.ts';
import { isOperators, writesOf } from '../../scripts/mongod-face/writes.ts';
import type { Db } from '../../shared/platform/mongo/connect.ts';
import { COLLECTIONS } from '../../shared/tables/collections.ts';
import { JUDGED, markCommandsOfTests, OF_A_TEST } from './caller.ts';
import { IN_MEMORY, OF_ALL_TENANTS } from './judged-reads.ts';

const DECLARED = new Map(COLLECTIONS.map((declared) => [declared.collectionName, declared]));

// Before any context is opened.
markCommandsOfTests();

/** Fields of which each value belongs to one organization, or to one person. */
const OF_ONE_TENANT = new Set(
  '_id org_id account_id webhook_id destination_id budget_id session_id client_session branch renamed_to work key idk device_id user_code pending_for'.split(
    ' ',
  ),
);

/**
 * Looks at each command that the product sends by one connection, as MongoDB would get it. The answer throws when one of them broke a
 * rule: MongoDB would refuse it, look at rows of every tenant, or put a list in order in memory.
 */
export function judgeCommands(db: Db): () => void {
  const { database, connection, isEmbedded } = db;
  JUDGED.add(db);
  // Behind the face of a mongod the face itself refuses what breaks one.
  const rules = isEmbedded ? rulesOf(database.databaseName) : null;
  const judged = new Set<string>();
  const problems = new Set<string>();
  connection.getClient().on('commandStarted', ({ commandName: name, command: body }) => {
    if (body.comment === OF_A_TEST) return;
    const statement = { name, body };
    const refused = rules?.check(statement)?.message;
    if (refused !== undefined) problems.add(`${name}: ${refused}`);
    for (const problem of writesOf(statement).flatMap(problemsOfWrite)) problems.add(problem);
    for (const read of readsOf(statement)) {
      const shape = shapeOf(read);
      if (judged.has(shape)) continue;
      judged.add(shape);
      for (const problem of problemsOfRead(read)) problems.add(problem);
    }
  });
  return () => {
    JUDGED.delete(db);
    if (problems.size > 0)
      throw new Error(`Commands that MongoDB would not serve well: ${[...problems].join('; ')}`);
  };
}

/** MongoDB's rules, with every index that is declared. */
function rulesOf($db: string): Rules {
  const rules = createRules();
  for (const { collectionName, indexes } of COLLECTIONS)
    rules.learn({ name: 'createIndexes', body: { createIndexes: collectionName, indexes, $db } });
  return rules;
}

/** The problems of one read, in words; none of those that are meant. */
export function problemsOfRead(read: Read): string[] {
  const shape = shapeOf(read);
  return [
    ...(isOfOneTenant(read) || shape in OF_ALL_TENANTS ? [] : [`${shape} begins with no tenant in an index`]),
    ...(isInOrder(read) || shape in IN_MEMORY ? [] : [`${shape} is put in order in memory`]),
  ];
}

/** True where the equal values that an index bounds name the tenant. */
export function isOfOneTenant(read: Read): boolean {
  const plan = planIn(read);
  if (plan === undefined) return true;
  const equal = plan?.index.split(',').slice(0, plan.equal) ?? [];
  return equal.some((field) => OF_ONE_TENANT.has(field));
}

/** True where an index has the order that is asked for. */
export function isInOrder(read: Read): boolean {
  return (
    Object.keys(read.sort).length === 0 ||
    (planIn(read)?.isSorted ?? DECLARED.get(read.collection) === undefined)
  );
}

/** Undefined of a collection that nobody declared. */
function planIn(read: Read): ReturnType<typeof planOf> | undefined {
  const declared = DECLARED.get(read.collection);
  return declared && planOf(read, declared);
}

/** Things that MongoDB lets pass, and that nobody meant. */
function problemsOfWrite({
  namespace,
  filter,
  operators,
  isUpsert,
}: ReturnType<typeof writesOf>[number]): string[] {
  const collection = namespace.slice(namespace.indexOf('.') + 1);
  const { shardKey = null } = DECLARED.get(collection) ?? {};
  const { $setOnInsert: _, ...changes } = operators ?? {};
  const changed = new Set(Object.values(changes).flatMap((fields) => Object.keys(fields ?? {})));
  const moved = Object.keys(shardKey ?? {}).filter((field) => changed.has(field));
  return [
    ...(isUpsert && (filter?._id === undefined || isOperators(filter._id))
      ? [`${collection}: an upsert without its _id makes an ObjectId`]
      : []),
    ...(moved.length > 0 ? [`${collection}: ${moved.join()} is the shard key, and is changed`] : []),
  ];
}
