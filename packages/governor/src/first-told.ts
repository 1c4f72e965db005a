import { setTimeout as wait } from 'node:timers/promises';
import { type Api, ApiRefused, ask, type Pause } from './ask.ts';

/** Where to ask. */
export interface Source extends Api {
  readonly pause?: Pause | undefined;
  /** Sessions that were found to be imported, which are not read again. */
  readonly importedSessions?: Set<string> | undefined;
}

/** The key may not read sessions. */
export class ScopeMissing extends Error {
  constructor() {
    super('The key needs the scope usage:read, to find what OpenTelemetry has told already.');
    this.name = 'ScopeMissing';
  }
}

interface Page {
  data: { id: string; started_at: string }[];
  has_more: boolean;
  cursor: string;
}

/**
 * When the first session of an adapter began that was not imported, in epoch milliseconds: from then on OpenTelemetry
 * told what history tells again under other ids. Null: there is none. Throws `ScopeMissing`, and as `ask`.
 */
export async function firstToldMs(source: Source, adapter: string, userId?: string): Promise<number | null> {
  const query = new URLSearchParams({ adapter, order: 'asc', limit: '100' });
  if (userId !== undefined) query.set('user_id', userId);
  const imported = source.importedSessions ?? new Set();
  for (;;) {
    const page = (await read(source, `/api/v1/sessions?${query.toString()}`)) as Page;
    for (const { id, started_at } of page.data) {
      if (imported.has(id)) continue;
      if (!(await isImported(source, id))) return Date.parse(started_at);
      imported.add(id);
    }
    if (!page.has_more) return null;
    query.set('cursor', page.cursor);
  }
}

async function isImported(source: Source, sessionId: string): Promise<boolean> {
  const { signals } = (await read(source, `/api/v1/sessions/${sessionId}`)) as {
    signals: { metadata?: Record<string, string> }[];
  };
  return signals.every(({ metadata }) => metadata?.source === 'import');
}

async function read(source: Source, path: string): Promise<unknown> {
  try {
    return await ask(source, path, null, source.pause ?? wait);
  } catch (error) {
    throw error instanceof ApiRefused && error.status === 403 ? new ScopeMissing() : error;
  }
}
