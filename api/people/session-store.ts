import session, { type SessionData } from 'express-session';
import type { Context } from '../../shared/platform/context/context.ts';

const PREFIX = 'dashboard:session:';

type Done<Value = unknown> = (error?: unknown, value?: Value) => void;

/**
 * Sessions of people in the Redis that everything else uses. `seconds` after the last request a session is gone. While
 * Redis is away a session cannot be read, which is a 503 and not a new sign-in.
 */
export function createSessionStore(ctx: Context, seconds: number): session.Store {
  const redis = ctx.redis.producer;
  // express-session takes nothing but a subclass of its own store.
  class RedisStore extends session.Store {
    override get(id: string, done: Done<SessionData | null>): void {
      answer(redis.get(PREFIX + id).then(parse), done);
    }
    override set(id: string, content: SessionData, done?: Done): void {
      answer(redis.set(PREFIX + id, JSON.stringify(content), 'EX', seconds), done);
    }
    override destroy(id: string, done?: Done): void {
      answer(redis.del(PREFIX + id), done);
    }
    // The answer is made already: a session that could not be prolonged is prolonged by the next request.
    override touch(id: string, _content: SessionData, done?: () => void): void {
      void redis
        .expire(PREFIX + id, seconds)
        .catch(() => 0)
        .then(() => done?.());
    }
  }
  return new RedisStore();
}

function answer<Value>(work: Promise<Value>, done: Done<Value> = () => undefined): void {
  work.then((value) => done(null, value), done);
}

function parse(text: string | null): SessionData | null {
  return text === null ? null : JSON.parse(text);
}
