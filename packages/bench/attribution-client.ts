import type { Agent } from 'node:http';
import { ask } from './bench.ts';

/** Client sessions of a run. */
export const SESSIONS = 50;

/** An api, and the connections to it. */
export interface Service {
  agent: Agent;
  url: string;
}

let made = 0;

/** A number that no other call of this run has. */
export function nextNumber(): number {
  made += 1;
  return made;
}

/** A call of a client session, or of none. */
export function signalAt(ts: number, session: number | null, more: Record<string, unknown> = {}): object {
  const number = nextNumber();
  const metadata = session === null ? {} : { metadata: { client_session_id: `session-${session}` } };
  return {
    id: `bench-${number}`,
    ts: new Date(ts).toISOString(),
    // A client session is of one person.
    user_id: `user-${(session ?? number) % SESSIONS}`,
    adapter: 'claude-code',
    model: 'claude-sonnet-4-5',
    tokens_in: 1_200,
    tokens_out: 300,
    ...metadata,
    ...more,
  };
}

export function contextAt(ts: number, session: number, branch: string): object {
  const client_session_id = `session-${session}`;
  return { client_session_id, ts: new Date(ts).toISOString(), repository: 'github.com/acme/shop', branch };
}

export async function post({ agent, url }: Service, key: string, path: string, body: object): Promise<void> {
  await ask(agent, `${url}/api/v1/${path}`, key, JSON.stringify(body));
}

export async function get({ agent, url }: Service, key: string, path: string): Promise<unknown> {
  return JSON.parse(await ask(agent, `${url}/api/v1/${path}`, key));
}
