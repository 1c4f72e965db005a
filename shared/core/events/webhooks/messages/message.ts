import type { EventType } from '../../../../platform/basics/contract.ts';

export interface Envelope {
  id: string;
  type: EventType;
  org_id: string;
  /** ISO 8601. */
  ts: string;
  data: Record<string, unknown>;
}

/** How urgent an event is. */
export const URGENCIES = ['low', 'medium', 'high'] as const;

/** An event in words. Everything in it is plain text of one line each; a format escapes it for its own markup. */
export interface Message {
  title: string;
  urgency: (typeof URGENCIES)[number];
  /** The facts, at most ten. */
  facts: readonly Fact[];
  /** The words of its link to the page that shows it. */
  link: string;
}

/** A message as formats write it: its link is a web address of this service, which is no text from outside and stays a link. */
export interface LinkedMessage extends Omit<Message, 'link'> {
  link?: Fact;
  /** When it happened, in words. */
  at: string;
}

export type Fact = readonly [label: string, value: string];

/** The body of a request, and its headers beside those of every delivery. */
export interface Rendered {
  headers: Record<string, string>;
  body: string;
}
