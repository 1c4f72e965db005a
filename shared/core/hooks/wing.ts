import type { ClientSession } from 'mongoose';
import type { Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import type { Write } from '../../platform/mongo/writes.ts';
import type { Member } from '../accounts/organizations/model.ts';
import type { OrganizationChange } from '../accounts/organizations/view.ts';
import type { DimensionHook } from '../calls/sessions/dimension.ts';
import type { Session, SessionChange } from '../calls/sessions/model.ts';
import type { Signal } from '../calls/signals/model.ts';
import type { Declarations } from './declarations.ts';

/**
 * A feature that a customer may do without: all that it adds to the tables, and the hooks by which it takes part in what the core
 * does. Each hook takes data and returns data. A process runs the hooks of its wings in the order of their table
 * (shared/tables/wings.ts).
 */
export interface Wing extends Declarations {
  readonly name: string;
  readonly person?: PersonHook;
  readonly organization?: OrganizationHook;
  readonly calls?: CallsHook;
  readonly dimension?: DimensionHook;
}

/** The part of a wing in what is done for one member. */
export interface PersonHook {
  /** The plan in the transaction that removes the member. */
  remove?(ctx: Context, member: Member, transaction: ClientSession): Promise<RemovalPart>;
  /** The writes that end the wing's mails to a member who wants none of the organization. */
  endMails?(accountId: string): readonly Write[];
  /** Erases the person's own words. Safe to repeat. Returns how many signals it changed. */
  erase?(ctx: Context, person: Person): Promise<number>;
  /** Everything that the wing keeps about the member, without secrets. */
  export?(ctx: Context, member: Member): AsyncIterable<PersonRecord>;
}

/** The part of a wing in the removal of a member. */
export interface RemovalPart extends Plan {
  /** Runs once the removal is committed. */
  readonly committed?: () => void;
}

/** A person of an organization, who may have left. */
export interface Person {
  orgId: string;
  userId: string;
}

/** A record of the export of a member: its kind, and what is kept. */
export interface PersonRecord {
  kind: string;
  data: object;
}

/** The part of a wing in the settings of an organization. */
export interface OrganizationHook {
  /** The plan in the transaction that changes the settings. */
  change?(ctx: Context, orgId: string, change: OrganizationChange): Plan;
  /** Puts hashes in the place of the names that the wing keeps in plain text. Safe to repeat. */
  hashNames?(ctx: Context, orgId: string): Promise<void>;
}

/** The part of a wing in the recording and voiding of signals. */
export interface CallsHook {
  /** The plan for sessions that gained signals or ended, in the transaction that writes them. */
  changed?(ctx: Context, changes: readonly SessionChange[]): Plan;
  /** The writes for signals of a session that are voided, in the transaction that voids them. */
  voided?(
    ctx: Context,
    gone: { session: Session; signals: readonly Signal[] },
    transaction: ClientSession,
  ): Promise<readonly Write[]>;
}

/** The wings that take part in this process. */
export const wingsOf = (ctx: Context) => ctx.wings as readonly Wing[];
