import { readGithubEvent } from '../../../../../shared/wings/work/code-hosts/events/github.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The body of `POST /api/v1/pull-requests`, as far as it is known. */
export interface ReportBody {
  repository?: string | undefined;
  number?: number | undefined;
  branch?: string | undefined;
  state?: string | undefined;
  opened_at?: string | undefined;
  closed_at?: string | undefined;
  updated_at?: string | undefined;
  head_repository?: string | undefined;
  base_branch?: string | undefined;
  title?: string | undefined;
  url?: string | undefined;
}

/**
 * The pull request that a CI job runs for, by the variables of GitHub Actions, GitLab CI or Bitbucket Pipelines; empty where the job
 * runs for none. `readFile` reads the event of GitHub. Pure but for that.
 */
export function pullRequestOfJob(
  env: Environment,
  readFile: (path: string) => string,
  nowMs: number,
): ReportBody {
  if (env.GITHUB_ACTIONS === 'true') return ofGithub(env, readFile);
  if (env.CI_MERGE_REQUEST_IID) return ofGitlab(env);
  return env.BITBUCKET_PR_ID ? ofBitbucket(env, nowMs) : {};
}

/** https://docs.github.com/en/actions/reference/workflows-and-actions/variables: the event is the whole pull request. */
function ofGithub(env: Environment, readFile: (path: string) => string): ReportBody {
  const report = env.GITHUB_EVENT_PATH ? readGithubEvent(parse(readFile(env.GITHUB_EVENT_PATH))) : null;
  if (report === null) return {};
  return {
    repository: report.repository,
    number: report.number,
    branch: report.branch,
    state: report.state,
    opened_at: report.opened_at.toISOString(),
    closed_at: report.closed_at?.toISOString(),
    updated_at: report.updated_at.toISOString(),
    head_repository: report.head_repository ?? undefined,
    base_branch: report.base_branch ?? undefined,
    title: report.title ?? undefined,
    url: report.url ?? undefined,
  };
}

/**
 * https://docs.gitlab.com/ci/variables/predefined_variables/: nothing says when the merge request was opened, so it is the start of its
 * first pipeline. It was open when this one started, and may have been merged since.
 */
function ofGitlab(env: Environment): ReportBody {
  const { CI_MERGE_REQUEST_PROJECT_URL: project, CI_MERGE_REQUEST_IID: iid } = env;
  return {
    repository: project,
    number: Number(iid),
    branch: env.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME,
    state: 'open',
    opened_at: env.CI_PIPELINE_CREATED_AT,
    updated_at: env.CI_PIPELINE_CREATED_AT,
    head_repository: env.CI_MERGE_REQUEST_SOURCE_PROJECT_URL || undefined,
    base_branch: env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME,
    title: env.CI_MERGE_REQUEST_TITLE || undefined,
    url: project ? `${project}/-/merge_requests/${iid}` : undefined,
  };
}

/** https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/: nothing says a time, so it is now. */
function ofBitbucket(env: Environment, nowMs: number): ReportBody {
  const { BITBUCKET_PR_ID: id, BITBUCKET_GIT_HTTP_ORIGIN: origin } = env;
  const now = new Date(nowMs).toISOString();
  return {
    repository: origin,
    number: Number(id),
    branch: env.BITBUCKET_BRANCH,
    state: 'open',
    opened_at: now,
    updated_at: now,
    base_branch: env.BITBUCKET_PR_DESTINATION_BRANCH || undefined,
    url: origin ? `${origin.replace(/^http:/, 'https:')}/pull-requests/${id}` : undefined,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
