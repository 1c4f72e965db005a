import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { pullRequestRows } from '../../../shared/wings/work/pull-requests/model.ts';
import { makeAgentHome } from '../../support/agent-home.ts';
import { payloadOf } from '../../support/code-hosts.ts';
import { commandLine, type Failed } from '../../support/command-line.ts';
import { fixture } from '../../support/fixture.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const fx = await fixture({ perTest: true });
const home = makeAgentHome(temporaryFolder(afterAll));
const target = () => ({ GOVERNOR_API: fx.api.url, GOVERNOR_API_KEY: fx.key });

/** Runs the command line of people in the environment of a job. */
async function governor(args: readonly string[], env: Record<string, string> = {}) {
  const line = commandLine({ HOME: home.folder, ...target(), ...env }, 'people');
  const form = args[0] === 'report' ? ['--json'] : [];
  return line.run(...form, 'pr', ...args).catch((error: Failed) => error);
}

const report = async (env: Record<string, string>, ...args: string[]) => {
  const { stdout, stderr } = await governor(['report', ...args], env);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
};
const stored = () => pullRequestRows(fx.ctx).find({ org_id: fx.orgId }).toArray();

let events = 0;

function githubJob(payload: unknown): Record<string, string> {
  events += 1;
  const path = join(home.folder, `event-${events}.json`);
  writeFileSync(path, typeof payload === 'string' ? payload : JSON.stringify(payload));
  return { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'pull_request', GITHUB_EVENT_PATH: path };
}

describe('governor pr report', () => {
  test('in a job of GitHub Actions reports what the event says, whole', async () => {
    const times = { updatedAt: '2026-01-12T10:00:00Z', closedAt: '2026-01-12T09:59:59Z' };
    const merged = payloadOf('github', { state: 'merged', fork: 'ada/shop', ...times });
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
    const job = {
      GITLAB_CI: 'true',
      CI_MERGE_REQUEST_IID: '7',
      CI_MERGE_REQUEST_PROJECT_URL: 'https://gitlab.example/acme/shop',
      CI_MERGE_REQUEST_SOURCE_PROJECT_URL: 'https://gitlab.example/ada/shop',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'cart',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_TITLE: 'Add a cart',
    };
    await report({ ...job, CI_PIPELINE_CREATED_AT: '2026-01-10T10:00:00Z' });
    expect(await report({ ...job, CI_PIPELINE_CREATED_AT: '2026-01-11T10:00:00Z' })).toMatchObject({
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
    const url = 'https://bitbucket.org/acme/shop/pull-requests/3';
    const repository = 'bitbucket.org/acme/shop';
    const open = { repository, number: 3, url, base_branch: 'main', state: 'open' };
    expect(await report(job)).toMatchObject(open);
  });

  test('takes options, which go before what a job says', async () => {
    const at = '2026-01-11T10:00:00Z';
    const merged = `--state merged --closed-at ${at} --updated-at ${at}`;
    const closed = { number: 12, state: 'merged', closed_at: '2026-01-11T10:00:00.000Z' };
    expect(await report(githubJob(payloadOf('github')), ...merged.split(' '))).toMatchObject(closed);
    const alone = '--repository git@github.com:acme/other.git --number 1 --branch x --state open';
    const opened = await report({}, ...alone.split(' '), '--opened-at', at);
    expect(opened).toMatchObject({ repository: 'github.com/acme/other', number: 1 });
  });

  test('says what is missing, and what the api refuses, with exit code 1', async () => {
    const job = githubJob(payloadOf('github'));
    const noJob = /^governor: This is no job of a pull request\./;
    const refused: [options: string, job: Record<string, string>, words: RegExp][] = [
      ['', githubJob({ ref: 'refs/heads/main' }), noJob],
      ['', githubJob('{'), noJob],
      ['--state gone', job, /^governor: POST .* answered 400 invalid_request/],
      ['', { ...job, GOVERNOR_API_KEY: 'ugk_x' }, / answered 401 unauthorized/],
      ['', { ...job, GOVERNOR_API_KEY: '' }, /^governor: Name --api and --key/],
    ];
    for (const [options, env, words] of refused) {
      const ended = await governor(['report', ...options.split(' ').filter(Boolean)], env);
      expect([ended.stderr, 'code' in ended && ended.code]).toEqual([expect.stringMatching(words), 1]);
    }
    expect(await stored()).toEqual([]);
  });
});

describe('governor pr summary', () => {
  const MODEL = 'evil|`m` <b>@ada</b> https://x.example\n| a | b |';

  /** A pull request with a call of each cost, of one user each. */
  async function spend(title: string, costs: Record<string, number | null>): Promise<void> {
    const of = { ts: Date.now() - 60_000, repository: 'github.com/acme/shop', branch: 'cart' };
    const calls = Object.entries(costs).map(([model, cost_usd], index) => {
      const call = { ...of, user_id: `person-${index}`, model };
      return cost_usd === null ? call : { ...call, cost_usd };
    });
    await fx.spend(...calls);
    await report(githubJob(payloadOf('github', { title })));
  }

  const named = ['--repository', 'github.com/acme/shop', '--number', '12'];
  const summary = async (...args: string[]) => {
    const { stdout, stderr } = await governor(['summary', ...named, ...args]);
    expect(stderr).toBe('');
    return stdout;
  };

  test('prints the cost to the cent, calls, tokens and models, and no name of a person', async () => {
    await spend('Add a cart', { 'gpt-4o-mini': 900.565, 'no-such-model': null, 'claude-sonnet-4': 334.004 });
    const markdown = [
      '**Cost of `github.com/acme/shop#12`: $1,234.57**',
      '',
      '`Add a cart` (open)',
      '',
      '3 calls, 300 tokens in, 30 tokens out. Not in the cost: 1 call without a known price.',
      '',
      '| Model | Calls | Tokens in | Tokens out | Cost |',
      '| --- | ---: | ---: | ---: | ---: |',
      '| `gpt-4o-mini` | 1 | 100 | 10 | $900.57 |',
      '| `claude-sonnet-4` | 1 | 100 | 10 | $334.00 |',
      '| `no-such-model` | 1 | 100 | 10 | $0.00 |',
      '',
    ];
    expect((await summary()).split('\n')).toEqual(markdown);
    const text = await summary('--format', 'text');
    expect(text).toMatch(/^github\.com\/acme\/shop#12 \(open\): Add a cart\nCost: \$1,234\.57\n/);
    for (const printed of [markdown.join(), text]) expect(printed).not.toContain('person');
  });

  test('shows titles and models as letters: no HTML, mention, link or break of the table', async () => {
    await spend(`\u202e${MODEL}`, { [MODEL]: 1 });
    const lines = (await summary()).split('\n');
    const shown = "`evil¦'m' <b>@ada</b> https://x.example ¦ a ¦ b ¦`";
    expect(lines[2]).toBe(`${shown} (open)`);
    expect(lines[8]).toBe(`| ${shown} | 1 | 100 | 10 | $1.00 |`);
    expect(lines).toHaveLength(10);
    expect((await summary('--format', 'text')).split('\n')).toHaveLength(5);
  });

  test('makes the comment of the job in the guide', async () => {
    await spend('Add a cart', { 'gpt-4o-mini': 2 });
    const page = readFileSync('docs/pull-requests.md', 'utf8');
    const [, source = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const steps = [...source.matchAll(/^ {6}- run: (.*)$/gm)].map(([, run = '']) => run);
    expect(steps).toHaveLength(4);
    home.writeProgram('npm', 'echo "$@" >> calls');
    home.writeProgram('gh', 'echo "$@" >> calls; cat summary.md >> calls');
    const job = {
      GOVERNOR_CLI: 'https://files.example/governor.tgz',
      PULL_REQUEST: 'https://github.com/acme/shop/pull/12',
      ...target(),
      ...githubJob(payloadOf('github')),
    };
    for (const run of steps) await home.run(home.folder, ['sh', '-ec', run], job);
    const calls = readFileSync(join(home.folder, 'calls'), 'utf8').split('\n');
    expect(calls.slice(0, 3)).toEqual([
      'install --global https://files.example/governor.tgz',
      'pr comment https://github.com/acme/shop/pull/12 --edit-last --create-if-none --body-file summary.md',
      '**Cost of `github.com/acme/shop#12`: $2.00**',
    ]);
  });
});
