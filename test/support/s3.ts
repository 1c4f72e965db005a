import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { findFreePort } from '../../packages/stack/ports.ts';
import { until } from './harness.ts';

/** The binary of moto's server: MOTO_SERVER, or the one on the path. */
const MOTO = process.env.MOTO_SERVER ?? 'moto_server';

/** Returns true where a server that speaks S3 is installed. */
export function hasS3(): boolean {
  return spawnSync(MOTO, ['--help'], { stdio: 'ignore' }).status === 0;
}

export interface TestS3 {
  url: string;
  /** The objects of a bucket, by key, as text. */
  objects(bucket: string): Promise<Record<string, string>>;
  makeBucket(bucket: string): Promise<void>;
  /** Another request, as `/bucket/key?query`. Returns the answer's text. */
  call(method: string, path: string): Promise<string>;
  /**
   * From now on it checks signatures and rights, and the key that it returns may do all. It decodes an address
   * before it computes the signature, so it refuses a `/` in the query and a `=` in the path then.
   */
  checkSignatures(): Promise<{ accessKeyId: string; secretAccessKey: string }>;
  /** From now on it takes every key. */
  takeAll(): Promise<void>;
  stop(): Promise<void>;
}

const ANY = { accessKeyId: 'any', secretAccessKey: 'any' };

/** Starts moto, a server that speaks S3, on loopback (https://docs.getmoto.org/en/latest/docs/iam.html). */
export async function startS3(): Promise<TestS3> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(MOTO, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const isReady = async () => (await fetch(`${url}/moto-api/`)).ok;
  await until(() => isReady().catch(() => false), { what: 'moto' });
  const allowAtFirst = async (requests: string) => {
    await fetch(`${url}/moto-api/reset-auth`, { method: 'POST', body: requests });
  };
  return {
    url,
    makeBucket: async (bucket) => {
      await s3Call(ANY, 'PUT', `${url}/${bucket}`);
    },
    call: (method, path) => s3Call(ANY, method, `${url}${path}`),
    objects: async (bucket) => {
      const list = await s3Call(ANY, 'GET', `${url}/${bucket}?list-type=2`);
      const keys = [...list.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key).toSorted();
      const read = keys.map(async (key) => [key, await s3Call(ANY, 'GET', `${url}/${bucket}/${key}`)]);
      return Object.fromEntries(await Promise.all(read)) as Record<string, string>;
    },
    checkSignatures: async () => {
      await allowAtFirst('3');
      return makeUser(url);
    },
    takeAll: () => allowAtFirst('inf'),
    stop: () => stop(child),
  };
}

/** Makes a user who may do all with S3, and a key. */
async function makeUser(url: string): Promise<{ accessKeyId: string; secretAccessKey: string }> {
  const UserName = `governor-${randomUUID()}`;
  await iamCall(url, { Action: 'CreateUser', UserName });
  const Statement = [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }];
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
  await iamCall(url, { Action: 'PutUserPolicy', UserName, PolicyName: 'all', PolicyDocument });
  const made = await iamCall(url, { Action: 'CreateAccessKey', UserName });
  return {
    accessKeyId: /<AccessKeyId>([^<]+)/.exec(made)?.[1] ?? '',
    secretAccessKey: /<SecretAccessKey>([^<]+)/.exec(made)?.[1] ?? '',
  };
}

async function iamCall(url: string, form: Record<string, string>): Promise<string> {
  const Authorization =
    'AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=x';
  const body = new URLSearchParams({ ...form, Version: '2010-05-08' });
  const answer = await fetch(url, { method: 'POST', headers: { Authorization }, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`moto answered ${answer.status}: ${text}`);
  return text;
}

async function s3Call(
  credentials: { accessKeyId: string; secretAccessKey: string },
  method: string,
  url: string,
): Promise<string> {
  const signed = await new AwsV4Signer({
    method,
    url,
    ...credentials,
    service: 's3',
    region: 'us-east-1',
  }).sign();
  const answer = await fetch(signed.url, { method, headers: signed.headers });
  const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
  if (!answer.ok) throw new Error(`moto answered ${answer.status}: ${text}`);
  return text;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
