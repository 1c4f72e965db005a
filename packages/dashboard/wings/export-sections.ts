import type { ComponentType } from 'react';
import { Destinations } from './push/parts/list.tsx';

/** What other wings show to admins below the page of exports. */
export const BELOW_EXPORT: readonly { wing: string; Content: ComponentType }[] = [
  { wing: 'push', Content: Destinations },
];
