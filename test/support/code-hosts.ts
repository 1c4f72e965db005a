import { createHmac } from 'node:crypto';
import type { Context } from '../../shared/platform/context/context.ts';
import { addCodeHost } from '../../shared/wings/work/code-hosts/manage-code-hosts.ts';
import type { CodeHostProvider } from '../../shared/wings/work/code-hosts/model.ts';
import type { Answer, TestApi } from './harness.ts';

/** A pull request as a code host knows it. */
export interface HostedPullRequest {
  number: number;
  title: string;
  state: 'open' | 'closed' | 'merged';
  branch: string;
  base: string;
  /** Owner and name, such as `acme/shop`. */
  repository: string;
  /** Null: the fork was deleted. */
  fork: string | null;
  openedAt: string;
  updatedAt: string;
  /** When it ended, which GitHub says in each event. */
  closedAt: string | null;
}

export const PULL_REQUEST: HostedPullRequest = {
  number: 12,
  title: 'Add a cart',
  state: 'open',
  branch: 'cart',
  base: 'main',
  repository: 'acme/shop',
  fork: 'acme/shop',
  openedAt: '2026-01-10T10:00:00Z',
  updatedAt: '2026-01-10T10:00:00Z',
  closedAt: null,
};

// biome-ignore lint/suspicious/noExplicitAny: a payload is changed at every depth.
export type Payload = Record<string, any>;

/** `pull_request`, as https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request shows it. */
function githubPayload(pr: HostedPullRequest): Payload {
  const user = { login: 'ada-lovelace', id: 21_031_067, type: 'User', site_admin: false };
  const repo = (name: string) => ({
    id: 186_853_002,
    name: name.split('/')[1],
    full_name: name,
    private: false,
    owner: user,
    html_url: `https://github.com/${name}`,
    url: `https://api.github.com/repos/${name}`,
    ssh_url: `git@github.com:${name}.git`,
    clone_url: `https://github.com/${name}.git`,
    default_branch: 'main',
  });
  return {
    action: pr.state === 'open' ? 'synchronize' : 'closed',
    number: pr.number,
    pull_request: {
      url: `https://api.github.com/repos/${pr.repository}/pulls/${pr.number}`,
      id: 279_147_437,
      html_url: `https://github.com/${pr.repository}/pull/${pr.number}`,
      number: pr.number,
      state: pr.state === 'open' ? 'open' : 'closed',
      locked: false,
      title: pr.title,
      user,
      body: 'This is a pretty simple change.',
      created_at: pr.openedAt,
      updated_at: pr.updatedAt,
      closed_at: pr.closedAt,
      merged_at: pr.state === 'merged' ? pr.closedAt : null,
      merge_commit_sha: 'c4295bd74fb0f4fda03689c3df3f2803b658fd85',
      draft: false,
      head: {
        label: `acme:${pr.branch}`,
        ref: pr.branch,
        sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
        user: pr.fork === null ? null : user,
        repo: pr.fork === null ? null : repo(pr.fork),
      },
      base: {
        label: `acme:${pr.base}`,
        ref: pr.base,
        sha: 'f95f852bd8fca8fcc58a9a2d6c842781e32a215e',
        user,
        repo: repo(pr.repository),
      },
      merged: pr.state === 'merged',
      commits: 1,
    },
    repository: repo(pr.repository),
    sender: user,
  };
}

/** As `2026-01-10 10:00:00 UTC`. */
const railsTime = (iso: string) => iso.replace('T', ' ').replace('Z', ' UTC');

/** https://docs.gitlab.com/user/project/integrations/webhook_events/#merge-request-events */
function gitlabPayload(pr: HostedPullRequest): Payload {
  const project = (name: string) => ({
    id: 1,
    name: name.split('/')[1],
    web_url: `https://gitlab.example/${name}`,
    git_ssh_url: `git@gitlab.example:${name}.git`,
    git_http_url: `https://gitlab.example/${name}.git`,
    namespace: name.split('/')[0],
    visibility_level: 20,
    path_with_namespace: name,
    default_branch: 'main',
  });
  return {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: { id: 1, name: 'Ada', username: 'ada', email: '[REDACTED]' },
    project: project(pr.repository),
    repository: { name: 'shop', url: `git@gitlab.example:${pr.repository}.git` },
    object_attributes: {
      id: 99,
      iid: pr.number,
      target_branch: pr.base,
      source_branch: pr.branch,
      source_project_id: pr.fork === null ? null : 14,
      target_project_id: 14,
      author_id: 51,
      title: pr.title,
      created_at: railsTime(pr.openedAt),
      updated_at: railsTime(pr.updatedAt),
      state: pr.state === 'open' ? 'opened' : pr.state,
      draft: false,
      url: `https://gitlab.example/${pr.repository}/-/merge_requests/${pr.number}`,
      source: pr.fork === null ? null : project(pr.fork),
      target: project(pr.repository),
      last_commit: { id: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7', message: 'fixed readme' },
      action: pr.state === 'open' ? 'update' : pr.state === 'closed' ? 'close' : 'merge',
    },
    labels: [],
    changes: {},
  };
}

/** https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/#Pull-request-events */
function bitbucketPayload(pr: HostedPullRequest): Payload {
  const repository = (name: string) => ({
    type: 'repository',
    full_name: name,
    name: name.split('/')[1],
    uuid: '{673a6070-3421-46c9-9d48-90745f7bfe8e}',
    links: {
      self: { href: `https://api.bitbucket.org/2.0/repositories/${name}` },
      html: { href: `https://bitbucket.org/${name}` },
      avatar: { href: 'https://bytebucket.org/ravatar/default' },
    },
    is_private: true,
  });
  return {
    repository: repository(pr.repository),
    actor: { display_name: 'Ada', type: 'user', uuid: '{a54f16da-24e9-4d7f-a3a7-b1ba2cd98aa3}' },
    pullrequest: {
      id: pr.number,
      title: pr.title,
      description: 'Description of pull request',
      type: 'pullrequest',
      state: { open: 'OPEN', closed: 'DECLINED', merged: 'MERGED' }[pr.state],
      draft: false,
      close_source_branch: true,
      created_on: pr.openedAt.replace('Z', '.000000+00:00'),
      updated_on: pr.updatedAt.replace('Z', '.123456+00:00'),
      source: {
        branch: { name: pr.branch },
        commit: { hash: 'd3022fc0ca3d', type: 'commit' },
        repository: pr.fork === null ? null : repository(pr.fork),
      },
      destination: {
        branch: { name: pr.base },
        commit: { hash: 'ce5965ddd289', type: 'commit' },
        repository: repository(pr.repository),
      },
      links: {
        self: {
          href: `https://api.bitbucket.org/2.0/repositories/${pr.repository}/pullrequests/${pr.number}`,
        },
        html: { href: `https://bitbucket.org/${pr.repository}/pull-requests/${pr.number}` },
      },
    },
  };
}

const PAYLOADS = { github: githubPayload, gitlab: gitlabPayload, bitbucket: bitbucketPayload };

/** The body of an event about a pull request, as this code host writes it. */
export function payloadOf(provider: CodeHostProvider, changes: Partial<HostedPullRequest> = {}): Payload {
  return PAYLOADS[provider]({ ...PULL_REQUEST, ...changes });
}

const hex = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex');

/** The headers by which a code host proves a body. */
export function proofOf(provider: CodeHostProvider, secret: string, body: string): Record<string, string> {
  if (provider === 'github')
    return { 'X-GitHub-Event': 'pull_request', 'X-Hub-Signature-256': `sha256=${hex(secret, body)}` };
  if (provider === 'bitbucket')
    return { 'X-Event-Key': 'pullrequest:updated', 'X-Hub-Signature': `sha256=${hex(secret, body)}` };
  return { 'X-Gitlab-Event': 'Merge Request Hook', 'X-Gitlab-Token': secret };
}

/** The headers of GitLab with a signing token. */
export function gitlabSignature(secret: string, body: string, atMs: number): Record<string, string> {
  const id = 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f';
  const timestamp = String(Math.floor(atMs / 1_000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${digest}` };
}

/** A code host of an organization that sends signed events to an api. */
export interface TestCodeHost {
  id: string;
  secret: string;
  send(payload: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export async function startCodeHost(
  api: Pick<TestApi, 'call'> & { ctx: Context },
  orgId: string,
  provider: CodeHostProvider,
): Promise<TestCodeHost> {
  const { host, secret } = await addCodeHost(api.ctx, orgId, { provider });
  return {
    id: host._id,
    secret,
    send: (payload, headers) => {
      const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
      return api.call(`/integrations/code-hosts/${host._id}`, {
        body,
        headers: { ...proofOf(provider, secret, body), ...headers },
      });
    },
  };
}
