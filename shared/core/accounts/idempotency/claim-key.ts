import { randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import { dateAt } from '../../../platform/basics/clock.ts';
import { IDEMPOTENCY_KEY_LIFETIME_MS } from '../../../platform/basics/contract.ts';
import { DomainError, isDuplicateKey } from '../../../platform/basics/errors.ts';
import { hashedKey } from '../../../platform/basics/ids.ts';
import type { Context } from '../../../platform/context/context.ts';
import { type IdempotencyRecord, idempotencyRecordRows } from './model.ts';

/** A claimed key: its record, whether an earlier request had claimed it, and an id of the request that claims it now. */
export interface Claim {
  record: IdempotencyRecord;
  isRepeat: boolean;
  requestId: string;
}

/** Another request with the key has created, or was refused and gave the key back: claim it again. */
export class ClaimLost extends Error {}

/**
 * Claims an idempotency key before anything is created. `scope` is who sent it to which route, and the key itself. One
 * of several requests at the same time claims it; the others are repeats. Throws `idempotency_key_reused` when the key came
 * with another body before.
 */
export async function claimKey(ctx: Context, scope: readonly string[], body: unknown): Promise<Claim> {
  const nowMs = ctx.clock.now();
  const record: IdempotencyRecord = {
    _id: hashedKey(24, ...scope),
    fingerprint: hashedKey(24, JSON.stringify(body)),
    seed: randomUUID(),
    created_by: null,
    answer: null,
    expires_at: dateAt(nowMs + IDEMPOTENCY_KEY_LIFETIME_MS),
  };
  await idempotencyRecordRows(ctx).deleteOne({ _id: record._id, expires_at: { $lte: dateAt(nowMs) } });
  try {
    await idempotencyRecordRows(ctx).insertOne(record);
    return { record, isRepeat: false, requestId: randomUUID() };
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  const claimed = await idempotencyRecordRows(ctx).findOne({ _id: record._id });
  // It went between the two: the first request was refused, so this one begins anew.
  if (!claimed) return claimKey(ctx, scope, body);
  if (claimed.fingerprint !== record.fingerprint)
    throw new DomainError('idempotency_key_reused', 'This Idempotency-Key came with another body before.');
  return { record: claimed, isRepeat: true, requestId: randomUUID() };
}

/**
 * Marks a key as used, in the transaction that creates: of all requests with the key one gets through, also when what it
 * created was deleted since. Throws `ClaimLost` for every other.
 */
export async function takeClaim(
  ctx: Context,
  { record, requestId }: Claim,
  transaction: ClientSession,
): Promise<void> {
  const { _id, seed } = record;
  const row = await idempotencyRecordRows(ctx).findOne({ _id }, { session: transaction });
  if (row?.seed !== seed || (row.created_by !== null && row.created_by !== requestId)) throw new ClaimLost();
  const change = { $set: { created_by: requestId } };
  await idempotencyRecordRows(ctx).updateOne({ _id }, change, { session: transaction });
}

/**
 * Keeps an answer, so that repeats get the same bytes, and returns it: the one that was kept first stays. A repeat that
 * succeeds keeps it also after the first request was refused and has given the key back.
 */
export async function keepAnswer(ctx: Context, { record }: Claim, answer: string): Promise<string> {
  const { _id, seed, fingerprint, created_by, expires_at } = record;
  try {
    const change = { $set: { answer }, $setOnInsert: { fingerprint, created_by, expires_at } };
    await idempotencyRecordRows(ctx).updateOne({ _id, seed, answer: null }, change, { upsert: true });
    return answer;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  const kept = await idempotencyRecordRows(ctx).findOne({ _id, seed });
  return kept?.answer ?? answer;
}

/** Gives a key back by which nothing was created: the request was refused, and a corrected one may use the key. */
export async function releaseKey(ctx: Context, { record }: Claim): Promise<void> {
  await idempotencyRecordRows(ctx).deleteOne({
    _id: record._id,
    seed: record.seed,
    created_by: null,
    answer: null,
  });
}
