import {
  IconActivity,
  IconBell,
  IconCoins,
  IconDeviceLaptop,
  IconGauge,
  IconLayoutDashboard,
  IconPlugConnected,
  IconSettings,
  IconWebhook,
} from '@tabler/icons-react';
import type { Role } from '../../../shared/platform/basics/contract.ts';
import type { Destination } from '../hooks/wing.ts';
import { DASHBOARD_WINGS } from '../wings/index.ts';

const CORE: readonly Destination[] = [
  {
    path: '/',
    label: 'Overview',
    icon: IconLayoutDashboard,
    question: 'What does it cost, and who spends it?',
    role: 'member',
    group: 'Usage',
  },
  {
    path: '/sessions',
    label: 'Sessions',
    icon: IconActivity,
    question: 'What happened, call by call?',
    role: 'member',
    group: 'Usage',
  },
  {
    path: '/budgets',
    label: 'Budgets',
    icon: IconGauge,
    question: 'How much is left, and will it last?',
    role: 'member',
    group: 'Usage',
  },
  {
    path: '/credits',
    label: 'Credits',
    icon: IconCoins,
    question: 'How many credits have I left?',
    role: 'member',
    group: 'Yours',
  },
  {
    path: '/devices',
    label: 'Devices',
    icon: IconDeviceLaptop,
    question: 'Which machines spend my credits?',
    role: 'member',
    group: 'Yours',
  },
  {
    path: '/connect',
    label: 'Connect',
    icon: IconPlugConnected,
    question: 'How do I connect a tool?',
    role: 'member',
    group: 'Set up',
  },
  {
    path: '/alerts',
    label: 'Alerts',
    icon: IconBell,
    question: 'Who gets which alerts?',
    role: 'member',
    group: 'Set up',
  },
  {
    path: '/webhooks',
    label: 'Webhooks',
    icon: IconWebhook,
    question: 'Do our endpoints get what they should?',
    role: 'admin',
    group: 'Set up',
  },
  {
    path: '/settings',
    label: 'Settings',
    icon: IconSettings,
    question: 'Who belongs here, with which keys?',
    role: 'admin',
    group: 'Set up',
  },
];

/** Every page of the navigation: those of the core, each followed by those of wings that say so. */
const destinations: readonly Destination[] = CORE.flatMap((destination) => [
  destination,
  ...DASHBOARD_WINGS.flatMap((wing) => wing.destinations ?? []).filter(
    ({ after }) => after === destination.path,
  ),
]);

/** The page that only admins may open at this path, if it is one. */
export function adminsPageAt(pathname: string): Destination | undefined {
  return destinations.find(
    ({ path, role }) => role === 'admin' && (pathname === path || pathname.startsWith(`${path}/`)),
  );
}

/** The pages that a person of this role may open. */
export function destinationsOf(role: Role): readonly Destination[] {
  return destinations.filter((destination) => destination.role === 'member' || role === 'admin');
}
