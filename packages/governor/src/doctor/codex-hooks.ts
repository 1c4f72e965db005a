import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { parseObject } from '../readers/history.ts';
import { type AskingHook, isAskingCommand, type Machine, settingsObstacle } from './hook.ts';

const PATIENCE_MS = 15_000;

/** The answer of Codex's app server to `hooks/list`: each hook with the trust that Codex itself sees. */
const hooksListed = z.object({
  result: z.object({
    data: z.array(
      z.object({
        hooks: z.array(
          z.object({
            eventName: z.string(),
            command: z.string().nullish(),
            sourcePath: z.string(),
            enabled: z.boolean(),
            trustStatus: z.string(),
            matcher: z.string().nullish(),
            async: z.boolean().nullish(),
            timeoutSec: z.number().nullish(),
          }),
        ),
      }),
    ),
  }),
});

/** Asks Codex itself which hooks it has and trusts (`codex app-server`). Throws when it cannot be asked. */
export async function findCodexHooks(machine: Machine): Promise<AskingHook[]> {
  const { result } = hooksListed.parse(await askCodex(machine, 'hooks/list', { cwds: [machine.cwd] }));
  return result.data.flatMap(({ hooks }) =>
    hooks.flatMap(({ eventName, command, sourcePath, ...hook }) =>
      isAskingCommand(command)
        ? [{ event: eventName, file: sourcePath, asks: { command }, obstacle: obstacleOf(hook) }]
        : [],
    ),
  );
}

function obstacleOf(hook: {
  enabled: boolean;
  trustStatus: string;
  matcher?: string | null | undefined;
  async?: boolean | null | undefined;
  timeoutSec?: number | null | undefined;
}): string | null {
  if (!hook.enabled) return 'It is disabled: open /hooks in Codex and enable it.';
  if (!['trusted', 'managed'].includes(hook.trustStatus))
    return `Codex skips it, because it is ${hook.trustStatus}: open /hooks in Codex and trust it, again after each change.`;
  return settingsObstacle({ matcher: hook.matcher, isAsync: hook.async, timeoutS: hook.timeoutSec });
}

/** One request to `codex app-server`, which speaks JSON-RPC line by line on its standard streams. */
async function askCodex({ cwd, env }: Machine, method: string, params: object): Promise<unknown> {
  const codex = spawn('codex', ['app-server'], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const failed = new Promise<never>((_, reject) => codex.on('error', reject));
  const send = (message: object) => codex.stdin.write(`${JSON.stringify(message)}\n`);
  const timer = setTimeout(() => codex.kill(), PATIENCE_MS);
  codex.stdin.on('error', () => undefined);
  try {
    send({ id: 1, method: 'initialize', params: { clientInfo: { name: 'governor', version: '1' } } });
    return await Promise.race([failed, answerOf(codex.stdout, { method, params, send })]);
  } finally {
    clearTimeout(timer);
    codex.kill();
  }
}

interface Request {
  readonly method: string;
  readonly params: object;
  readonly send: (message: object) => void;
}

async function answerOf(output: NodeJS.ReadableStream, { method, params, send }: Request): Promise<unknown> {
  for await (const line of createInterface({ input: output })) {
    const message = parseObject(line);
    if (message?.id === 1) {
      send({ method: 'initialized' });
      send({ id: 2, method, params });
    }
    if (message?.id === 2) return message;
  }
  throw new Error(`codex app-server did not answer ${method}`);
}
