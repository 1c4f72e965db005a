import { copyFrom, promote, startOwnRedis } from '../credits.ts';
import { type NetProxy, startProxy } from './proxy.ts';
import { type Stack, startStack } from './stack.ts';

/** A stack whose Redis has a replica. */
export interface ReplicaStack {
  stack: Stack;
  /** Reaches the primary, whichever it is. */
  redisUrl: string;
  /** Promotes the replica and demotes the primary, which until `overlap` is over goes on taking what no replica gets. */
  swap(overlap: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one with `REDIS_WAIT_REPLICAS=1`. */
export async function startReplicaStack(): Promise<ReplicaStack> {
  const own = await startOwnRedis();
  const proxy: NetProxy = await startProxy(portOf(own));
  const redisUrl = `redis://127.0.0.1:${proxy.port}`;
  let [primary, replica]: [{ url: string }, { url: string }] = [own, own];
  const stop = async () => {
    await proxy.close();
    await own.stop();
  };
  const putBehind = async (url: string) => {
    primary = { url };
    await copyFrom(replica, primary);
    proxy.target = portOf(primary);
    return redisUrl;
  };
  const starting = startStack({ redisUrl: putBehind, env: { REDIS_WAIT_REPLICAS: '1' } });
  const stack = await starting.catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    stack,
    redisUrl,
    swap: async (overlap) => {
      await promote(replica);
      await overlap();
      proxy.target = portOf(replica);
      proxy.reset();
      await copyFrom(primary, replica);
      [primary, replica] = [replica, primary];
    },
    stop: async () => {
      await stack.stop();
      await stop();
    },
  };
}

function portOf({ url }: { url: string }): number {
  return Number(new URL(url).port);
}
