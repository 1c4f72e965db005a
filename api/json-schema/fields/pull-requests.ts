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
};
