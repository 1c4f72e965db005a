import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findFreePort } from '../stack/ports.ts';
import { type RunningStore, startRedis } from '../stack/stores.ts';
import { waitUntil } from '../stack/wait.ts';

const SLOTS = 16_384;

/** Masters of one cluster, each with its share of the slots and fsync on every write. */
export async function startCluster(folder: string, masters: number): Promise<RunningStore[]> {
  const nodes: RunningStore[] = [];
  const busPorts: number[] = [];
  for (let index = 0; index < masters; index += 1) {
    const [port, busPort] = [await findFreePort(), await findFreePort()];
    const extraArgs = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
    nodes.push(await startRedis({ port, dir: join(folder, `redis-${index}`), extraArgs }));
    busPorts.push(busPort);
  }
  const clients = nodes.map(({ url }) => new Redis(url));
  const share = Math.ceil(SLOTS / masters);
  for (const [index, client] of clients.entries()) {
    const last = Math.min(SLOTS, (index + 1) * share) - 1;
    await client.call('CLUSTER', 'ADDSLOTSRANGE', String(index * share), String(last));
    const { port } = new URL(nodes[index]?.url ?? '');
    await clients[0]?.call('CLUSTER', 'MEET', '127.0.0.1', port, String(busPorts[index]));
  }
  const agrees = async (client: Redis) => {
    const info = String(await client.call('CLUSTER', 'INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${masters}`);
  };
  const isWhole = async () => (await Promise.all(clients.map(agrees))).every(Boolean);
  if (!(await waitUntil(isWhole, { timeoutMs: 30_000 }))) throw new Error('The cluster does not come up');
  for (const client of clients) client.disconnect();
  return nodes;
}
