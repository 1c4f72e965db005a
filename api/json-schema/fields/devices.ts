import { type Fields, UNIX } from './field.ts';

export const devices: Fields = {
  devices: ['Devices, newest first'],
  device_id: ['The device', 'dev_3Kf9XqLm2TzVb7Rw8YcN1p'],
  last_seen_at: ['When it last spent (Unix seconds); null before the first time', UNIX],
  revoked: ['Always true', true],
  device_code: ['The code that the device polls with', 'GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS'],
  user_code: ['The code that the person enters', 'WDJB-MJHT'],
  verification_uri: ['Where the person enters the code', 'https://governor.example.com/activate'],
  verification_uri_complete: [
    'The same with the code filled in',
    'https://governor.example.com/activate?user_code=WDJB-MJHT',
  ],
  expires_in: ['Seconds until the codes expire', 900],
  grant_type: ['The grant type', 'urn:ietf:params:oauth:grant-type:device_code'],
  client_id: ['Ignored: there is one client', 'cli'],
  access_token: ['The device token; it is not shown again', 'ugd_…'],
  token_type: ['How the token is sent', 'Bearer'],
  error_description: ['Explanation in words', 'The user code has not been approved yet.'],
};
