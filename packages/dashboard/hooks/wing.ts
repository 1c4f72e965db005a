import type { IconActivity } from '@tabler/icons-react';
import type { QueryClient } from '@tanstack/react-query';
import type { RouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { Role } from '../../../shared/platform/basics/contract.ts';
import type { Sentence } from '../words/sentence.ts';

/** The part of a wing in the dashboard. */
export interface DashboardWing {
  /** The name of its row in shared/tables/wings.ts. */
  readonly name: string;
  /** A function that loads each page, by the path of the page. */
  readonly pages: Readonly<Record<string, () => Promise<RouteComponent>>>;
  /** Its rows of the navigation, each with the path that it follows there. */
  readonly destinations?: readonly (Destination & { readonly after: string })[];
}

/** The actions of a wing in the audit log. */
export interface AuditedWing {
  readonly sentences: Readonly<Record<string, Sentence>>;
  /** The groups to choose from, by the beginning that their actions share. */
  readonly groups?: Readonly<Record<string, string>>;
}

/** A part of a wing in a page of the core, and its place there. */
export interface PageSection {
  readonly at:
    | 'overview'
    | 'sessions'
    | 'session'
    | 'settings'
    | 'alerts'
    | 'credits above'
    | 'credits'
    | 'budgets actions'
    | 'budget actions'
    | 'budget'
    | 'person';
  readonly Content: ComponentType;
}

/** Asks what a part of a wing on Overview will ask, into the memory where it will look. */
export type FirstQuestion = (client: QueryClient) => Promise<void>;

/** A line in the timeline of a session that is no signal. */
export interface TimelineNote {
  readonly id: string;
  readonly ts: string;
  readonly title: string;
  readonly detail: string;
}

/** A dialog by which an admin ends what a notice says. */
export interface Remedy {
  /** The kind of the notice. */
  readonly of: string;
  readonly Content: ComponentType<{ onClose: () => void }>;
}

/** The part of a wing in the palette. */
export interface PaletteWing {
  readonly actions?: readonly PaletteAction[];
  /** The kinds of things that the search finds by this wing, each with its word. */
  readonly kinds?: Readonly<Record<string, FoundKind>>;
}

/** The word for a kind of things that the search finds, and its icon. */
export type FoundKind = readonly [string, typeof IconActivity];

/** Something that a person does, as the palette offers it. */
export interface PaletteAction {
  name: string;
  /** Other words by which people look for it. */
  words: string;
  icon: typeof IconActivity;
  to: string;
  /** `open` names the dialog of the page (`useDialog`). */
  search?: Readonly<Record<string, string>>;
  role: Role;
}

/** A row of the navigation. */
export interface Destination {
  path: string;
  label: string;
  icon: typeof IconActivity;
  /** The question that the page answers, as the palette shows it. */
  question: string;
  role: Role;
  group: Group;
}

/** The parts of the navigation, in its order. */
export const GROUPS = ['Usage', 'Yours', 'Set up'] as const;
type Group = (typeof GROUPS)[number];
