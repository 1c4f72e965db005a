import {
  type Claim,
  ClaimLost,
  claimKey,
  keepAnswer,
  releaseKey,
} from '../../shared/core/accounts/idempotency/claim-key.ts';
import { createClaimed, mayExist } from '../../shared/core/accounts/idempotency/creation.ts';
import { unixSeconds } from '../../shared/platform/basics/clock.ts';
import {
  DomainError,
  ERRORS,
  isCode,
  isDuplicateKey,
  isStoreError,
} from '../../shared/platform/basics/errors.ts';
import { derivedId } from '../../shared/platform/basics/ids.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { type AnyRoute, type Creates, type Reply, reply } from '../basics/route.ts';
import { idempotencyKey } from '../schemas/params.ts';
import { addressOf } from './address.ts';
import type { Exchange, Principal } from './exchange.ts';

type Input = Parameters<AnyRoute['handle']>[0];

/**
 * Carries out a request that creates something, once per `Idempotency-Key` where the caller sends one. The created object
 * has an id that follows from the key, so that a repeat finds it, also when the first answer was lost on its way. Throws
 * `idempotency_key_reused`, `conflict` for a repeat whose answer held a secret or whose object is gone, and
 * `outcome_unknown`.
 */
export async function createOnce(exchange: Exchange, input: Input, creates: Creates): Promise<unknown> {
  const { route, ctx, req } = exchange;
  const key = idempotencyKey(req.get('idempotency-key'));
  if (key === null) return createClaimed(creates.prefix, null, () => route.handle(input, ctx));
  const scope = [callerOf(input.principal, req), route.path, key];
  for (;;) {
    const claim = await claimKey(ctx, scope, route.params ? [input.params, input.body] : input.body);
    try {
      return await answerOnce(exchange, input, creates, claim);
    } catch (error) {
      if (!(error instanceof ClaimLost)) throw error;
    }
  }
}

async function answerOnce(
  { route, ctx }: Exchange,
  input: Input,
  creates: Creates,
  claim: Claim,
): Promise<Reply> {
  const { answer, created_by, seed, expires_at } = claim.record;
  const headers = { 'Idempotency-Expires': String(unixSeconds(expires_at)) };
  const replayed = { ...headers, 'Idempotent-Replayed': 'true' };
  if (answer !== null) return reply(answer, replayed);
  const created = derivedId(creates.prefix, seed);
  const id = creates.idOf?.(created) ?? created;
  const find = () => findCreated(route, creates, input, id, ctx);
  const known = claim.isRepeat ? await find() : null;
  if (known === null && created_by !== null)
    throw new DomainError('conflict', `This Idempotency-Key created ${id}, which is gone.`, { id });
  const text = known ?? (await createOrFind());
  const kept = creates.holdsSecret ? text : await keepAnswer(ctx, claim, text).catch(createdAllTheSame);
  return reply(kept, claim.isRepeat ? replayed : headers);

  async function createOrFind(): Promise<string> {
    try {
      const made = await createClaimed(creates.prefix, claim, () => route.handle(input, ctx));
      return JSON.stringify(route.success.body?.parse(made));
    } catch (error) {
      const mayHaveMet = isDuplicateKey(error) || isCode(error, 'conflict');
      const found = mayHaveMet ? await find() : null;
      if (found !== null) return found;
      if (error instanceof DomainError && ERRORS[error.code].status < 500) await releaseKey(ctx, claim);
      throw error;
    }
  }
}

/** A store that fails only now must not be reported as one that has written nothing. */
function createdAllTheSame(error: unknown): never {
  throw isStoreError(error) ? mayExist() : error;
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
