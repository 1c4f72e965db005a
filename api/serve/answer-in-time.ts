import { DomainError, isCode, isOutcomeUnknown } from '../../shared/platform/basics/errors.ts';
import { within } from '../../shared/platform/basics/within.ts';
import type { AnyRoute } from '../basics/route.ts';

/** Longer than a batch or a transaction is worked on: their own deadlines know what became of the writes. */
const PATIENCE_MS = 25_000;

/**
 * The result of a route's work, which may wait for a dark connection. After 25 s it throws a store error for a read, and
 * `outcome_unknown` for anything else: the work goes on, and may still write. The outcome of a read is never unknown: one
 * that fails in a write on its way (a session that it ends, the audit line of a refusal) is a store error too.
 */
export async function answerInTime<T>(
  { method, changesNothing }: Pick<AnyRoute, 'method' | 'changesNothing'>,
  work: Promise<T>,
): Promise<T> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  work.then(end, end);
  try {
    return await within(PATIENCE_MS, 'A request', work);
  } catch (error) {
    if (method === 'get' || changesNothing)
      throw isOutcomeUnknown(error) || isCode(error, 'outcome_unknown') ? storeAway() : error;
    if (hasEnded) throw error;
    throw new DomainError(
      'outcome_unknown',
      `The answer was not ready after ${PATIENCE_MS / 1_000} s. Look, or repeat with the same Idempotency-Key.`,
    );
  }
}

function storeAway(): DomainError {
  return new DomainError('store_unavailable', 'A store does not answer. Try again.');
}
