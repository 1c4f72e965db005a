import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const SECRET_KEY = 'sk_test_of_the_tests';
export const WEBHOOK_SECRET = 'whsec_of_the_tests_0123456789';

/** A Checkout Session, as far as anybody here reads it. */
export interface CheckoutSession {
  id: string;
  object: 'checkout.session';
  url: string;
  mode: string;
  payment_status: 'paid' | 'unpaid' | 'no_payment_required';
  currency: string;
  amount_total: number;
  client_reference_id: string | null;
  metadata: Record<string, string>;
  success_url: string;
  cancel_url: string;
}

export interface TestStripe {
  url: string;
  /** Variables that make an api sell by this Stripe. */
  env: Record<string, string>;
  /** The sessions created, by id. */
  sessions: Map<string, CheckoutSession>;
  /** The form of each request for a new session, in their order. */
  requests: URLSearchParams[];
  /** Set: every request gets this status, and 0 resets the connection. */
  failing: number | null;
  /** Set: where the pay page sends its events, as an endpoint that is set up at Stripe. */
  webhookUrl: string | null;
  close(): Promise<void>;
}

/** The Checkout Session of a pay page, as it is once somebody has paid there. */
export function paidSessionAt({ sessions }: Pick<TestStripe, 'sessions'>, url: string): CheckoutSession {
  const session = sessions.get(url.split('/').at(-1) ?? '');
  if (!session) throw new Error(`No session: ${url}`);
  return { ...session, payment_status: 'paid' };
}

/** A small server that speaks Stripe's API for Checkout (docs.stripe.com/api/checkout/sessions), with a page to pay at. */
export async function startStripe(): Promise<TestStripe> {
  const byKey = new Map<string, { form: string; session: CheckoutSession }>();
  const server = createServer((req, res) => void serve(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stripe: TestStripe = {
    url,
    env: {
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_BASE: url,
    },
    sessions: new Map(),
    requests: [],
    failing: null,
    webhookUrl: null,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await text(req);
    if (stripe.failing === 0) req.socket.resetAndDestroy();
    else if (stripe.failing !== null) refuse(res, stripe.failing, 'api_error');
    else if (req.method === 'POST' && req.url === '/v1/checkout/sessions') create(req, res, body);
    else await showPage(req, res);
  }

  function create(req: IncomingMessage, res: ServerResponse, form: string): void {
    const parameters = new URLSearchParams(form);
    stripe.requests.push(parameters);
    if (req.headers.authorization !== `Bearer ${SECRET_KEY}`) {
      refuse(res, 401, 'invalid_request_error');
      return;
    }
    const key = String(req.headers['idempotency-key']);
    const known = byKey.get(key);
    if (known && known.form !== form) {
      refuse(res, 400, 'idempotency_error');
      return;
    }
    const session = known?.session ?? sessionOf(parameters, url);
    byKey.set(key, { form, session });
    stripe.sessions.set(session.id, session);
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(session));
  }

  /** As at Stripe: who pays is sent back, whenever the event arrives. */
  async function showPage(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const session = stripe.sessions.get(req.url?.split('/')[2] ?? '');
    if (!session) {
      refuse(res, 404, 'invalid_request_error');
      return;
    }
    if (req.method !== 'POST') {
      const page = `<h1>Pay</h1><form method="post"><button>Pay now</button></form><a href="${session.cancel_url}">Back</a>`;
      res.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
      return;
    }
    session.payment_status = 'paid';
    const location = session.success_url.replace('{CHECKOUT_SESSION_ID}', session.id);
    res.writeHead(303, { Location: location }).end();
    if (stripe.webhookUrl) await sendEvent(stripe.webhookUrl, eventOf(session));
  }

  return stripe;
}

function refuse(res: ServerResponse, status: number, type: string): void {
  const headers = { 'Content-Type': 'application/json', 'Request-Id': 'req_of_the_tests' };
  res.writeHead(status, headers).end(JSON.stringify({ error: { type, message: 'no' } }));
}

function sessionOf(form: URLSearchParams, url: string): CheckoutSession {
  const id = `cs_test_${randomBytes(12).toString('hex')}`;
  const metadata = [...form].flatMap(([name, value]) => {
    const [, key] = /^metadata\[(.+)\]$/.exec(name) ?? [];
    return key === undefined ? [] : [[key, value]];
  });
  return {
    id,
    object: 'checkout.session',
    url: `${url}/pay/${id}`,
    mode: form.get('mode') ?? '',
    payment_status: 'unpaid',
    currency: form.get('line_items[0][price_data][currency]') ?? '',
    amount_total: Number(form.get('line_items[0][price_data][unit_amount]')),
    client_reference_id: form.get('client_reference_id'),
    metadata: Object.fromEntries(metadata),
    success_url: form.get('success_url') ?? '',
    cancel_url: form.get('cancel_url') ?? '',
  };
}

export interface StripeEvent {
  id: string;
  object: 'event';
  type: string;
  data: { object: unknown };
}

/** An event about a session as it stands: Stripe's is a snapshot too. */
export function eventOf(session: object, type = 'checkout.session.completed'): StripeEvent {
  const id = `evt_${randomBytes(12).toString('hex')}`;
  return { id, object: 'event', type, data: { object: { ...session } } };
}

/** The header with which Stripe signs a body. */
export function stripeSignature(
  body: string,
  { atMs = Date.now(), secret = WEBHOOK_SECRET }: { atMs?: number; secret?: string } = {},
): string {
  const t = Math.floor(atMs / 1_000);
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`;
}

/** Sends an event as Stripe does, signed at this time. */
export async function sendEvent(
  url: string,
  event: StripeEvent,
  signing: Parameters<typeof stripeSignature>[1] = {},
): Promise<Response> {
  const body = JSON.stringify(event);
  return fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Stripe-Signature': stripeSignature(body, signing),
    },
    body,
  });
}
