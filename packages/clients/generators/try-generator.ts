import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SCOPES } from '../../../shared/platform/basics/contract.ts';
import { ROOT } from '../../stack/files.ts';
import { runProgram } from '../trial/run-program.ts';
import { connect, install, type Row, Skipped, type Trial } from '../trial/trial.ts';
import { DOCUMENT, type Generator } from './generators.ts';

/** Compiling takes minutes where Maven or Go first has to fetch what the client needs. */
const STEP_MS = 600_000;
/** Signals that are there before the story: their sums need more than 32 bits. */
const SEED = { calls: 150, tokens_in: 20_000_000, cost_usd: 900.1234 };

/** The lines that each story has to print: it posts three signals of its own, in three sessions. */
const EXPECTED = {
  posted: ['one', 'accepted'],
  batch: 2,
  sessions: [4, 4],
  session: [true, 100, 'one'],
  usage: [SEED.calls * SEED.tokens_in + 111, 135_018.5101],
  problem: [400, 'invalid_request', 'limit'],
  webhook: [201, true],
  missing: [404, 'not_found'],
};

/** Generates a client from the document, compiles it, and lets it call the service. */
export async function tryGenerator(generator: Generator, trial: Trial): Promise<Row> {
  const lacking = generator.needs.filter((program) => !isOnPath(program));
  if (lacking.length > 0) throw new Skipped(`there is no ${lacking.join(' and no ')} on PATH`);
  const folder = join(trial.folder, generator.id);
  const { key } = await connect(trial, generator.id, { scopes: SCOPES, isBound: false });
  await seed(trial.api, key);
  const env = environmentOf(generator, folder, { GOVERNOR_API: trial.api, GOVERNOR_API_KEY: key });
  layOut(generator, folder);
  for (const command of generator.install) install(command.split(' '), { cwd: folder, env });
  const run = (command: string) => runStep(command, { cwd: folder, env, timeoutMs: STEP_MS });
  const version = await run(generator.version);
  for (const step of [...generator.generate, ...generator.compile]) await run(step);
  const told: unknown = JSON.parse((await run(generator.run)).trim().split('\n').at(-1) ?? '');
  return {
    client: generator.name,
    version: /\d+\.\d+\.\d+/.exec(version.split('\tmod\t').at(-1) ?? '')?.[0] ?? '?',
    result: isDeepStrictEqual(told, EXPECTED) ? 'right' : `WRONG: it told ${JSON.stringify(told)}`,
  };
}

function isOnPath(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** Builds fetch packages, so they have this process's own way to the network. */
function environmentOf(
  { env = {} }: Generator,
  folder: string,
  service: Record<string, string>,
): Record<string, string> {
  const own = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const named = Object.entries(env).map(([name, value]) => [name, value.replace('FOLDER', folder)]);
  return { ...Object.fromEntries([...own, ...named]), ...service };
}

function layOut({ story }: Generator, folder: string): void {
  mkdirSync(dirname(join(folder, story.at)), { recursive: true });
  copyFileSync(join(ROOT, 'docs', DOCUMENT), join(folder, DOCUMENT));
  const text = readFileSync(join(import.meta.dirname, 'stories', story.file), 'utf8');
  // In the repository, the story in TypeScript is checked with the types of the tests.
  writeFileSync(join(folder, story.at), text.replace(/'[./]*\/api\/docs\/client\.d\.ts'/, "'./client.d.ts'"));
}

async function runStep(
  command: string,
  options: { cwd: string; env: Record<string, string>; timeoutMs: number },
): Promise<string> {
  const { code, output } = await runProgram(command.split(' '), options);
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${output}`);
  return output;
}

async function seed(api: string, key: string): Promise<void> {
  const { calls, tokens_in, cost_usd } = SEED;
  const call = { ts: new Date().toISOString(), user_id: 'grace', adapter: 'seed', model: 'gpt-4o-mini' };
  const counts = { tokens_in, tokens_out: 0, cost_usd };
  const signals = Array.from({ length: calls }, (_, index) => ({ ...call, ...counts, id: `seed-${index}` }));
  const answer = await fetch(`${api}/api/v1/signals`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ signals }),
  });
  if (!answer.ok) throw new Error(`The seed was answered ${answer.status}: ${await answer.text()}`);
}
