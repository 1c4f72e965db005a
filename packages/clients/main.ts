import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { createOrganization } from '../../shared/core/accounts/organizations/create-organization.ts';
import { settingsFor } from '../../shared/core/calls/adapters/connect-settings.ts';
import { type Signal, signalRows } from '../../shared/core/calls/signals/model.ts';
import { type Stage, setStage } from '../bench/stage.ts';
import { importFolder } from '../governor/src/import-history.ts';
import { toolNamed } from '../governor/src/readers/tools.ts';
import { sync } from '../governor/src/sync.ts';
import { CLIENTS, type Client, PROMPTS } from './clients.ts';
import { type Comparison, compare } from './compare.ts';
import { LIBRARIES, type Library, programOf } from './libraries.ts';
import { startModelServer } from './model-server.ts';
import { MARKS } from './models/ledger.ts';
import { runProgram } from './run-program.ts';

/*
 * `npm run clients [-- NAME ...]`: installs published coding agents and Python libraries, lets them work against a model on
 * loopback, connected as docs/adapters.md says, and compares what the product recorded with what the model counted.
 */

const PROJECT = 'demo';
const INSTALL_MS = 300_000;
const RUN_MS = 120_000;
/** An address without a proxy: no request that names one gets anywhere. */
const NOWHERE = 'http://127.0.0.1:9';

type Row = Record<string, string>;

const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const folder = mkdtempSync(join(tmpdir(), 'usage-governor-clients-'));
const stage = await setStage({ RATE_LIMITS: 'off' });
try {
  const { url } = await stage.startApi();
  const rows: Row[] = [];
  const add = async (name: string, trial: Promise<Row>) => {
    const row = await trial.catch((error: unknown) => ({
      client: name,
      result: `skipped: ${String(error).slice(0, 200)}`,
    }));
    rows.push(row);
    console.log(JSON.stringify(row));
  };
  for (const client of CLIENTS.filter(({ tool }) => isWanted(tool)))
    await add(client.name, tryClient(client, url));
  for (const library of LIBRARIES.filter(({ id }) => isWanted(id)))
    await add(library.name, tryLibrary(library, url));
  console.table(rows);
  if (rows.some(({ result }) => result !== 'right' && !result?.startsWith('skipped'))) process.exitCode = 1;
} finally {
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function tryClient(client: Client, api: string): Promise<Row> {
  const modules = install(client);
  const home = join(folder, client.tool);
  const work = join(home, PROJECT);
  mkdirSync(join(work, '.git'), { recursive: true });
  const model = await startModelServer();
  try {
    const { orgId, key } = await connect(stage, client.tool);
    const settings = settingsFor(client.tool, { api, key, projectId: PROJECT });
    const place = { home, work, modelUrl: model.url, modules };
    const env = { ...baseEnvironment(home), ...client.configure(place, settings) };
    const program = join(modules, client.program);
    const command = program.endsWith('.js') ? [process.execPath, program] : [program];
    const ends: string[] = [];
    for (const prompt of PROMPTS) {
      const { code } = await runProgram([...command, ...client.args(prompt)], {
        cwd: work,
        env,
        timeoutMs: RUN_MS,
      });
      ends.push(String(code));
    }
    const told = compare(await read(orgId), model.calls, {
      projectId: PROJECT,
      hidesErrors: client.tool === 'codex',
      hidesCache: false,
    });
    const imported = await importAgain(client, home, { api, key: await readingKey(orgId), orgId });
    const leak = await findLeak(orgId);
    return rowOf(client, versionOf(client, modules), { told, imported, leak, ends });
  } finally {
    model.close();
  }
}

/** A library has no history and no settings of `governor connect`: the variables of "Your own application" connect it. */
async function tryLibrary(library: Library, api: string): Promise<Row> {
  const home = join(folder, `python-${library.id}`);
  mkdirSync(home, { recursive: true });
  const python = installLibrary(library, home);
  const model = await startModelServer();
  try {
    const { orgId, key } = await connect(stage, library.id);
    const program = join(home, 'program.py');
    writeFileSync(program, programOf(library, model.url));
    const env = {
      ...baseEnvironment(home),
      OTEL_EXPORTER_OTLP_ENDPOINT: `${api}/otlp`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${key}`,
      ...library.env,
    };
    const { code, output } = await runProgram([python, program], { cwd: home, env, timeoutMs: RUN_MS });
    const { hidesCache = false } = library;
    const told = compare(await read(orgId), model.calls, {
      projectId: PROJECT,
      hidesErrors: false,
      hidesCache,
    });
    const leak = await findLeak(orgId);
    const isRight = told.isRight && leak === 'none' && code === 0;
    const { calls, tokens, cost, errors, project } = told;
    return {
      client: library.name,
      version: libraryVersion(library, python),
      calls,
      tokens,
      cost,
      errors,
      project,
      import: 'none',
      content: leak,
      result: isRight ? 'right' : `WRONG (exit code ${code}) ${output.slice(-300)}`,
    };
  } finally {
    model.close();
  }
}

/** A virtual environment with the library; its Python. */
function installLibrary({ packs }: Library, home: string): string {
  const venv = join(home, 'venv');
  execFileSync('python3', ['-m', 'venv', venv], { stdio: 'pipe', timeout: INSTALL_MS });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packs];
  execFileSync(join(venv, 'bin/python'), pip, { stdio: 'pipe', timeout: INSTALL_MS });
  return join(venv, 'bin/python');
}

function libraryVersion({ packs: [pack] }: Library, python: string): string {
  const ask = `from importlib.metadata import version; print(version(${JSON.stringify(pack)}))`;
  return execFileSync(python, ['-c', ask], { encoding: 'utf8' }).trim();
}

function rowOf(
  client: Client,
  version: string,
  found: { told: Comparison; imported: string; leak: string; ends: string[] },
): Row {
  const { calls, tokens, cost, errors, project, isRight } = found.told;
  const isFine = isRight && found.imported.startsWith('0 new') && found.leak === 'none';
  const columns = { calls, tokens, cost, errors, project, import: found.imported, content: found.leak };
  const result = isFine ? 'right' : `WRONG (exit codes ${found.ends.join(', ')})`;
  return { client: client.name, version, ...columns, result };
}

function install({ tool, pack }: Client): string {
  const prefix = join(folder, `npm-${tool}`);
  mkdirSync(prefix, { recursive: true });
  const args = ['install', '--prefix', prefix, '--no-audit', '--no-fund', '--ignore-scripts', pack];
  execFileSync('npm', args, { stdio: 'pipe', timeout: INSTALL_MS });
  return join(prefix, 'node_modules');
}

function versionOf({ pack }: Client, modules: string): string {
  const file = join(modules, pack, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : '?';
}

function baseEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TERM: 'dumb',
    HTTP_PROXY: NOWHERE,
    HTTPS_PROXY: NOWHERE,
    NO_PROXY: '127.0.0.1,localhost',
  };
}

/** The key is bound to a user and a project, as `governor connect --user-id --project-id` makes it. */
async function connect({ ctx }: Stage, name: string): Promise<{ orgId: string; key: string }> {
  const { _id: orgId } = await createOrganization(ctx, { name, plan: 'enterprise' });
  const bound = { user_id: 'ada', project_id: PROJECT };
  const { key } = await createApiKey(ctx, { org_id: orgId, scopes: ['signals:write'], ...bound });
  return { orgId, key };
}

async function readingKey(orgId: string): Promise<string> {
  const scopes = ['signals:write', 'usage:read'] as const;
  return (await createApiKey(stage.ctx, { org_id: orgId, scopes: [...scopes], user_id: 'ada' })).key;
}

function read(orgId: string): Promise<Signal[]> {
  return signalRows(stage.ctx).find({ org_id: orgId }).toArray();
}

/** Imports the client's history over its telemetry, and syncs it: nothing may be counted again by either. */
async function importAgain(
  { history, hasSameIds }: Client,
  home: string,
  { api, key, orgId }: { api: string; key: string; orgId: string },
): Promise<string> {
  const before = (await read(orgId)).length;
  const tool = toolNamed(history.tool);
  const source = join(home, history.folder);
  const now = () => stage.ctx.clock.now();
  const report = await importFolder(tool, source, { api, apiKey: key, nowMs: now() });
  await sync({
    api,
    apiKey: key,
    tools: [{ tool, folders: [source] }],
    cursorFile: join(home, 'sync.json'),
    now,
    everyMs: 1_000,
    once: true,
    onReport: () => undefined,
    onAway: () => undefined,
  });
  const added = (await read(orgId)).length - before;
  const untold = report.left_out['since OpenTelemetry tells it'] ?? 0;
  return `${added} new, ${hasSameIds ? `${report.duplicates} known` : `${untold} left out`}`;
}

/** The collection in which content was found. */
async function findLeak(orgId: string): Promise<string> {
  for (const { name } of await stage.ctx.db.connection.listCollections()) {
    const rows = await stage.ctx.db.connection.collection(name).find({}).toArray();
    const text = JSON.stringify(rows.filter((row) => JSON.stringify(row).includes(orgId)));
    if (Object.values(MARKS).some((mark) => text.includes(mark))) return `FOUND in ${name}`;
  }
  return 'none';
}
