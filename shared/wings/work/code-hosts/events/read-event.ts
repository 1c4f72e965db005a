import { faultOfTimes, type PullRequestReport } from '../../pull-requests/report.ts';
import type { CodeHostProvider } from '../model.ts';
import { readBitbucketEvent } from './bitbucket.ts';
import { readGithubEvent } from './github.ts';
import { readGitlabEvent } from './gitlab.ts';
import type { ReadHeader } from './prove.ts';

const BITBUCKET_EVENTS = new Set(
  ['created', 'updated', 'fulfilled', 'rejected'].map((event) => `pullrequest:${event}`),
);

/**
 * Reads what an event of a code host reports of a pull request; null for any other event, and for one that makes no sense. The
 * header that names an event is not signed: another event that carries a whole pull request reports it as well.
 */
export function readEvent(
  provider: CodeHostProvider,
  header: ReadHeader,
  body: unknown,
  nowMs: number,
): PullRequestReport | null {
  const report = READERS[provider](header, body);
  return report && faultOfTimes(report, nowMs) === null ? report : null;
}

const READERS: Readonly<
  Record<CodeHostProvider, (header: ReadHeader, body: unknown) => PullRequestReport | null>
> = {
  github: (header, body) => (header('X-GitHub-Event') === 'pull_request' ? readGithubEvent(body) : null),
  gitlab: (_, body) => readGitlabEvent(body),
  bitbucket: (header, body) =>
    BITBUCKET_EVENTS.has(header('X-Event-Key') ?? '') ? readBitbucketEvent(body) : null,
};
