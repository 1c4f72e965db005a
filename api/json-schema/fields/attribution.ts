import type { Fields } from './field.ts';

/** Fields of works and contexts. The ones of pull requests are among them. */
export const attribution: Fields = {
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
