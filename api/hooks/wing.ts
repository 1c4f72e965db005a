import type { z } from 'zod';
import type { Settings } from '../../shared/core/accounts/organizations/settings.ts';
import type { EventType } from '../../shared/platform/basics/contract.ts';
import type { ErrorCode } from '../../shared/platform/basics/errors.ts';
import type { AnyRoute } from '../basics/route.ts';
import type { Tool } from '../mcp/tool/tool.ts';

export interface ApiWing {
  /** The name of its row in shared/tables/wings.ts. */
  readonly name: string;
  readonly sections: readonly Section[];
  readonly settings?: Settings;
  /** Tools of the MCP endpoint. */
  readonly tools?: readonly Tool[];
  readonly events?: EventDocuments;
  /** The kinds of things that it adds to `made` of `revoke_made_needed`. */
  readonly made?: z.ZodRawShape;
  /** Members that it adds to the problems of a code. */
  readonly problems?: Readonly<Partial<Record<ErrorCode, z.ZodRawShape>>>;
}

/** Routes that are read together, and the route of the core that they follow, such as `GET /api/v1/usage`. */
export interface Section {
  readonly after: string;
  readonly routes: readonly AnyRoute[];
}

export type EventDocuments = Readonly<Partial<Record<EventType, EventDocument>>>;

/** When an event is raised, and the `data` of it. */
export interface EventDocument {
  readonly summary: string;
  readonly data: z.ZodType;
}
