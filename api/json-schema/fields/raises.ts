import { type Fields, TIME, UNIX } from './field.ts';

export const raises: Fields = {
  raise_id: ['The raise', 'rai_3Kf9XqLm2TzVb7Rw8YcN1p'],
  note: ['A word to the person who reads it; null without one', 'The migration takes longer.'],
  answer_note: ["The admin's word to the person; null without one", 'Until the release.'],
  granted_amount: ['The amount that was approved; null before', 20],
  answered_at: ['When an admin answered last; null before', TIME, UNIX],
  answered_by: ['The account of the admin who answered last', 'usr_3Kf9XqLm2TzVb7Rw8YcN1p'],
  ends_at: ['Until when an approved raise is in force; else null', TIME, UNIX],
  raised: ['Added to the threshold by raises in force, in the unit of the metric', 20],
  raised_until: ['When the first raise in force ends; null without any', TIME],
  raise_status: ['The state of the raise', 'approved'],
};
