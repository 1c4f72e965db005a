/** A name of a branch or a task: the keyed hash that finds it, and the text that is shown. */
export interface Name {
  hash: string;
  text: string;
}

export interface Place {
  repository: string;
  branch?: Name;
}

/** A part of the work that a call belongs to. */
export type Part = 'place' | 'task';

/** The fields of a call that its work gives. */
export const WORK_FIELDS = ['repository', 'branch', 'pull_request', 'task'] as const;
export type WorkField = (typeof WORK_FIELDS)[number];

/** The names of a work as they are shown: null for what it has not. */
export type NamedWork = Record<WorkField, string | null>;
/** The names of a call that belongs to no work. */
export const NO_WORK: NamedWork = { repository: null, branch: null, pull_request: null, task: null };
export type WorkNames = ReadonlyMap<string, NamedWork>;

/** A name as an organization keeps it: as its hash where it hides names. Pure. */
export function keptName({ hash, text }: Name, hashNames: boolean): Name {
  return { hash, text: hashNames ? hash : text };
}
