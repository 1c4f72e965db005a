import type { z } from 'zod';
import type { signalInput } from '../signals/input.ts';

/**
 * A signal in the shape that `POST /api/v1/signals` takes. Its `user_id` is what the tool claims, which may be an e-mail
 * until `nameUser` has replaced it.
 */
export type PostedSignal = z.input<typeof signalInput>;

type Intervention = NonNullable<PostedSignal['intervention']>;

/** The verdict of a gate and the action that followed, in the words of this API. */
export type Decision = Pick<Intervention, 'verdict' | 'action' | 'source'>;

/** A person's yes or no to what a tool asked. */
export function decidedByPerson(action: 'allow' | 'block' | 'modify'): Decision {
  return { verdict: 'escalate', action, source: 'user' };
}

/** The decision of a hook, a reviewer or another gate. */
export function decidedBy(source: string, isAllowed: boolean): Decision {
  return isAllowed
    ? { verdict: 'allow', action: 'allow', source }
    : { verdict: 'deny', action: 'block', source };
}

/** The decision of the configuration: only a refusal is worth a signal. */
export function decidedByConfig(isAllowed: boolean): Decision | null {
  return isAllowed ? null : decidedBy('config', false);
}
