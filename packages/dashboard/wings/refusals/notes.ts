import { useQuery } from '@tanstack/react-query';
import type { SessionAnswer } from '../../data/queries.ts';
import type { TimelineNote } from '../../hooks/wing.ts';
import { type Refusal, refusalsQuery } from './queries.ts';
import { CAUSES, rowWords, WAYS } from './words.ts';

const DAY_MS = 86_400_000;

/** The refused calls of a session. */
export const refusals = (session: SessionAnswer): readonly TimelineNote[] => {
  const { user_id, started_at, last_activity_at } = session;
  const to = new Date(Date.parse(last_activity_at) + DAY_MS).toISOString();
  const { data } = useQuery(refusalsQuery({ user_id, from: started_at, to }));
  return (data?.rows ?? [])
    .filter((row) => isOf(session, row))
    .map((row) => ({
      id: row.id,
      ts: row.first_at,
      title: rowWords(row),
      detail: `${CAUSES[row.cause]}, asked by ${WAYS[row.way]}`,
    }));
};

/**
 * True of calls that named a session of the client which this one has too; without a name, of those of its tool until its last
 * activity. Pure.
 */
function isOf(session: SessionAnswer, { client_session_id: named, adapter, first_at }: Refusal): boolean {
  if (named === null) return adapter === session.adapter && first_at <= session.last_activity_at;
  return (
    session.contexts.some(({ client_session_id }) => client_session_id === named) ||
    session.signals.some(({ metadata }) => metadata?.client_session_id === named)
  );
}
