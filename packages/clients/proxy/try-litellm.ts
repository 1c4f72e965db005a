import { dirname, join } from 'node:path';
import type { Signal } from '../../../shared/core/calls/signals/model.ts';
import { NO_PROJECT, SCOPES } from '../../../shared/platform/basics/contract.ts';
import { waitUntil } from '../../stack/wait.ts';
import { FAIL, MARKS, type ModelCall } from '../models/ledger.ts';
import { startModelServer } from '../models/model-server.ts';
import { compare } from '../trial/compare.ts';
import {
  connect,
  findLeak,
  installPython,
  pythonVersion,
  type Row,
  readSignals,
  type Trial,
} from '../trial/trial.ts';
import { type LiteLlm, startLiteLlm } from './litellm.ts';

const REPORTED_MS = 30_000;
const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
const RESPONSES = '/v1/responses';
const EMBEDDINGS = '/v1/embeddings';

/** A request to the proxy, and the status that it must have. */
type Request = readonly [path: string, body: object, status: number];

function chat(text: string): object {
  return { messages: [{ role: 'user', content: `${text} ${MARKS.prompt}` }], max_tokens: 100 };
}

/** Every route, streamed and not, by the protocol of its provider and by another one's; and calls that fail. */
const REQUESTS: readonly Request[] = [
  [CHAT, { model: 'fast', ...chat('once') }, 200],
  [CHAT, { model: 'fast', ...chat('stream'), stream: true }, 200],
  [CHAT, { model: 'clever', ...chat('once') }, 200],
  [CHAT, { model: 'clever', ...chat('stream'), stream: true }, 200],
  [CHAT, { model: 'fast', ...chat(FAIL) }, 400],
  [MESSAGES, { model: 'clever', ...chat('once') }, 200],
  [MESSAGES, { model: 'clever', ...chat('stream'), stream: true }, 200],
  [MESSAGES, { model: 'fast', ...chat('once') }, 200],
  [MESSAGES, { model: 'clever', ...chat(FAIL) }, 400],
  [RESPONSES, { model: 'fast', input: `once ${MARKS.prompt}`, max_output_tokens: 100 }, 200],
  [RESPONSES, { model: 'fast', input: `stream ${MARKS.prompt}`, stream: true }, 200],
  [RESPONSES, { model: 'clever', input: `once ${MARKS.prompt}` }, 200],
  [RESPONSES, { model: 'fast', input: `${FAIL} ${MARKS.prompt}` }, 400],
  [EMBEDDINGS, { model: 'vectors', input: `once ${MARKS.prompt}` }, 200],
  [EMBEDDINGS, { model: 'vectors', input: `${FAIL} ${MARKS.prompt}` }, 400],
  [CHAT, { model: 'no-such-model', ...chat('once') }, 400],
];

/** Refused by a budget of the one model, which the proxy knows by an alias; the last one is of another model. */
const OVER_BUDGET: readonly Request[] = [
  [CHAT, { model: 'fast', ...chat('refused') }, 403],
  [CHAT, { model: 'fast', ...chat('refused'), stream: true }, 403],
  [MESSAGES, { model: 'fast', ...chat('refused') }, 403],
  [RESPONSES, { model: 'fast', input: MARKS.prompt }, 403],
  [EMBEDDINGS, { model: 'vectors', input: MARKS.prompt }, 200],
];

/**
 * Every call through the proxy ends as one signal; reservations are settled; a hard budget refuses before any model is called.
 * `LITELLM` names a program that is installed already.
 */
export async function tryLiteLlm(trial: Trial): Promise<Row> {
  const home = join(trial.folder, 'litellm-proxy');
  const installed = process.env.LITELLM;
  const programs = installed ? dirname(installed) : installPython(['litellm[proxy]'], home);
  const { orgId, key } = await connect(trial, 'litellm-proxy', { scopes: SCOPES, isBound: false });
  const model = await startModelServer();
  const proxy = await startLiteLlm(programs, home, { modelUrl: model.url, api: trial.api, key });
  try {
    const served = model.calls;
    await budget(trial.api, key, { name: 'Everything', threshold: 100 });
    const wrong = await play(proxy, REQUESTS);
    await budget(trial.api, key, {
      name: 'One model',
      threshold: 0.01,
      filter: { models: ['gpt-4o'], providers: ['openai'], adapters: ['litellm'] },
    });
    wrong.push(...(await play(proxy, OVER_BUDGET)));
    const isReported = async () => {
      // Reports keep their order, and the last call is no refused one.
      const last = (await readSignals(trial, orgId)).filter(({ model }) => model === served.at(-1)?.model);
      return last.some(({ tokens_in }) => tokens_in === served.at(-1)?.tokensIn);
    };
    await waitUntil(isReported, { timeoutMs: REPORTED_MS });
    const signals = await readSignals(trial, orgId);
    const { isRight, ...told } = compare(signals, served, {
      hidesErrors: false,
      hidesCache: false,
      projectId: NO_PROJECT,
    });
    wrong.push(...faultsOf(signals, served), ...(await heldBy(trial.api, key)));
    const content = await findLeak(trial, orgId);
    const isFine = isRight && wrong.length === 0 && content === 'none';
    const version = pythonVersion('litellm', programs);
    const result = isFine ? 'right' : `WRONG: ${wrong.join(', ')}`;
    return { client: 'LiteLLM proxy', version, ...told, content, result };
  } finally {
    await proxy.stop();
    model.close();
  }
}

async function play(proxy: LiteLlm, requests: readonly Request[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const [path, body, status] of requests) {
    const answered = await proxy.ask(path, body);
    if (answered !== status) wrong.push(`${path} answered ${answered} to ${JSON.stringify(body)}`);
  }
  return wrong;
}

/** One signal for each call of a model, failed ones too, with the provider and a latency. */
function faultsOf(signals: readonly Signal[], served: readonly ModelCall[]): string[] {
  const named = (model: string | null) => (model?.startsWith('claude') ? 'anthropic' : 'openai');
  const failed = listed(served.filter(({ isFailed }) => isFailed));
  const told = listed(signals.filter(({ error }) => error !== undefined));
  return [
    ...(signals.length === served.length ? [] : [`${signals.length} signals of ${served.length} calls`]),
    ...(failed === told ? [] : [`failed: ${told} of ${failed}`]),
    ...signals
      .filter(
        ({ provider, model, latency_ms }) => provider !== named(model) || !(latency_ms && latency_ms > 0),
      )
      .map(({ provider, model, latency_ms }) => `${model} of ${provider} took ${latency_ms} ms`),
  ];
}

function listed(calls: readonly { model?: string | null }[]): string {
  return calls
    .map(({ model }) => String(model))
    .sort((a, b) => (a < b ? -1 : 1))
    .join();
}

async function budget(api: string, key: string, own: object): Promise<void> {
  const body = { scope: 'org', metric: 'cost_usd', window: 'monthly', enforce: 'hard', ...own };
  const answer = await fetch(`${api}/api/v1/budgets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201)
    throw new Error(`a budget was answered ${answer.status}: ${await answer.text()}`);
}

/** The budgets that still hold something of a reservation, once every call is reported. */
async function heldBy(api: string, key: string): Promise<string[]> {
  const read = async () => {
    const answer = await fetch(`${api}/api/v1/budgets`, { headers: { Authorization: `Bearer ${key}` } });
    const { data } = (await answer.json()) as { data: { name: string; reserved: number }[] };
    return data.filter(({ reserved }) => reserved !== 0);
  };
  await waitUntil(async () => (await read()).length === 0, { timeoutMs: REPORTED_MS });
  return (await read()).map(({ name, reserved }) => `${name} holds ${reserved}`);
}
