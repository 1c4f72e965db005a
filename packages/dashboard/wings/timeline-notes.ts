import type { SessionAnswer } from '../data/queries.ts';
import type { TimelineNote } from '../hooks/wing.ts';
import { refusals } from './refusals/notes.ts';

/** The lines of wings in the timeline of a session. */
const TIMELINE_NOTES: readonly ((session: SessionAnswer) => readonly TimelineNote[])[] = [refusals];

/** Every line in the timeline of a session that is no signal. */
export function useTimelineNotes(session: SessionAnswer): readonly TimelineNote[] {
  // Hooks of React, whose number and order never change.
  return TIMELINE_NOTES.flatMap((notesOf) => notesOf(session));
}
