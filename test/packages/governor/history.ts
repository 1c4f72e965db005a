import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach } from 'vitest';
import { type ImportOptions, importFolder } from '../../../packages/governor/src/import-history.ts';
import { toolNamed } from '../../../packages/governor/src/readers/tools.ts';
import { type SyncOptions, sync } from '../../../packages/governor/src/sync.ts';
import { signalRows } from '../../../shared/core/calls/signals/model.ts';
import { bytesOf, type Fixture } from '../../shared/core/calls/adapters/otlp-messages.ts';
import { fixture } from '../../support/fixture.ts';
import { temporaryFolder } from '../../support/temporary.ts';

export const NOW = Date.parse('2026-11-22T12:00:00Z');

/** An api, and for each test an organization and an empty home, whose history is sent for ada. */
export async function historyFixture() {
  const own = await fixture({ clock: NOW, perTest: true });
  let home: string;
  beforeEach(() => {
    home = temporaryFolder();
  });
  const inHome = (...path: string[]) => join(home, ...path);
  const target = () => ({ api: own.api.url, apiKey: own.key, userId: 'ada' });
  const stored = () => signalRows(own.ctx).find({ org_id: own.orgId }).sort({ ts: 1, id: 1 }).toArray();
  const totals = async () => {
    const rows = await stored();
    const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + of(row), 0);
    return {
      count: rows.length,
      tokens_in: sum((row) => row.tokens_in),
      tokens_out: sum((row) => row.tokens_out),
      cost_nusd: sum((row) => row.cost_nusd ?? 0),
    };
  };
  return Object.assign(own, {
    inHome,
    write: (path: string, ...lines: readonly (Json | string)[]) => writeLines(inHome(path), lines),
    /** Imports the history of a tool, from the home or a folder in it. */
    run: (tool: string, folder = '', more: Partial<ImportOptions> = {}) =>
      importFolder(toolNamed(tool), inHome(folder), { ...target(), nowMs: NOW, ...more }),
    /** Sends what is new in these folders of a tool's history once, or in several rounds, and adds to the reports. */
    look: (reports: Json[], folders: Record<string, string[]>, more: Partial<SyncOptions> = {}) =>
      sync({
        ...target(),
        tools: Object.entries(folders).map(([tool, names]) => ({
          tool: toolNamed(tool),
          folders: names.map((name) => inHome(name)),
        })),
        cursorFile: inHome('state', 'sync.json'),
        now: () => Date.now(),
        everyMs: 1_000,
        once: true,
        onReport: (tool, report) => reports.push({ tool, ...report }),
        onAway: (message) => reports.push({ away: message }),
        ...more,
        // It may be another one in each round.
        get api() {
          return more.api ?? own.api.url;
        },
      }),
    /** Sends records as OpenTelemetry does. */
    tell: (told: Fixture) =>
      fetch(`${own.api.url}/otlp/v1/${told.kind}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${own.key}`, 'Content-Type': 'application/json' },
        body: bytesOf(told, 'json'),
      }),
    stored,
    totals,
  });
}

/** A sync of several rounds, which does these between two of them, and then ends with the error "enough". */
export function rounds(...between: (() => unknown)[]) {
  const left = [...between];
  const pause = async () => {
    const next = left.shift();
    if (!next) throw new Error('enough');
    await next();
  };
  return { once: false, now: () => Date.now() + 31_000, pause };
}

export type Json = Record<string, unknown>;

export function writeLines(path: string, lines: readonly (Json | string)[]): void {
  mkdirSync(dirname(path), { recursive: true });
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(path, `${text.join('\n')}\n`);
}

/** A line of Claude Code's transcript (2.1). */
export function claudeLine(
  ts: number,
  messageId: string,
  usage: Json = GOLDEN_USAGE,
  more: Json = {},
  message: Json = {},
): Json {
  return {
    type: 'assistant',
    timestamp: new Date(ts).toISOString(),
    sessionId: 'session-1',
    requestId: `req_0123456789_${messageId}`,
    cwd: '/nowhere/atlas',
    message: {
      id: messageId,
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: 'MARKED-CONTENT' }],
      usage,
      ...message,
    },
    ...more,
  };
}

/** The golden call of Claude Code, and the sums of one. */
export const GOLDEN_USAGE = {
  input_tokens: 12,
  cache_read_input_tokens: 8_000,
  cache_creation_input_tokens: 500,
  output_tokens: 300,
};
export const GOLDEN = { count: 1, tokens_in: 8_512, tokens_out: 300, cost_nusd: 8_811_000 };

/** A line of a Codex rollout. */
export function codexLine(ts: number, type: string, payload: Json): Json {
  return { timestamp: new Date(ts).toISOString(), type, payload };
}

export function codexStep(ts: number, step: [number, number, number], total: [number, number, number]): Json {
  const usage = ([input_tokens, cached_input_tokens, output_tokens]: [number, number, number]) => ({
    input_tokens,
    cached_input_tokens,
    output_tokens,
    reasoning_output_tokens: 0,
    total_tokens: input_tokens + output_tokens,
  });
  const info = { last_token_usage: usage(step), total_token_usage: usage(total) };
  return codexLine(ts, 'event_msg', { type: 'token_count', info });
}
