import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientSession } from 'mongoose';
import { DomainError, isOutcomeUnknown, isStoreError } from '../../../platform/basics/errors.ts';
import { creating, type IdPrefix } from '../../../platform/basics/ids.ts';
import type { Context } from '../../../platform/context/context.ts';
import { type Claim, takeClaim } from './claim-key.ts';
import { idempotencyRecordRows } from './model.ts';

/** A creation under way: of an id with this prefix, by an idempotency key or (null) without one. */
interface Creation {
  prefix: IdPrefix;
  claim: Claim | null;
  hasBegun: boolean;
}

const creations = new AsyncLocalStorage<Creation>();

/**
 * Runs `work`, which creates one thing with an id of this prefix, at most once per idempotency key: its transaction calls
 * `beginCreation`. A store that fails after that may have created it, so that is thrown as `outcome_unknown`.
 */
export async function createClaimed<Result>(
  prefix: IdPrefix,
  claim: Claim | null,
  work: () => Promise<Result>,
): Promise<Result> {
  const creation: Creation = { prefix, claim, hasBegun: false };
  const run = () => creations.run(creation, work);
  try {
    return await (claim === null ? run() : creating(prefix, claim.record.seed, run));
  } catch (error) {
    throw creation.hasBegun && isStoreError(error) && !isOutcomeUnknown(error) ? mayExist() : error;
  }
}

/** Begins the transaction that creates a thing whose id has this prefix. Throws `ClaimLost`. */
export async function beginCreation(
  ctx: Context,
  prefix: IdPrefix,
  transaction: ClientSession,
): Promise<void> {
  const creation = creations.getStore();
  if (creation?.prefix !== prefix) return;
  if (creation.claim !== null) await takeClaim(ctx, creation.claim, transaction);
  creation.hasBegun = true;
}

/**
 * Keeps the answer of a creation in its own transaction, after `beginCreation`: for one that leaves no object from which a
 * repeat could be answered.
 */
export async function answerCreation(
  ctx: Context,
  prefix: IdPrefix,
  answer: string,
  transaction: ClientSession,
): Promise<void> {
  const creation = creations.getStore();
  if (creation?.prefix !== prefix || creation.claim === null) return;
  const { _id } = creation.claim.record;
  await idempotencyRecordRows(ctx).updateOne({ _id }, { $set: { answer } }, { session: transaction });
}

/** The error for a store that fails during or after a creation. */
export function mayExist(): DomainError {
  return new DomainError(
    'outcome_unknown',
    'It may have been created. Look, or repeat the request with the same Idempotency-Key.',
  );
}
