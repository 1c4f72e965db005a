export const MEDIA_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  /** JSON, also with another Content-Type or none. */
  'untyped-json': 'application/json',
} as const;
export type BodyType = keyof typeof MEDIA_TYPES;
