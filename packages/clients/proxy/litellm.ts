import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../stack/files.ts';
import { findFreePort } from '../../stack/ports.ts';
import { answersOk, waitUntil } from '../../stack/wait.ts';
import { baseEnvironment } from '../trial/trial.ts';

const MASTER_KEY = 'sk-master-of-the-trial';
const READY_MS = 180_000;

/** A LiteLLM proxy with the hook, in front of the models on loopback. */
export interface LiteLlm {
  /** Posts to a path, reads the whole answer, and returns its status. */
  ask: (path: string, body: object) => Promise<number>;
  stop: () => Promise<void>;
}

/** Starts the proxy, configured as packages/litellm-governor/README.md says. Throws when it does not serve. */
export async function startLiteLlm(
  programs: string,
  home: string,
  { modelUrl, api, key }: { modelUrl: string; api: string; key: string },
): Promise<LiteLlm> {
  // LiteLLM imports whatever is two folders above the one in which it runs.
  const work = join(home, 'run/proxy');
  mkdirSync(work, { recursive: true });
  const config = join(work, 'config.yaml');
  writeFileSync(config, configOf(modelUrl));
  const port = await findFreePort();
  const log = openSync(join(work, 'log'), 'a');
  const args = ['--config', config, '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(join(programs, 'litellm'), args, {
    cwd: work,
    env: {
      ...baseEnvironment(home),
      PYTHONPATH: join(ROOT, 'packages/litellm-governor'),
      GOVERNOR_API: api,
      GOVERNOR_API_KEY: key,
      LITELLM_TELEMETRY: 'False',
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    },
    stdio: ['ignore', log, log],
  });
  const url = `http://127.0.0.1:${port}`;
  if (!(await waitUntil(() => answersOk(`${url}/health/liveliness`), { timeoutMs: READY_MS }))) {
    await end(child);
    throw new Error('the LiteLLM proxy does not serve');
  }
  return { ask: (path, body) => ask(`${url}${path}`, body), stop: () => end(child) };
}

/** JSON is YAML. The aliases are none of the models' names, as in most proxies. */
function configOf(modelUrl: string): string {
  const deployment = (model_name: string, model: string, api_base: string) => ({
    model_name,
    litellm_params: { model, api_base, api_key: 'none' },
  });
  return JSON.stringify({
    model_list: [
      deployment('fast', 'openai/gpt-4o', `${modelUrl}/v1`),
      deployment('clever', 'anthropic/claude-sonnet-4-5', modelUrl),
      deployment('vectors', 'openai/text-embedding-3-small', `${modelUrl}/v1`),
    ],
    litellm_settings: { callbacks: ['usage_governor_litellm.governor'], num_retries: 0 },
    general_settings: { master_key: MASTER_KEY },
  });
}

async function ask(url: string, body: object): Promise<number> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  await answer.text();
  return answer.status;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
