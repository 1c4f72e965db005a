import { join } from 'node:path';
import { z } from 'zod';
import { makePrivateFolder, readJson, writePrivateJson } from './files.ts';
import { findFreePort, isPortFree } from './ports.ts';
import { say } from './progress.ts';
import { SetupError } from './setup-error.ts';
import { answersMongo, answersRedis } from './store-answers.ts';
import {
  mongoServerCommand,
  planMongo,
  planMongodFace,
  planRedis,
  redisServerCommand,
  type ServerCommand,
  type StorePlan,
} from './stores.ts';
import { type ProcessName, type Supervisor, startProcess } from './supervise.ts';
import { waitUntil } from './wait.ts';

/** Which server the data of a folder belongs to, and the port that it had: a replica set knows its members by it. */
const choice = z.object({ kind: z.string(), port: z.int() });
const storeChoices = z.object({ redis: choice.optional(), mongo: choice.optional() });
type StoreChoices = z.infer<typeof storeChoices>;

type StoreUrls = { MONGODB_URL: string; REDIS_URL: string };

/**
 * Both stores, running and answering: those that the environment names, else our own, supervised. With `mongodFace` an
 * embedded MongoDB is reached through the face of a mongod 8; any other one needs none.
 */
export async function runStores(
  supervisor: Supervisor,
  dataDir: string,
  env: NodeJS.ProcessEnv,
  { mongodFace = false } = {},
): Promise<StoreUrls> {
  const file = join(dataDir, 'stores.json');
  const kept = storeChoices.parse(readJson(file) ?? {});
  const mongo = env.MONGODB_URL ? null : await chooseMongo(dataDir, kept);
  const redis = env.REDIS_URL ? null : await chooseRedis(dataDir, kept);
  writePrivateJson(file, {
    ...kept,
    ...(redis && { redis: redis.choice }),
    ...(mongo && { mongo: mongo.choice }),
  });
  await Promise.all([
    redis ? runOwn(supervisor, 'redis', dataDir, redis.plan) : requireAnswer('REDIS_URL', env, answersRedis),
    mongo
      ? runOwn(supervisor, 'mongo', dataDir, mongo.plan)
      : requireAnswer('MONGODB_URL', env, answersMongo),
  ]);
  const face =
    mongodFace && mongo?.choice.kind === 'secantusdb'
      ? planMongodFace(await findFreePort(), mongo.plan.url)
      : null;
  if (face) await runOwn(supervisor, 'mongod-face', dataDir, face);
  return {
    MONGODB_URL: face?.url ?? mongo?.plan.url ?? env.MONGODB_URL ?? '',
    REDIS_URL: redis?.plan.url ?? env.REDIS_URL ?? '',
  };
}

async function chooseMongo(dataDir: string, kept: StoreChoices) {
  const command = await mongoServerCommand(kept.mongo?.kind);
  const place = { port: await choosePort(kept.mongo), dir: makePrivateFolder(dataDir, 'mongo') };
  return { choice: nameChoice(command, place.port), plan: planMongo(command, place) };
}

async function chooseRedis(dataDir: string, kept: StoreChoices) {
  const command = await redisServerCommand(kept.redis?.kind);
  const place = { port: await choosePort(kept.redis), dir: makePrivateFolder(dataDir, 'redis') };
  return { choice: nameChoice(command, place.port), plan: planRedis(command, place) };
}

function nameChoice(command: ServerCommand<string>, port: number): z.infer<typeof choice> {
  return { kind: command.kind, port };
}

async function choosePort(kept: { port: number } | undefined): Promise<number> {
  return kept && (await isPortFree(kept.port)) ? kept.port : await findFreePort();
}

async function runOwn(
  supervisor: Supervisor,
  name: ProcessName,
  dataDir: string,
  plan: StorePlan,
): Promise<void> {
  say(`Starting ${name} (${plan.file}) …`);
  const { file, args, env, isReady } = plan;
  const logFile = join(makePrivateFolder(dataDir, 'logs'), `${name}.log`);
  await startProcess(supervisor, {
    name,
    file,
    args,
    env: { ...process.env, ...env },
    cwd: makePrivateFolder(dataDir, name),
    logFile,
    isReady,
  });
}

async function requireAnswer(
  variable: string,
  env: NodeJS.ProcessEnv,
  answers: (url: string) => Promise<boolean>,
): Promise<void> {
  const url = env[variable] ?? '';
  say(`Asking ${variable} …`);
  if (await waitUntil(() => answers(url), { timeoutMs: 5_000, pauseMs: 500 })) return;
  throw new SetupError(
    `The store that ${variable} names does not answer (or takes no writes).`,
    `Start it, correct ${variable}, or unset it so that scripts/up runs a store of its own.`,
  );
}
