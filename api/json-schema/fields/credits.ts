import { type Fields, TIME, UNIX } from './field.ts';

/** Fields of credits and the ledger. */
export const credits: Fields = {
  delta: ['The change: negative for a spend', -1],
  bucket: ['The bucket that it was taken from or added to', 'window'],
  balance: ['Credits left, by bucket', { window: 40, monthly: 900, paid: 0, granted: 5 }],
  balances: ['Credits left, by bucket', { window: 40, monthly: 900, paid: 0, granted: 5 }],
  monthly: ['Credits of the month', 900],
  paid: ['Credits that were bought', 0],
  granted: ['Credits that were granted', 5],
  credits: ['A number of credits', 40],
  resets_at: [
    'When it is full again (Unix seconds); null while it has not begun, and where the plan gives none',
    UNIX,
    TIME,
  ],
  expires_at: ['When they expire (Unix seconds); null: never', UNIX, TIME],
  amount: ['How many credits', 100],
  next_refill: ['When the next credits come (Unix seconds); null: none will by themselves', UNIX],
  receipt: ['The signed receipt, a compact JWS', 'eyJhbGciOiJFZDI1NTE5In0.eyJpc3MiOiJ1cm4ifQ.c2ln'],
  output_sha256: [
    'The SHA-256 of the output, hex',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ],
  transactions: ['Transactions, newest first'],
  include: ['More to show', 'details'],
  keys: ['Public keys'],
  kty: ['The type of the key (RFC 7517)', 'OKP'],
  crv: ['The curve (RFC 8037)', 'Ed25519'],
  x: ['The public key, base64url', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'],
  y: ['The second coordinate of a public key, base64url', 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'],
  n: ['The modulus of an RSA key, base64url', 'sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri'],
  e: ['The exponent of an RSA key, base64url', 'AQAB'],
  kid: ['The id of the key', 'key-2026-01'],
  alg: ['The algorithm', 'Ed25519'],
  use: ['Purpose of the key', 'sig'],
};
