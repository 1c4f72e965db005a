import { type Fields, TIME } from './field.ts';

export const refusals: Fields = {
  way: ['How it was asked', 'hook'],
  count: ['Calls of one minute', 31],
  first_at: ['When the first of these calls was refused', TIME],
  last_at: ['When the last of them was refused', TIME],
  largest_estimate_usd: [
    'The largest estimated cost of these calls, in US dollars; null: none was named',
    0.25,
  ],
};
