import type { RedisClient } from '../../shared/platform/redis/connect.ts';
import type { TestContext } from './harness.ts';

/** Every row of every collection, as one text. */
export async function textOfMongo(ctx: TestContext): Promise<string> {
  const collections = await ctx.db.database.collections();
  return JSON.stringify(await Promise.all(collections.map((collection) => collection.find().toArray())));
}

/** The keys of a Redis whose names are like this, each with its value as text. */
export async function textsOfRedis(redis: RedisClient, pattern = '*'): Promise<string[]> {
  const keys = await redis.keys(pattern);
  return Promise.all(
    keys.map(async (key) => `${key} ${JSON.stringify(await readKey(redis, key, await redis.type(key)))}`),
  );
}

function readKey(redis: RedisClient, key: string, type: string): Promise<unknown> {
  if (type === 'string') return redis.get(key);
  if (type === 'hash') return redis.hgetall(key);
  if (type === 'list') return redis.lrange(key, 0, -1);
  if (type === 'set') return redis.smembers(key);
  return type === 'zset' ? redis.zrange(key, '-inf', '+inf', 'BYSCORE') : redis.xrange(key, '-', '+');
}
