import type { IncomingMessage, ServerResponse } from 'node:http';
import { isOperatorToken } from '../shared/core/accounts/keys/credential.ts';
import type { Context } from '../shared/platform/context/context.ts';
import { readReadiness } from '../shared/platform/context/readiness.ts';
import { WARNINGS } from '../shared/tables/warnings.ts';

/** The worker's own small listener: `/healthz`, `/readyz`, and `/metrics` for the operator. */
export async function answerProbe(ctx: Context, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.url === '/healthz') return send(res, 200, { status: 'ok' });
  if (req.url === '/readyz') {
    const readiness = await readReadiness(ctx, WARNINGS);
    return send(res, readiness.status === 'down' ? 503 : 200, readiness);
  }
  if (req.url === '/metrics' && isOperator(req, ctx.config.operatorToken)) {
    // It sets a gauge, and nobody may ask for `/readyz`.
    await readReadiness(ctx, []);
    res
      .writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4' })
      .end(await ctx.metrics.registry.metrics());
    return;
  }
  send(res, 404, { status: 'not found' });
}

function send(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function isOperator(req: IncomingMessage, token: string): boolean {
  const [, given = ''] = /^Bearer (.+)$/i.exec(req.headers.authorization ?? '') ?? [];
  return isOperatorToken(given, token);
}
