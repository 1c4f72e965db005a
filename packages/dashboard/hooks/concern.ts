/** The most urgent first: work is stopped, somebody should act, somebody may want to know. */
export const SEVERITIES = ['stop', 'warning', 'note'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Something that the frame says above every page. Another occurrence of it is another notice. */
export interface Concern {
  /** Such as `budget`. */
  kind: string;
  object: string;
  occurrence: string;
  severity: Severity;
  /** The words of the link, what it names, and words after that. */
  link: string;
  name?: string;
  note?: string;
  /** A page of the dashboard, or of the guide. */
  to?: string;
  href?: string;
  /** A budget that one may ask for more of. */
  asks?: string;
}

/** A question of a wing whose answer an admin is told of above every page. */
export interface Watch {
  readonly queryKey: readonly unknown[];
  readonly queryFn: () => Promise<unknown>;
  readonly pollMs: number;
  readonly concernsOf: (answer: unknown) => Concern[];
}

/** The watch of a question; without an answer there is nothing to tell. */
export function watch<Answer>(row: {
  queryKey: readonly unknown[];
  queryFn: () => Promise<Answer>;
  pollMs: number;
  concernsOf: (answer: Answer) => Concern[];
}): Watch {
  const { concernsOf } = row;
  return { ...row, concernsOf: (answer) => (answer === undefined ? [] : concernsOf(answer as Answer)) };
}
