/** The names that tell works apart. */
interface WorkNames {
  repository: string | null;
  branch: string | null;
  pull_request: string | null;
  task: string | null;
}

/** The identity of a work, or of the work that a call belongs to. */
export function workKey({ repository, branch, pull_request, task }: WorkNames): string {
  return JSON.stringify([repository, branch, pull_request, task]);
}

/** A work as people say it: "acme/shop · cart · #12 · SHOP-412"; without any name "Not attributed". */
export function workWords({ repository, branch, pull_request, task }: WorkNames): string {
  const place = repository && withoutHost(repository);
  const number = pull_request?.slice(pull_request.lastIndexOf('#'));
  const named = [place, repository && !branch ? 'no branch' : branch, number, task].filter((name) => name);
  return named.length === 0 ? 'Not attributed' : named.join(' · ');
}

/** A repository, or a pull request, without the host. Pure. */
export function withoutHost(repository: string): string {
  return repository.slice(repository.indexOf('/') + 1);
}

/** True of a session of which any call belongs to a repository, a branch or a task. */
export function isAttributed(attribution: readonly WorkNames[]): boolean {
  return attribution.some(({ repository, task }) => repository !== null || task !== null);
}

/** The pull requests of a session, each once, as the list of them finds it. */
export function pullRequestsOf(attribution: readonly WorkNames[]) {
  const labels = [...new Set(attribution.flatMap(({ pull_request }) => pull_request ?? []))];
  return labels.map((label) => ({ label, short: withoutHost(label), search: pullRequestSearch(label) }));
}

/** The search parameters by which the list of pull requests finds one. Pure. */
export function pullRequestSearch(label: string): { repository: string; number: string } {
  const at = label.lastIndexOf('#');
  return { repository: label.slice(0, at), number: label.slice(at + 1) };
}
