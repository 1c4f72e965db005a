import { type AnyRoute, reply, route } from '../basics/route.ts';
import { packed } from '../serve/packed.ts';
import { PAGE, POLICY, readViewer, START } from './viewer.ts';

const open = {
  method: 'get',
  tag: 'Documentation',
  auth: { kind: 'none' },
} as const;

/**
 * `/openapi.json` for machines, `/docs` for people. They stand beside the table, which they describe. The document takes a
 * quarter of a second to make, so it is made when it is first asked for.
 */
export function docsRoutes(makeDocument: () => Record<string, unknown>): AnyRoute[] {
  return [
    file('/openapi.json', 'The OpenAPI document', 'application/json', async () =>
      Buffer.from(JSON.stringify(makeDocument())),
    ),
    file('/docs', 'The API, for people', 'text/html', async () => Buffer.from(PAGE), {
      'Content-Security-Policy': POLICY,
    }),
    file('/docs/start.js', 'Starts the viewer', 'text/javascript', async () => Buffer.from(START)),
    file('/docs/viewer.js', 'The viewer', 'text/javascript', () => readViewer('viewer.js'), CACHED),
    file('/docs/viewer.css', 'The look of the viewer', 'text/css', () => readViewer('viewer.css'), CACHED),
  ];
}

const CACHED = { 'Cache-Control': 'public, max-age=3600' };

function file(
  path: string,
  summary: string,
  contentType: string,
  read: () => Promise<Buffer>,
  own: Record<string, string> = {},
): AnyRoute {
  const pack = packed(read);
  return route({
    ...open,
    path,
    summary,
    success: { status: 200, description: summary, contentType },
    handle: async ({ request }) => {
      const { bytes, headers } = await pack(request.header('accept-encoding') ?? '');
      return reply(bytes, { ...headers, ...own });
    },
  });
}
