import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Request, Response } from 'express';
import { DomainError } from '../../shared/platform/basics/errors.ts';
import type { Context } from '../../shared/platform/context/context.ts';
import { perContext } from '../../shared/platform/context/per-context.ts';
import { packed } from '../serve/packed.ts';

/** Where `npm run build` puts the dashboard. */
const DIST = fileURLToPath(new URL('../../packages/dashboard/dist/', import.meta.url));

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface File {
  type: string;
  plain: Buffer;
  pack: ReturnType<typeof packed>;
}

/** Every file of the build by its path, read once. A few megabytes; none is read while a request waits. */
const filesOf = perContext(() => ({ byPath: null as Map<string, File> | null }));

function readFiles(ctx: Context): Map<string, File> {
  const kept = filesOf(ctx);
  if (kept.byPath) return kept.byPath;
  if (!existsSync(join(DIST, 'index.html')))
    throw new DomainError('not_ready', 'The dashboard was not built: npm run build.');
  const paths = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
  const known = paths.filter((path) => TYPES[extname(path)] !== undefined);
  kept.byPath = new Map(known.map((path) => [path, readFile(path)]));
  return kept.byPath;
}

function readFile(path: string): File {
  const plain = readFileSync(join(DIST, path));
  return { type: TYPES[extname(path)] ?? '', plain, pack: packed(async () => plain) };
}

/** A file of the build; the hashed ones never change. Throws `not_found`, or `not_ready` while there is no build. */
export async function sendFile(ctx: Context, path: string, req: Request, res: Response): Promise<void> {
  const file = readFiles(ctx).get(path);
  if (!file)
    throw new DomainError('not_found', 'There is no such file: the dashboard was built anew. Reload it.');
  res.setHeader(
    'Cache-Control',
    path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
  );
  await sendBytes(file, req, res);
}

/** Sends a page of the guide by its name below `/guide`, or a page that says that there is none: 404. */
export async function sendGuide(ctx: Context, name: string, req: Request, res: Response): Promise<void> {
  const files = readFiles(ctx);
  const found = files.get(`guide/${name === '' ? 'index' : name}.html`);
  const file = found ?? files.get('guide/not-found.html');
  if (!file) throw new DomainError('not_ready', 'The guide was not built: npm run build.');
  if (!found) res.status(404);
  res.setHeader('Cache-Control', 'public, max-age=300');
  res.setHeader('Content-Security-Policy', policyOf(ctx, "'self'"));
  await sendBytes(file, req, res);
}

async function sendBytes(file: File, req: Request, res: Response): Promise<void> {
  const { bytes, headers } = await file.pack(req.get('accept-encoding') ?? '');
  res.setHeader('Content-Type', file.type);
  res.setHeaders(new Map(Object.entries(headers)));
  res.end(bytes);
}

/** True when the build has a file of this path; a page of the dashboard is none. */
export function isFile(ctx: Context, path: string): boolean {
  return path.startsWith('assets/') || (path !== 'index.html' && readFiles(ctx).has(path));
}

/** index.html with a nonce of its own for this request, and the policy that names it. */
export function sendPage(ctx: Context, res: Response): void {
  const page = readFiles(ctx).get('index.html');
  if (!page) throw new DomainError('not_ready', 'The dashboard was not built: npm run build.');
  const nonce = randomBytes(16).toString('base64');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Content-Security-Policy', policyOf(ctx, `'self' 'nonce-${nonce}'`));
  res.setHeader('Content-Type', page.type);
  res.end(page.plain.toString().replaceAll('__NONCE__', nonce));
}

function policyOf(ctx: Context, styles: string): string {
  const issuer = ctx.config.oidcIssuer === undefined ? '' : ` ${new URL(ctx.config.oidcIssuer).origin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    `form-action 'self'${issuer}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
