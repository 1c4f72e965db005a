import { claimKey, keepAnswer, releaseKey } from '../../shared/idempotency/claim-key.ts';
import { unixSeconds } from '../../shared/platform/basics/clock.ts';
import {
  DomainError,
  ERRORS,
  isCode,
  isDuplicateKey,
  isStoreError,
} from '../../shared/platform/basics/errors.ts';
import { creating, derivedId } from '../../shared/platform/basics/ids.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { type AnyRoute, type Creates, reply } from '../basics/route.ts';
import { idempotencyKey } from '../schemas/params.ts';
import { addressOf } from './address.ts';
import type { Exchange, Principal } from './exchange.ts';

type Input = Parameters<AnyRoute['handle']>[0];

/**
 * Carries out a request that creates something, once per `Idempotency-Key` where the caller sends one. What it creates
 * has an id that follows from the key, so that a repeat finds it, also when the first answer was lost on its way. Throws
 * `idempotency_key_reused`, `conflict` for a repeat whose answer held a secret, and `outcome_unknown`.
 */
export async function createOnce(
  { route, ctx, req }: Exchange,
  input: Input,
  creates: Creates,
): Promise<unknown> {
  const key = idempotencyKey(req.get('idempotency-key'));
  if (key === null) return route.handle(input, ctx);
  const scope = [callerOf(input.principal, req), route.path, key];
  const claim = await claimKey(ctx, scope, route.params ? [input.params, input.body] : input.body);
  const { answer, expires_at } = claim.record;
  const headers = { 'Idempotency-Expires': String(unixSeconds(expires_at)) };
  const replayed = { ...headers, 'Idempotent-Replayed': 'true' };
  if (answer !== null) return reply(answer, replayed);
  const created = derivedId(creates.prefix, claim.record.seed);
  const id = creates.idOf?.(created) ?? created;
  const find = () => findCreated(route, creates, input, id, ctx);
  const known = claim.isRepeat ? await find() : null;
  const text = known ?? (await createOrFind());
  const kept = creates.holdsSecret ? text : await keepAnswer(ctx, claim, text).catch(createdAllTheSame);
  return reply(kept, claim.isRepeat ? replayed : headers);

  async function createOrFind(): Promise<string> {
    try {
      const made = await creating(creates.prefix, claim.record.seed, () => route.handle(input, ctx));
      return JSON.stringify(route.success.body?.parse(made));
    } catch (error) {
      const mayExist = isDuplicateKey(error) || isCode(error, 'conflict');
      const found = mayExist ? await find() : null;
      if (found !== null) return found;
      const isRefusal = error instanceof DomainError && ERRORS[error.code].status < 500;
      if (isRefusal && !claim.isRepeat) await releaseKey(ctx, claim);
      throw error;
    }
  }
}

/** A store that fails only now must not be told as one that has written nothing. */
function createdAllTheSame(error: unknown): never {
  if (!isStoreError(error)) throw error;
  throw new DomainError(
    'outcome_unknown',
    'It may have been created. Repeat the request with the same Idempotency-Key.',
  );
}

/** The answer about what an earlier request created with this id, as JSON; null when there is nothing. */
async function findCreated(
  route: AnyRoute,
  creates: Creates,
  { principal }: Input,
  id: string,
  ctx: Context,
): Promise<string | null> {
  let found: unknown;
  try {
    found = await creates.get(principal, id, ctx);
  } catch (error) {
    if (isCode(error, 'not_found')) return null;
    throw error;
  }
  if (creates.holdsSecret)
    throw new DomainError('conflict', `This Idempotency-Key created ${id}. Its secret was shown only then.`, {
      id,
    });
  return JSON.stringify(route.success.body?.parse(found));
}

/**
 * Keys of idempotency belong to one credential: another may not be allowed to read the answer. Without any they belong to
 * the address.
 */
function callerOf(principal: Principal, req: Exchange['req']): string {
  if (principal.kind === 'api-key') return principal.keyId;
  if (principal.kind === 'idp') return principal.accountId;
  return principal.kind === 'none' ? `none ${addressOf(req)}` : principal.kind;
}
