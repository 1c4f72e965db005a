import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { type Api, ApiRefused, ask, type Pause } from './ask.ts';

/** Where to ask. */
export interface Source extends Api {
  readonly pause?: Pause | undefined;
  /** Ended sessions that were found to be imported, which are not read again. */
  readonly importedSessions?: Set<string> | undefined;
}

/** The key may not read sessions. */
export class ScopeMissing extends Error {
  constructor() {
    super('The key needs the scope usage:read, to find what OpenTelemetry has told already.');
    this.name = 'ScopeMissing';
  }
}

const pageSchema = z.object({
  data: z.array(z.object({ id: z.string(), started_at: z.string(), state: z.string() })),
  has_more: z.boolean(),
  cursor: z.string(),
});
const sessionSchema = z.object({
  signals: z.array(z.object({ metadata: z.record(z.string(), z.string()).optional() })),
});

/**
 * When the first session of an adapter began that was not imported, in epoch milliseconds: from then on OpenTelemetry
 * reported the calls that history repeats under other ids. Null: there is none. Throws `ScopeMissing`, and as `ask`.
 */
export async function firstSeenMs(source: Source, adapter: string, userId?: string): Promise<number | null> {
  const query = new URLSearchParams({ adapter, order: 'asc', limit: '100' });
  if (userId !== undefined) query.set('user_id', userId);
  const imported = source.importedSessions ?? new Set();
  for (;;) {
    const page = await read(source, `/api/v1/sessions?${query.toString()}`, pageSchema);
    for (const { id, started_at, state } of page.data) {
      if (imported.has(id)) continue;
      if (!(await isImported(source, id))) return Date.parse(started_at);
      // Live signals may still join an open one.
      if (state === 'ended') imported.add(id);
    }
    if (!page.has_more) return null;
    query.set('cursor', page.cursor);
  }
}

async function isImported(source: Source, sessionId: string): Promise<boolean> {
  const { signals } = await read(source, `/api/v1/sessions/${sessionId}`, sessionSchema);
  return signals.every(({ metadata }) => metadata?.source === 'import');
}

async function read<Answer>(source: Source, path: string, answer: z.ZodType<Answer>): Promise<Answer> {
  try {
    return await ask(source, path, null, source.pause ?? wait, answer);
  } catch (error) {
    throw error instanceof ApiRefused && error.status === 403 ? new ScopeMissing() : error;
  }
}
