import { startTransactionGuard } from '../../../shared/platform/mongo/transaction-guard.ts';
import { openTestContext, startApi, type TestApi, type TestContext, testEnv } from '../harness.ts';
import { startOwnMongo } from './own-mongo.ts';
import { type NetProxy, startProxy } from './proxy.ts';

/** A MongoDB of a drill's own: processes with `env` reach it through the proxy, the context and the survivor do not. */
export interface ProxiedMongo {
  ctx: TestContext;
  /** An api in this process, which asks what the killed ones left behind. */
  survivor: TestApi;
  proxy: NetProxy;
  env: Record<string, string>;
  stop(): Promise<void>;
}

export async function startProxiedMongo(
  options: Omit<NonNullable<Parameters<typeof openTestContext>[0]>, 'mongoUrl'> = {},
): Promise<ProxiedMongo> {
  const own = await startOwnMongo();
  const ctx = await openTestContext({ ...options, mongoUrl: own.url });
  const survivor = await startApi({ ctx });
  const mongo = new URL(ctx.config.mongodbUrl);
  const proxy = await startProxy(Number(mongo.port));
  mongo.port = String(proxy.port);
  // The driver would find the store's own address in the replica set and pass the proxy by.
  mongo.searchParams.delete('replicaSet');
  mongo.searchParams.set('directConnection', 'true');
  const guard = await startTransactionGuard(ctx.db, ctx.log, 2_000);
  return {
    ctx,
    survivor,
    proxy,
    env: { ...testEnv('unused'), ...options.env, MONGODB_URL: mongo.href },
    stop: async () => {
      await guard.stop();
      await survivor.close();
      await proxy.close();
      await ctx.close();
      await own.stop();
    },
  };
}
