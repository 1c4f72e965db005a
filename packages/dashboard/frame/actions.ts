import {
  IconBell,
  IconGauge,
  IconKey,
  IconPlugConnected,
  IconUserPlus,
  IconWebhook,
} from '@tabler/icons-react';
import type { Role } from '../../../shared/platform/basics/contract.ts';
import type { PaletteAction } from '../hooks/wing.ts';
import { PALETTE_WINGS } from '../wings/palette.ts';

const CORE: readonly PaletteAction[] = [
  {
    name: 'Invite people',
    words: 'new add member user',
    icon: IconUserPlus,
    to: '/settings',
    search: { tab: 'members', open: 'invite' },
    role: 'admin',
  },
  {
    name: 'New budget',
    words: 'create add a limit',
    icon: IconGauge,
    to: '/budgets',
    search: { open: 'budget' },
    role: 'admin',
  },
  {
    name: 'New key',
    words: 'create add an api token',
    icon: IconKey,
    to: '/settings',
    search: { tab: 'keys', open: 'key' },
    role: 'admin',
  },
  {
    name: 'New channel',
    words: 'create add an alert slack teams discord mail',
    icon: IconBell,
    to: '/alerts',
    search: { open: 'channel' },
    role: 'admin',
  },
  {
    name: 'New webhook',
    words: 'create add an endpoint',
    icon: IconWebhook,
    to: '/webhooks',
    search: { open: 'webhook' },
    role: 'admin',
  },
  {
    name: 'Connect a tool',
    words: 'new key create an own key agent set up install',
    icon: IconPlugConnected,
    to: '/connect',
    role: 'member',
  },
];

/** The actions of a person of this role of which some word begins with each word of a text. Pure. */
export function actionsNamed(role: Role, text: string): PaletteAction[] {
  const wordsIn = (said: string) => said.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = wordsIn(text);
  if (wanted.length === 0) return [];
  return [...CORE, ...PALETTE_WINGS.flatMap(({ actions = [] }) => actions)].filter(
    (action) =>
      (action.role === 'member' || role === 'admin') &&
      wanted.every((word) =>
        wordsIn(`${action.name} ${action.words}`).some((known) => known.startsWith(word)),
      ),
  );
}
