/** A name of a branch or a task: the keyed hash that finds it, and the text that is shown. */
export interface Name {
  hash: string;
  text: string;
}

/** A repository, and a branch where one was checked out. */
export interface Place {
  repository: string;
  branch?: Name;
}

/** A part of the work that a call belongs to. */
export type Part = 'place' | 'task';

/** A name as an organization keeps it: as its hash where it hides names. Pure. */
export function keptName({ hash, text }: Name, hashNames: boolean): Name {
  return { hash, text: hashNames ? hash : text };
}
