import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setStage } from '../bench/stage.ts';
import { AGENTS } from './agents/agents.ts';
import { tryAgent } from './agents/try-agent.ts';
import { GENERATORS } from './generators/generators.ts';
import { tryGenerator } from './generators/try-generator.ts';
import { LIBRARIES } from './libraries/libraries.ts';
import { tryLibrary } from './libraries/try-library.ts';
import { tryLiteLlm } from './proxy/try-litellm.ts';
import { type Row, Skipped, type Trial } from './trial/trial.ts';

/*
 * `npm run clients [-- NAME ...]`: clients that are generated from the OpenAPI document call a running service, and published
 * coding agents, Python libraries and the LiteLLM proxy work against a model on loopback, connected as the docs say, so that
 * what was recorded can be compared with what the model counted. Ends with 1 where something is wrong; what is skipped says
 * why.
 */

interface Named {
  /** Its name on the command line. */
  id: string;
  name: string;
  run: (trial: Trial) => Promise<Row>;
}

const CLIENTS: readonly Named[] = [
  ...GENERATORS.map((generator) => ({ ...generator, run: (trial: Trial) => tryGenerator(generator, trial) })),
  { id: 'litellm-proxy', name: 'LiteLLM proxy', run: tryLiteLlm },
  ...AGENTS.map((agent) => ({ ...agent, id: agent.tool, run: (trial: Trial) => tryAgent(agent, trial) })),
  ...LIBRARIES.map((library) => ({ ...library, run: (trial: Trial) => tryLibrary(library, trial) })),
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => CLIENTS.every(({ id }) => id !== name));
if (unknown.length > 0)
  throw new Error(`No client ${unknown.join(', ')}. There are: ${CLIENTS.map(({ id }) => id).join(' ')}`);

const folder = mkdtempSync(join(tmpdir(), 'usage-governor-clients-'));
const stage = await setStage({ RATE_LIMITS: 'off' });
try {
  const { url } = await stage.startApi();
  const rows: Row[] = [];
  for (const { id, name, run } of CLIENTS) {
    if (wanted.length > 0 && !wanted.includes(id)) continue;
    const row = await run({ stage, api: url, folder }).catch((error: unknown) => ({
      client: name,
      result: error instanceof Skipped ? `skipped: ${error.message}` : `WRONG: ${String(error)}`,
    }));
    rows.push(row);
    console.log(JSON.stringify(row));
  }
  console.table(rows);
  if (rows.some(({ result }) => result?.startsWith('WRONG'))) process.exitCode = 1;
} finally {
  await stage.stop();
  rmSync(folder, { recursive: true, force: true });
}
