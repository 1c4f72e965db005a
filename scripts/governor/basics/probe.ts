import type { Config } from '../../../shared/platform/basics/config.ts';
import type { Context } from '../../../shared/platform/context/context.ts';

/** The service as `status` reaches it: the stores directly, the api by its address. */
export interface Service {
  config: Config;
  /** Without a slash at the end. */
  api: string;
  opening: Promise<Context>;
}

export interface Probed {
  status: 'ok' | 'warning' | 'failing';
  detail: string;
}

export type Probe = (service: Service) => Promise<Probed>;

/** A count goes no further. */
export const COUNT_AT_MOST = 10_000;

export function ok(detail: string): Probed {
  return { status: 'ok', detail };
}

export function warning(detail: string): Probed {
  return { status: 'warning', detail };
}

export function failing(detail: string): Probed {
  return { status: 'failing', detail };
}
