import type { ComponentType } from 'react';
import { Destinations } from './push/parts/list.tsx';

/** The sections that other wings add to the page of exports, for admins. */
export const BELOW_EXPORT: readonly { wing: string; Content: ComponentType }[] = [
  { wing: 'push', Content: Destinations },
];
