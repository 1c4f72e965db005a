import type { Request, Response } from 'express';
import type { Config } from '../shared/config.ts';
import { DomainError } from '../shared/errors.ts';

export interface Limits {
  /** Counts one request of a key or an address. Throws `too_many_requests`. */
  count(res: Response, who: { key: string } | { address: string }): void;
  /**
   * Counts one refused credential of an address. Throws `too_many_requests` once there were too many; a valid
   * credential from that address never comes here.
   */
  countBadCredential(req: Request): void;
}

/** In memory per process, so that a limit never writes to a store and holds while one is down. */
export function createLimits(config: Config): Limits {
  const perKey = createCounter(config.rateLimitPerKey, 1);
  const perAddress = createCounter(config.rateLimitPerAddress, 1);
  const badCredentials = createCounter(config.badCredentialsPerMinute, 60);
  return {
    count: (res, who) => {
      if (!config.rateLimits) return;
      const [counter, name] = 'key' in who ? [perKey, who.key] : [perAddress, who.address];
      const window = counter.count(name);
      tell(res, counter, window);
      if (window.count > counter.limit) throw tooMany(window, 'Too many requests in this second.');
    },
    countBadCredential: (req) => {
      if (!config.rateLimits) return;
      const window = badCredentials.count(req.ip ?? 'unknown');
      if (window.count > badCredentials.limit)
        throw tooMany(window, 'Too many credentials from this address were wrong.');
    },
  };
}

/** What one name did in its window, which its first request began. */
interface Window {
  count: number;
  endsAtMs: number;
}

interface Counter {
  limit: number;
  windowS: number;
  /** Counts one more. */
  count(name: string): Window;
}

function createCounter(limit: number, windowS: number): Counter {
  const windows = new Map<string, Window>();
  let sweptAtMs = 0;
  return {
    limit,
    windowS,
    count: (name) => {
      const nowMs = performance.now();
      if (nowMs - sweptAtMs > windowS * 1_000) {
        sweptAtMs = nowMs;
        for (const [other, { endsAtMs }] of windows) if (endsAtMs <= nowMs) windows.delete(other);
      }
      let window = windows.get(name);
      if (window === undefined || window.endsAtMs <= nowMs) {
        window = { count: 0, endsAtMs: nowMs + windowS * 1_000 };
        windows.set(name, window);
      }
      window.count += 1;
      return window;
    },
  };
}

function secondsLeft({ endsAtMs }: Window): number {
  return Math.ceil((endsAtMs - performance.now()) / 1_000);
}

/** The RateLimit headers of draft-ietf-httpapi-ratelimit-headers. */
function tell(res: Response, { limit, windowS }: Counter, window: Window): void {
  res.setHeader('RateLimit-Policy', `"default";q=${limit};w=${windowS}`);
  res.setHeader('RateLimit', `"default";r=${Math.max(0, limit - window.count)};t=${secondsLeft(window)}`);
}

function tooMany(window: Window, detail: string): DomainError {
  return new DomainError('too_many_requests', detail, { retry_after_s: Math.max(1, secondsLeft(window)) });
}
