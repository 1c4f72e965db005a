import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../stack/files.ts';
import { findFreePort } from '../../stack/ports.ts';
import { answersOk, waitUntil } from '../../stack/wait.ts';
import { MOST_OUT, PRICE, PROMPT } from './model.ts';

const MASTER_KEY = 'sk-master-of-the-bench';
const READY_MS = 180_000;

/** A gateway in front of the model. */
export interface Gateway {
  /** One call; the status of its answer, 0 for none. */
  ask(): Promise<number>;
  /** SIGKILL; resolves when it serves again. */
  killAndStart(): Promise<void>;
  stop(): Promise<void>;
}

interface Program {
  file: string;
  args: readonly string[];
  env: Record<string, string>;
  /** A path that answers 2xx once it serves. */
  ready: string;
  folder: string;
}

/** A gateway as the hook of LiteLLM is told the service. */
export interface Governed {
  api: string;
  key: string;
  ttlS: number;
}

/** Starts the gateway of this benchmark, which asks `/gate`. */
export async function startOwnGateway(folder: string, model: string, governed: Governed): Promise<Gateway> {
  const port = await findFreePort();
  const env = { ...governorEnv(governed), MODEL: model, PORT: String(port) };
  const args = [join(import.meta.dirname, 'gateway.ts')];
  return startGateway({ file: process.execPath, args, env, ready: '/', folder }, port);
}

/** Starts LiteLLM, with the hook where it is `governed`, else with its own budget of a provider in a Redis. */
export async function startLiteLlm(
  bin: string,
  folder: string,
  model: string,
  by: Governed | { redisUrl: string },
): Promise<Gateway> {
  mkdirSync(folder, { recursive: true });
  const port = await findFreePort();
  const config = join(folder, 'config.yaml');
  writeFileSync(config, configOf(model, by));
  const args = ['--config', config, '--host', '127.0.0.1', '--port', String(port)];
  const own = {
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    LITELLM_TELEMETRY: 'False',
    NO_PROXY: '127.0.0.1',
    PYTHONPATH: join(ROOT, 'packages/litellm-governor'),
  };
  const env = 'api' in by ? { ...own, ...governorEnv(by) } : own;
  return startGateway({ file: bin, args, env, ready: '/health/liveliness', folder }, port);
}

function governorEnv({ api, key, ttlS }: Governed): Record<string, string> {
  return { GOVERNOR_API: api, GOVERNOR_API_KEY: key, GOVERNOR_TTL_S: String(ttlS) };
}

/** JSON is YAML. */
function configOf(model: string, by: Governed | { redisUrl: string }): string {
  const litellm_params = {
    model: 'openai/m',
    api_base: `${model}/v1`,
    api_key: 'sk-model',
    input_cost_per_token: PRICE.in,
    output_cost_per_token: PRICE.out,
  };
  const shared = {
    model_list: [{ model_name: 'priced', litellm_params }],
    general_settings: { master_key: MASTER_KEY },
  };
  if ('api' in by) {
    const litellm_settings = { callbacks: ['usage_governor_litellm.governor'], num_retries: 0 };
    return JSON.stringify({ ...shared, litellm_settings });
  }
  const { hostname, port } = new URL(by.redisUrl);
  const provider_budget_config = { openai: { budget_limit: 1, time_period: '1d' } };
  const router_settings = { provider_budget_config, redis_host: hostname, redis_port: Number(port) };
  return JSON.stringify({ ...shared, litellm_settings: { num_retries: 0 }, router_settings });
}

async function startGateway(program: Program, port: number): Promise<Gateway> {
  const url = `http://127.0.0.1:${port}`;
  let child = await start();
  return {
    ask: () => ask(url),
    killAndStart: async () => {
      await end(child, 'SIGKILL');
      child = await start();
    },
    stop: () => end(child, 'SIGTERM'),
  };

  async function start(): Promise<ChildProcess> {
    mkdirSync(program.folder, { recursive: true });
    const log = openSync(join(program.folder, 'gateway.log'), 'a');
    const started = spawn(program.file, [...program.args], {
      cwd: program.folder,
      env: { ...process.env, ...program.env },
      stdio: ['ignore', log, log],
    });
    const isReady = () => answersOk(`${url}${program.ready}`);
    if (await waitUntil(isReady, { timeoutMs: READY_MS })) return started;
    started.kill('SIGKILL');
    throw new Error(`${program.file} does not serve; its words are in ${program.folder}/gateway.log`);
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

async function ask(url: string): Promise<number> {
  const messages = [{ role: 'user', content: PROMPT }];
  try {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'priced', messages, max_tokens: MOST_OUT }),
      signal: AbortSignal.timeout(30_000),
    });
    await answer.text();
    return answer.status;
  } catch {
    return 0;
  }
}
