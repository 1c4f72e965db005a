import type { ComponentType } from 'react';
import { PricesTab } from './prices/prices-tab.tsx';
import { CodeHostsTab } from './work/code-hosts-tab.tsx';

/** The label of a tab of the settings, and its content. */
export type Tab = readonly [string, ComponentType];

/** The tabs of wings, by the name that the address has. */
export const TABS_OF_WINGS: readonly (readonly [string, Tab])[] = [
  ['code-hosts', ['Code hosts', CodeHostsTab]],
  ['prices', ['Prices', PricesTab]],
];
