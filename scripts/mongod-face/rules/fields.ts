import type { Failure } from '../failures.ts';
import type { Statement } from '../wire.ts';

/** The fields of each command: https://www.mongodb.com/docs/manual/reference/command/. */
const OWN: Record<string, string> = {
  find: 'filter sort projection hint skip limit batchSize singleBatch min max returnKey showRecordId tailable oplogReplay noCursorTimeout awaitData allowPartialResults collation allowDiskUse let',
  aggregate: 'pipeline explain allowDiskUse cursor bypassDocumentValidation collation hint let',
  insert: 'documents ordered bypassDocumentValidation',
  update: 'updates ordered bypassDocumentValidation let',
  delete: 'deletes ordered let',
  findAndModify:
    'query sort remove update new fields upsert bypassDocumentValidation collation arrayFilters hint let',
  bulkWrite: 'ops nsInfo ordered bypassDocumentValidation let errorsOnly cursor',
  createIndexes: 'indexes commitQuorum',
  count: 'query limit skip hint collation',
  distinct: 'key query collation hint',
};
/** The fields of every command: https://www.mongodb.com/docs/manual/reference/server-sessions/ and the pages of commands. */
const OF_ALL =
  '$db $clusterTime $readPreference lsid txnNumber autocommit startTransaction readConcern writeConcern maxTimeMS comment apiVersion apiStrict apiDeprecationErrors'.split(
    ' ',
  );
const KNOWN = new Map(
  Object.entries(OWN).map(([name, fields]) => [name, new Set([name, ...fields.split(' '), ...OF_ALL])]),
);

/** mongod takes no field that it does not know, in the commands above. */
export function checkFields({ name, body }: Statement): Failure | null {
  const known = KNOWN.get(name);
  const odd = known && Object.keys(body).find((field) => body[field] !== undefined && !known.has(field));
  return odd ? { code: 40415, message: `BSON field '${name}.${odd}' is an unknown field.` } : null;
}
