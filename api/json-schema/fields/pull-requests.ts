import { type Fields, TIME, UNIX } from './field.ts';

export const pullRequests: Fields = {
  repository: ['The repository', 'github.com/acme/shop'],
  head_repository: ['The repository of the head branch', 'github.com/acme/shop'],
  branch: ['The branch', 'cart'],
  base_branch: ['The branch that it is merged into', 'main'],
  opened_at: ['When it was opened', TIME],
  closed_at: ['When it was closed or merged; null while it is open', TIME],
  merged_at: ['When it was merged, or null', TIME],
  last_event_at: ['When its last event arrived, or null', UNIX],
  pull_request: ['The pull request: repository and number; null: none', 'github.com/acme/shop#12', null],
  task: ['The task; null: none', 'SHOP-412', null],
  hash_names: ['Whether names of branches and tasks are kept and shown as hashes', false],
  client_session_id: ['The session of the client', '3f6c1c1e-9a0b-4a55-8a53-2b1c7a5f9d10'],
  commit: ['The commit that was checked out', '9f1c2d4'],
  worktree: ['The name of the worktree', 'shop-search'],
  renamed_from: ['The name that the branch had until then', 'search'],
  moved: ['Calls that belong elsewhere since', 12],
  moving: ['Whether more calls move after this answer', false],
};
