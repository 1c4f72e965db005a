import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { readShared } from './data/range.ts';
import { Frame } from './frame/frame.tsx';
import { NotFound } from './frame/not-found.tsx';
import { Renewed } from './frame/renewed.tsx';
import { SignedOut } from './frame/signed-out.tsx';
import { Overview } from './pages/overview.tsx';
import { Reload } from './parts/reload.tsx';

const rootRoute = createRootRoute({ notFoundComponent: NotFound });

/** The parameters of each page beside the shared ones; all are texts, as in the API. */
function searchOf(names: readonly string[]) {
  return (search: Record<string, unknown>) => {
    const own = names.flatMap((name) => {
      const value = search[name];
      return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
    });
    return { ...readShared(search), ...Object.fromEntries(own) };
  };
}

const inFrame = createRoute({
  getParentRoute: () => rootRoute,
  id: 'frame',
  component: Frame,
  validateSearch: searchOf([]),
});

function page(path: string, load: () => Promise<RouteComponent>, names: readonly string[] = []) {
  return createRoute({
    getParentRoute: () => inFrame,
    path,
    component: lazyRouteComponent(async () => ({ default: await load() })),
    validateSearch: searchOf(names),
    // Of another object nothing stays: neither what is shown of the first one nor what was begun for it.
    remountDeps: ({ params }) => params,
  });
}

/** Where most people begin: it comes with the frame, one round trip sooner than the other pages. */
const overview = createRoute({
  getParentRoute: () => inFrame,
  path: '/',
  component: Overview,
  validateSearch: searchOf(['split']),
});

const pages = [
  overview,
  page('/sessions', async () => (await import('./pages/sessions.tsx')).Sessions, ['order']),
  page('/sessions/$id', async () => (await import('./pages/session.tsx')).SessionDetail),
  page('/budgets', async () => (await import('./pages/budgets.tsx')).Budgets),
  page('/budgets/$id', async () => (await import('./pages/budget.tsx')).BudgetDetail),
  page('/anomalies', async () => (await import('./pages/anomalies.tsx')).Anomalies, [
    'anomaly_type',
    'session_id',
    'order',
  ]),
  page('/webhooks', async () => (await import('./pages/webhooks.tsx')).Webhooks),
  page('/webhooks/$id', async () => (await import('./pages/webhook.tsx')).WebhookDetail, ['status', 'type']),
  page('/credits', async () => (await import('./pages/credits.tsx')).Credits, [
    'bucket',
    'reason',
    'bought',
    'checkout',
  ]),
  page('/devices', async () => (await import('./pages/devices.tsx')).Devices),
  page('/activate', async () => (await import('./pages/activate.tsx')).Activate, ['user_code']),
  page('/analytics', async () => (await import('./pages/analytics.tsx')).Analytics, ['dimension']),
  page('/export', async () => (await import('./pages/export.tsx')).Export, ['format', 'level']),
  page('/connect', async () => (await import('./pages/connect.tsx')).Connect, ['tool']),
  page('/settings', async () => (await import('./pages/settings.tsx')).Settings, ['tab']),
];

const signedOut = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signed-out',
  component: SignedOut,
  validateSearch: searchOf(['problem', 'request_id']),
});

const renewed = createRoute({ getParentRoute: () => rootRoute, path: '/renewed', component: Renewed });

/** Search parameters stay the texts that they are: the router's own reading makes numbers of digits. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([inFrame.addChildren(pages), signedOut, renewed]),
  basepath: '/dashboard',
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const entries = Object.entries(search).filter(([, value]) => typeof value === 'string' && value !== '');
    const text = new URLSearchParams(entries as [string, string][]).toString();
    return text === '' ? '' : `?${text}`;
  },
  scrollRestoration: true,
  defaultErrorComponent: ({ error }) => <Reload error={error} />,
});
