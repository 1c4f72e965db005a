import {
  IconActivity,
  IconAlertTriangle,
  IconChartBar,
  IconCoins,
  IconDeviceLaptop,
  IconDownload,
  IconGauge,
  IconLayoutDashboard,
  IconPlugConnected,
  IconSettings,
  IconWebhook,
} from '@tabler/icons-react';
import type { Role } from '../../../shared/platform/basics/contract.ts';

export interface Destination {
  path: string;
  label: string;
  icon: typeof IconActivity;
  /** What the page answers, as the palette shows it. */
  question: string;
  role: Role;
}

const destinations: readonly Destination[] = [
  {
    path: '/',
    label: 'Overview',
    icon: IconLayoutDashboard,
    question: 'What does it cost, and who spends it?',
    role: 'member',
  },
  {
    path: '/sessions',
    label: 'Sessions',
    icon: IconActivity,
    question: 'What happened, call by call?',
    role: 'member',
  },
  {
    path: '/budgets',
    label: 'Budgets',
    icon: IconGauge,
    question: 'How much is left, and will it last?',
    role: 'member',
  },
  {
    path: '/anomalies',
    label: 'Anomalies',
    icon: IconAlertTriangle,
    question: 'What was unusual?',
    role: 'member',
  },
  {
    path: '/webhooks',
    label: 'Webhooks',
    icon: IconWebhook,
    question: 'Do our endpoints get what they should?',
    role: 'admin',
  },
  {
    path: '/credits',
    label: 'Credits',
    icon: IconCoins,
    question: 'How many credits have I left?',
    role: 'member',
  },
  {
    path: '/devices',
    label: 'Devices',
    icon: IconDeviceLaptop,
    question: 'Which machines spend my credits?',
    role: 'member',
  },
  {
    path: '/analytics',
    label: 'Analytics',
    icon: IconChartBar,
    question: 'How does the organization work, without naming anyone?',
    role: 'admin',
  },
  {
    path: '/export',
    label: 'Export',
    icon: IconDownload,
    question: 'Where do I get the figures as a file?',
    role: 'member',
  },
  {
    path: '/connect',
    label: 'Connect',
    icon: IconPlugConnected,
    question: 'How do I connect a tool?',
    role: 'member',
  },
  {
    path: '/settings',
    label: 'Settings',
    icon: IconSettings,
    question: 'Who belongs here, with which keys?',
    role: 'admin',
  },
];

/** The pages that a person of this role may open. */
export function destinationsOf(role: Role): readonly Destination[] {
  return destinations.filter((destination) => destination.role === 'member' || role === 'admin');
}
