import type { ComponentType } from 'react';
import type { Signal } from '../parts/session/words.ts';
import { WhyButton } from './prices/why-button.tsx';

/** Buttons of wings beside a call of a session, for admins. */
export const CALL_ACTIONS: readonly { wing: string; Content: ComponentType<{ signal: Signal }> }[] = [
  { wing: 'prices', Content: WhyButton },
];
