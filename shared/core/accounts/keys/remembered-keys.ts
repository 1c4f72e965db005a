import type { Context } from '../../../platform/context/context.ts';
import { readThroughCache } from '../../../platform/context/read-through-cache.ts';
import { keyIdOf, provenKey } from './api-keys.ts';
import { type ApiKey, apiKeyRows } from './model.ts';

const KEYS = 2_000;

const keyCache = readThroughCache<ApiKey>(
  'api keys',
  async (ctx, known) => {
    const rows = await apiKeyRows(ctx)
      .find({ _id: { $in: [...known.keys()] } })
      .toArray();
    return new Map(rows.map((row) => [row._id, row]));
  },
  { max: KEYS },
);

/**
 * As `authenticateApiKey`, for what must be answered while the store does not answer: a revoked key is dead within a
 * second, and a key that was seen lately goes on for 10 minutes without the store. Throws a store error for a key that was
 * not.
 */
export async function authenticateFromMemory(ctx: Context, token: string): Promise<ApiKey | null> {
  const id = keyIdOf(ctx, token);
  if (id === null) return null;
  const cached = await keyCache(ctx).get(id);
  return provenKey(ctx, token, cached?.value);
}
