import type { EventType } from '../../platform/basics/contract.ts';

/** The envelope of an event, as a delivery carries it. */
export interface Envelope {
  id: string;
  type: EventType;
  org_id: string;
  /** ISO 8601. */
  ts: string;
  data: Record<string, unknown>;
}

/** How soon somebody should look. */
export const URGENCIES = ['low', 'medium', 'high'] as const;

/** An event in words. Everything in it is plain text of one line each; a format escapes it for its own markup. */
export interface Message {
  title: string;
  urgency: (typeof URGENCIES)[number];
  /** What there is to know, at most ten. */
  facts: readonly Fact[];
}

export type Fact = readonly [label: string, value: string];

/** What is sent to an endpoint, beside the headers that every delivery has. */
export interface Rendered {
  headers: Record<string, string>;
  body: string;
}
