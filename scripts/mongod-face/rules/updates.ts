import type { Failure } from '../failures.ts';
import type { Fields, Statement } from '../wire.ts';
import { writesOf } from '../writes.ts';
import { collisionIn } from './reads.ts';

/** Refuses changes that contradict themselves. */
export function checkUpdates(command: Statement): Failure | null {
  for (const { operators, filter } of writesOf(command)) {
    const failure = operators ? checkOperators(operators, filter ?? {}) : null;
    if (failure) return failure;
  }
  return null;
}

function checkOperators(operators: Fields, filter: Fields): Failure | null {
  const paths = Object.values(operators).flatMap((fields) => Object.keys((fields ?? {}) as Fields));
  // https://www.mongodb.com/docs/manual/reference/operator/update/
  if (collisionIn(paths))
    return { code: 40, message: `Updating ${paths.join(', ')} would create a conflict` };
  // https://www.mongodb.com/docs/manual/core/document/#the-_id-field
  const { _id } = (operators.$set ?? {}) as Fields;
  return _id === undefined || _id === filter._id
    ? null
    : { code: 66, message: "Performing an update on the path '_id' would modify the immutable field '_id'" };
}
