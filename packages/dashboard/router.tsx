import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  type RouteComponent,
} from '@tanstack/react-router';
import { Frame } from './frame/frame.tsx';
import { Reload } from './frame/reload.tsx';
import { Overview } from './pages/overview.tsx';
import { DASHBOARD_WINGS } from './wings/index.ts';

const rootRoute = createRootRoute();

const inFrame = createRoute({
  getParentRoute: () => rootRoute,
  id: 'frame',
  component: Frame,
});

function page(path: string, load: () => Promise<RouteComponent>) {
  return createRoute({
    getParentRoute: () => inFrame,
    path,
    component: lazyRouteComponent(async () => ({ default: await load() })),
    // Remounts the page when the id changes, so that no state of the previous object survives.
    remountDeps: ({ params }) => params,
  });
}

/** The page where most people begin: it comes with the frame, one round trip sooner than the other pages. */
const overview = createRoute({
  getParentRoute: () => inFrame,
  path: '/',
  component: Overview,
});

/** The link of an invitation. Somebody who comes here has joined: all others are asked by the frame. */
const join = createRoute({
  getParentRoute: () => inFrame,
  path: '/join',
  component: () => <Navigate to="/" replace />,
});

/** A page with several paths. */
const webhook = async () => (await import('./pages/webhook.tsx')).WebhookDetail;

const pages = [
  overview,
  join,
  page('/sessions', async () => (await import('./pages/sessions.tsx')).Sessions),
  page('/sessions/$id', async () => (await import('./pages/session.tsx')).SessionDetail),
  page('/budgets', async () => (await import('./pages/budgets.tsx')).Budgets),
  page('/budgets/$id', async () => (await import('./pages/budget.tsx')).BudgetDetail),
  page('/alerts', async () => (await import('./pages/alerts.tsx')).Alerts),
  page('/alerts/$id', webhook),
  page('/webhooks', async () => (await import('./pages/webhooks.tsx')).Webhooks),
  page('/webhooks/$id', webhook),
  page('/credits', async () => (await import('./pages/credits.tsx')).Credits),
  page('/devices', async () => (await import('./pages/devices.tsx')).Devices),
  page('/activate', async () => (await import('./pages/activate.tsx')).Activate),
  page('/connect', async () => (await import('./pages/connect.tsx')).Connect),
  page('/settings', async () => (await import('./pages/settings.tsx')).Settings),
  ...DASHBOARD_WINGS.flatMap((wing) => Object.entries(wing.pages).map(([path, load]) => page(path, load))),
  // Every other path.
  page('/$', async () => (await import('./parts/page/unknown.tsx')).Unknown),
];

const signedOut = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signed-out',
  component: lazyRouteComponent(async () => ({
    default: (await import('./frame/signed-out.tsx')).SignedOut,
  })),
});

const renewed = createRoute({
  getParentRoute: () => rootRoute,
  path: '/renewed',
  component: lazyRouteComponent(async () => ({ default: (await import('./frame/renewed.tsx')).Renewed })),
});

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
