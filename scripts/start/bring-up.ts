import { join } from 'node:path';
import { exportsFolder, makePrivateFolder, NODE, ROOT } from '../../packages/stack/files.ts';
import { findFreePort, isPortFree } from '../../packages/stack/ports.ts';
import { say } from '../../packages/stack/progress.ts';
import { runStep } from '../../packages/stack/run-step.ts';
import { runStores } from '../../packages/stack/run-stores.ts';
import { ensureSecrets } from '../../packages/stack/secrets.ts';
import { SetupError } from '../../packages/stack/setup-error.ts';
import { type ProcessPlan, readPids, type Supervisor, startProcess } from '../../packages/stack/supervise.ts';
import { answersOk } from '../../packages/stack/wait.ts';
import { type ShownOrganization, shownOrganizations } from '../demo/file.ts';
import { playDemoTraffic } from '../demo/play.ts';
import { ensureIdpState, idpEnvironment } from '../idp/state.ts';
import { apiAddress, buildEnvironment } from './environment.ts';
import type { UpOptions } from './options.ts';
import { publishSettings, type ReadyLine, showPids } from './ready-line.ts';

type Environment = Record<string, string>;

/** Stores, collections, demo organizations, api and worker, demo traffic: in this order. */
export async function bringUp(
  supervisor: Supervisor,
  dataDir: string,
  options: UpOptions,
): Promise<ReadyLine> {
  const { signal } = supervisor.stopping;
  const host = process.env.HOST || '127.0.0.1';
  await requireFreePort(options.port, host);
  const stores = await runStores(supervisor, dataDir, process.env, options);
  signal.throwIfAborted();
  const idp = await planIdentity(dataDir);
  const defaults = {
    NODE_ENV: 'development',
    HOST: host,
    ...ensureSecrets(dataDir),
    ...idp,
    BASE_URL: apiAddress(host, options.port),
    EXPORT_FOLDER: exportsFolder(dataDir),
  };
  const timeScale = options.timeScale === null ? {} : { TIME_SCALE: options.timeScale };
  const env = buildEnvironment(process.env, defaults, {
    ...stores,
    ...timeScale,
    PORT: String(options.port),
    WORKER_PORT: await chooseWorkerPort(process.env.WORKER_PORT),
  });
  say('Building the dashboard, where it has changed …');
  const build = { name: 'dashboard', script: 'scripts/dashboard/build.ts', args: ['--if-changed'] };
  await runStep(supervisor, { ...build, dataDir, env: buildEnvironment(process.env, {}, {}) });
  say('Preparing collections and indexes …');
  await runStep(supervisor, { name: 'release', script: 'scripts/release.ts', dataDir, env });
  const api = apiAddress(host, options.port);
  say('Starting the identity provider, the api and the worker …');
  if (idp.OIDC_ISSUER && env.OIDC_ISSUER === idp.OIDC_ISSUER) {
    await startProcess(supervisor, planIdp(dataDir, env));
  }
  await Promise.all([
    startProcess(supervisor, planService('api', 'api/main.ts', `${api}/readyz`, dataDir, env)),
    startProcess(supervisor, planService('worker', 'workers/main.ts', workerReadiness(env), dataDir, env)),
  ]);
  say('Making the demo organizations …');
  const orgs = await prepareDemo(supervisor, dataDir, env);
  const hasPlayed = !options.empty && (await playDemoTraffic(api, dataDir, signal));
  if (hasPlayed) await freezeDemoWeeks(supervisor, dataDir, env, orgs);
  signal.throwIfAborted();
  const { OPERATOR_TOKEN = '', MONGODB_URL = '', REDIS_URL = '' } = env;
  const pids = showPids(readPids(supervisor));
  publishSettings(dataDir, env);
  return { api, operator_token: OPERATOR_TOKEN, mongo_url: MONGODB_URL, redis_url: REDIS_URL, pids, orgs };
}

/** Known before the worker runs, because its readiness is asked there: 0 is a free port too. */
async function chooseWorkerPort(given = ''): Promise<string> {
  return Number(given) === 0 ? String(await findFreePort()) : given;
}

async function requireFreePort(port: number, host: string): Promise<void> {
  if (await isPortFree(port, host)) return;
  throw new SetupError(
    `Port ${port} on ${host} is taken (or not ours to use).`,
    `Stop what listens there, or choose another: scripts/up --port ${port + 1}`,
  );
}

async function prepareDemo(
  supervisor: Supervisor,
  dataDir: string,
  env: Environment,
): Promise<ShownOrganization[]> {
  const script = 'scripts/demo/prepare.ts';
  const answer = await runStep(supervisor, { name: 'demo', script, args: [dataDir], dataDir, env });
  return shownOrganizations.parse(JSON.parse(answer));
}

/** Analytics would show the weeks of the demo after the worker's next hourly run only. */
async function freezeDemoWeeks(
  supervisor: Supervisor,
  dataDir: string,
  env: Environment,
  orgs: readonly ShownOrganization[],
): Promise<void> {
  say('Counting the weeks of Analytics …');
  const script = 'scripts/governor.ts';
  for (const { org_id } of orgs) {
    const args = ['--json', 'analytics', 'freeze', org_id];
    await runStep(supervisor, { name: 'analytics', script, args, dataDir, env });
  }
}

function planService(
  name: 'api' | 'worker' | 'idp',
  script: string,
  readiness: string,
  dataDir: string,
  env: Environment,
): ProcessPlan {
  const logFile = join(makePrivateFolder(dataDir, 'logs'), `${name}.log`);
  return { name, file: NODE, args: [script], env, cwd: ROOT, logFile, isReady: () => answersOk(readiness) };
}

/** The embedded identity provider, for development only; `OIDC_ISSUER` names a real one instead. */
async function planIdentity(dataDir: string): Promise<Environment> {
  if (process.env.NODE_ENV === 'production' || process.env.OIDC_ISSUER) return {};
  return idpEnvironment(await ensureIdpState(dataDir));
}

function planIdp(dataDir: string, env: Environment): ProcessPlan {
  const plan = planService(
    'idp',
    'scripts/idp.ts',
    `${env.OIDC_ISSUER}/.well-known/openid-configuration`,
    dataDir,
    env,
  );
  return { ...plan, args: ['scripts/idp.ts', dataDir] };
}

function workerReadiness(env: Environment): string {
  return `${apiAddress(env.HOST ?? '127.0.0.1', Number(env.WORKER_PORT))}/readyz`;
}
