import type { Failure } from '../failures.ts';
import type { Fields, Statement } from '../wire.ts';
import { listOf } from '../writes.ts';

/** https://www.mongodb.com/docs/manual/core/transactions-operations/ */
const ALLOWED =
  'find getMore aggregate distinct insert update delete findAndModify bulkWrite create createIndexes killCursors commitTransaction abortTransaction'.split(
    ' ',
  );
const STAGES_OUTSIDE =
  '$out $merge $collStats $indexStats $currentOp $planCacheStats $listSessions $listLocalSessions $unionWith $changeStream'.split(
    ' ',
  );

/** Refuses what may run only outside a transaction. */
export function checkTransaction({ name, body }: Statement): Failure | null {
  if (body.autocommit !== false) return null;
  const refused = (message: string): Failure => ({ code: 263, message });
  if (!ALLOWED.includes(name)) return refused(`Cannot run '${name}' in a multi-document transaction.`);
  if (name === 'killCursors' && body.startTransaction === true)
    return refused('Cannot run killCursors as the first operation in a multi-document transaction.');
  const stage = listOf(body.pipeline)
    .flatMap(Object.keys)
    .find((stageName) => STAGES_OUTSIDE.includes(stageName));
  if (stage) return refused(`Operation not permitted in transaction :: caused by :: ${stage}`);
  // https://www.mongodb.com/docs/manual/core/transactions/#read-concern-write-concern-read-preference
  if (body.readConcern !== undefined && body.startTransaction !== true)
    return {
      code: 72,
      message: 'Only the first command in a transaction may specify a readConcern',
    };
  if (body.writeConcern !== undefined && !name.endsWith('Transaction'))
    return { code: 72, message: `${name} in a transaction may not specify a writeConcern` };
  // "Multi-document transactions that contain read operations must use read preference primary."
  const { mode = 'primary' } = (body.$readPreference ?? {}) as Fields;
  // Drivers write the other one into each command of a direct connection, also to a primary.
  return mode === 'primary' || mode === 'primaryPreferred'
    ? null
    : { code: 72, message: `Read preference in a transaction must be primary, not: ${String(mode)}` };
}
