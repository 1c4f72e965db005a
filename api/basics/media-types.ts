/** What a request body may be sent as. */
export const MEDIA_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  /** JSON, whatever its header says, and without one. */
  'untyped-json': 'application/json',
} as const;
export type BodyType = keyof typeof MEDIA_TYPES;
