import type { ClientSession } from 'mongoose';
import type { Plan } from '../../platform/context/commit-plan.ts';
import type { Context } from '../../platform/context/context.ts';
import type { Write } from '../../platform/mongo/writes.ts';
import type { Member, Organization } from '../accounts/organizations/model.ts';
import type { OrganizationChange, Settings } from '../accounts/organizations/settings.ts';
import type { DimensionHook } from '../calls/sessions/dimension.ts';
import type { Session, SessionChange } from '../calls/sessions/model.ts';
import type { Draft, Say } from '../calls/signals/check-signal.ts';
import type { SignalResult } from '../calls/signals/input.ts';
import type { Signal } from '../calls/signals/model.ts';
import type { MailsHook } from '../events/webhooks/endpoints/unsubscribe.ts';
import type { BudgetHook } from '../limits/budgets/rules/hook.ts';
import type { EnforcementHook } from '../limits/enforcement/check/refused.ts';
import type { PriceHook } from '../pricing/rules/hook.ts';
import type { Declarations } from './declarations.ts';
import type { SearchHook } from './found.ts';

/**
 * A feature that a customer may do without: all that it adds to the tables, and the hooks by which it takes part in what the core
 * does. Each hook takes data and returns data. A process runs the hooks of its wings in the order of their table
 * (shared/tables/wings.ts).
 */
export interface Wing extends Declarations {
  readonly name: string;
  readonly person?: PersonHook;
  readonly organization?: OrganizationHook;
  readonly settings?: Settings;
  readonly calls?: CallsHook;
  readonly dimension?: DimensionHook;
  readonly budget?: BudgetHook;
  readonly enforcement?: EnforcementHook;
  readonly prices?: PriceHook;
  readonly search?: SearchHook;
}

export interface PersonHook extends MailsHook {
  /** The things that a person made, by their kinds, as `revoke_made_needed` names these. */
  readonly made?: Readonly<Record<string, FindMade>>;
  /** The plan in the transaction that removes the member. */
  remove?(ctx: Context, member: Member, transaction: ClientSession): Promise<RemovalPart>;
  /** Erases the person's own words. Safe to repeat. Returns how many signals it changed. */
  erase?(ctx: Context, person: Person): Promise<number>;
  /** Everything that the wing keeps about the member, without secrets. */
  export?(ctx: Context, member: Member): AsyncIterable<PersonRecord>;
}

/** Finds the things of one kind that a person made and that go on without the person, in the transaction that decides about them. */
export type FindMade = (
  ctx: Context,
  person: Person,
  transaction: ClientSession,
) => Promise<readonly MadeThing[]>;

export interface MadeThing {
  /** The thing as `revoke_made_needed` lists it. */
  readonly shown: { readonly id: string; readonly [field: string]: string | null };
  /** The plan that ends it, as when an admin ends it by itself. */
  end(): Plan | Promise<Plan>;
}

export interface RemovalPart extends Partial<Plan> {
  /** Runs once the removal is committed. */
  readonly committed?: () => void;
}

/** A person of an organization, who may have left. */
export interface Person {
  orgId: string;
  userId: string;
}

export interface PersonRecord {
  kind: string;
  data: object;
}

export interface OrganizationHook {
  /** The plan in the transaction that changes the settings. */
  change?(ctx: Context, orgId: string, change: OrganizationChange): Plan;
  /** Puts hashes in the place of the names that the wing keeps in plain text. Safe to repeat. */
  hashNames?(ctx: Context, orgId: string): Promise<void>;
}

/** The part of a wing in the recording and voiding of signals. The first four run in this order for each batch. */
export interface CallsHook {
  /** Reads the fields that the wing needs from posted signals, which are checked one by one. Pure. */
  say?(ctx: Context, orgId: string, posting: { isTelemetry: boolean }): Say;
  /** Names the drafts that the wing would keep out of the count by the organization's rules. Pure. */
  doubt?(organization: Organization, drafts: readonly Draft[]): readonly Draft[];
  /**
   * Decides which drafts the wing keeps out of the count: those that it doubts, and those that it has kept out before. None of
   * them is recorded. Null: none. A wing reads nothing where there can be none.
   */
  keepOut?(
    ctx: Context,
    organization: Organization,
    batch: { drafts: readonly Draft[]; doubted: ReadonlySet<Draft> },
    transaction: ClientSession,
  ): Promise<KeptOut | null>;
  /** The part in the recording of drafts that have found their sessions. Null: none. */
  record?(
    ctx: Context,
    rules: { organization: Organization; contexts: number },
    batch: AssignedDrafts,
    transaction: ClientSession,
  ): Promise<RecordedPart | null>;
  /** The plan for sessions that gained signals or ended, in the transaction that writes them. */
  changed?(ctx: Context, changes: readonly SessionChange[]): Plan;
  voided?(
    ctx: Context,
    gone: { session: Session; signals: readonly Signal[] },
    transaction: ClientSession,
  ): Promise<readonly Write[]>;
}

/** Drafts that a wing keeps out of the count, and the plan of their batch for them. */
export interface KeptOut extends Plan {
  readonly drafts: ReadonlySet<Draft>;
  /** By the keys of the signals. */
  readonly outcomes: ReadonlyMap<string, KeptOutcome>;
  /** Writes that change the organization's rules: the version rises with them. */
  readonly rules: readonly Write[];
  /** Runs once the batch is committed. */
  readonly committed?: () => void;
}

/** The result that a sender gets for a draft that was kept out, and the user of the signal that has its key. */
export interface KeptOutcome {
  readonly result: SignalResult;
  readonly user_id: string;
}

export interface AssignedDrafts {
  readonly signals: readonly Draft[];
  readonly sessionOf: ReadonlyMap<string, string>;
}

export interface RecordedPart extends Plan {
  readonly fields: ReadonlyMap<string, RecordedFields>;
  /** True: the batch fails where the organization's contexts have changed meanwhile. */
  readonly isRelyingOnContexts: boolean;
  /** Runs once the batch is committed. */
  readonly committed?: () => void;
}

/** Fields that a wing gives a signal. */
export type RecordedFields = Pick<Signal, 'work' | 'own'>;

/** The wings that take part in this process. */
export const wingsOf = (ctx: Context) => ctx.wings as readonly Wing[];
