import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pullRequestRows } from '../../../shared/pull-requests/model.ts';
import { payloadOf } from '../../support/code-hosts.ts';
import { makeTenant } from '../../support/factories.ts';
import { startApi, type TestApi } from '../../support/harness.ts';
import { makeFolder } from './history.ts';

const execute = promisify(execFile);
let api: TestApi;
let home: ReturnType<typeof makeFolder>;
let orgId: string;
let key: string;
beforeAll(async () => {
  api = await startApi();
  home = makeFolder();
});
beforeEach(async () => {
  ({ orgId, key } = await makeTenant(api.ctx));
});
afterAll(async () => {
  home.remove();
  await api.close();
});

/** Runs the command line of people in the environment of a job. */
async function governor(args: readonly string[], env: Record<string, string> = {}) {
  const command = ['packages/governor/src/main.ts', '--json', 'pr', ...args];
  const target = { GOVERNOR_API: api.url, GOVERNOR_API_KEY: key };
  return execute(process.execPath, command, {
    env: { PATH: process.env.PATH ?? '', HOME: home.folder, ...target, ...env },
  }).catch((error: { code: number; stdout: string; stderr: string }) => error);
}

const report = async (env: Record<string, string>, ...args: string[]) => {
  const { stdout, stderr } = await governor(['report', ...args], env);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
};
const stored = () => pullRequestRows(api.ctx).find({ org_id: orgId }).toArray();

let events = 0;

function githubJob(payload: unknown): Record<string, string> {
  events += 1;
  const path = join(home.folder, `event-${events}.json`);
  writeFileSync(path, typeof payload === 'string' ? payload : JSON.stringify(payload));
  return { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'pull_request', GITHUB_EVENT_PATH: path };
}

describe('governor pr report', () => {
  test('in a job of GitHub Actions reports what the event says, whole', async () => {
    const merged = payloadOf('github', {
      state: 'merged',
      fork: 'ada/shop',
      updatedAt: '2026-01-12T10:00:00Z',
      closedAt: '2026-01-12T09:59:59Z',
    });
    expect(await report(githubJob(merged))).toMatchObject({
      repository: 'github.com/acme/shop',
      number: 12,
      title: 'Add a cart',
      url: 'https://github.com/acme/shop/pull/12',
      head_repository: 'github.com/ada/shop',
      branch: 'cart',
      base_branch: 'main',
      state: 'merged',
      opened_at: '2026-01-10T10:00:00.000Z',
      merged_at: '2026-01-12T09:59:59.000Z',
    });
    // A job of an earlier push that ends late does not open it again.
    expect(await report(githubJob(payloadOf('github')))).toMatchObject({ state: 'merged' });
    expect(await stored()).toHaveLength(1);
  });

  test('in a pipeline of GitLab says the times of the pipeline, so the first one is the opening', async () => {
    const job = (createdAt: string) => ({
      GITLAB_CI: 'true',
      CI_MERGE_REQUEST_IID: '7',
      CI_MERGE_REQUEST_PROJECT_URL: 'https://gitlab.example/acme/shop',
      CI_MERGE_REQUEST_SOURCE_PROJECT_URL: 'https://gitlab.example/ada/shop',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'cart',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_TITLE: 'Add a cart',
      CI_PIPELINE_CREATED_AT: createdAt,
    });
    await report(job('2026-01-10T10:00:00Z'));
    expect(await report(job('2026-01-11T10:00:00Z'))).toMatchObject({
      repository: 'gitlab.example/acme/shop',
      number: 7,
      url: 'https://gitlab.example/acme/shop/-/merge_requests/7',
      head_repository: 'gitlab.example/ada/shop',
      branch: 'cart',
      state: 'open',
      opened_at: '2026-01-10T10:00:00.000Z',
    });
  });

  test('in a pipeline of Bitbucket says that it is open now', async () => {
    const job = {
      BITBUCKET_PR_ID: '3',
      BITBUCKET_BRANCH: 'cart',
      BITBUCKET_PR_DESTINATION_BRANCH: 'main',
      BITBUCKET_GIT_HTTP_ORIGIN: 'http://bitbucket.org/acme/shop',
    };
    expect(await report(job)).toMatchObject({
      repository: 'bitbucket.org/acme/shop',
      number: 3,
      url: 'https://bitbucket.org/acme/shop/pull-requests/3',
      base_branch: 'main',
      state: 'open',
    });
  });

  test('takes options, which go before what a job says', async () => {
    const options = [
      '--state',
      'merged',
      '--closed-at',
      '2026-01-11T10:00:00Z',
      '--updated-at',
      '2026-01-11T10:00:00Z',
    ];
    expect(await report(githubJob(payloadOf('github')), ...options)).toMatchObject({
      number: 12,
      state: 'merged',
      closed_at: '2026-01-11T10:00:00.000Z',
    });
    const alone = ['--repository', 'git@github.com:acme/other.git', '--number', '1', '--branch', 'x'];
    const opened = ['--state', 'open', '--opened-at', '2026-01-11T10:00:00Z'];
    expect(await report({}, ...alone, ...opened)).toMatchObject({
      repository: 'github.com/acme/other',
      number: 1,
    });
  });

  test('says what is missing, and what the api refuses, with exit code 1', async () => {
    const cases: [string[], Record<string, string>, RegExp][] = [
      [['report'], {}, /^governor: This is no job of a pull request\./],
      [['report'], githubJob({ ref: 'refs/heads/main' }), /^governor: This is no job of a pull request\./],
      [['report'], githubJob('{'), /^governor: This is no job of a pull request\./],
      [
        ['report', '--number', '1', '--state', 'open'],
        {},
        /^governor: Name --repository, --branch, --opened-at\.$/,
      ],
      [
        ['report', '--state', 'gone'],
        githubJob(payloadOf('github')),
        /^governor: POST .* answered 400 invalid_request/,
      ],
      [
        ['report'],
        { ...githubJob(payloadOf('github')), GOVERNOR_API_KEY: 'ugk_x' },
        / answered 401 unauthorized/,
      ],
      [
        ['report'],
        { ...githubJob(payloadOf('github')), GOVERNOR_API_KEY: '' },
        /^governor: Name --api and --key/,
      ],
    ];
    for (const [args, env, words] of cases) {
      const ended = await governor(args, env);
      expect([ended.stderr.trim(), 'code' in ended && ended.code]).toEqual([expect.stringMatching(words), 1]);
    }
    expect(await stored()).toEqual([]);
  });
});
