import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readConfig, VARIABLE_NAMES } from '../../shared/config.ts';

const usable = {
  MONGODB_URL: 'mongodb://localhost/governor',
  REDIS_URL: 'redis://localhost',
  OPERATOR_TOKEN: 'x'.repeat(24),
  API_KEY_PEPPER: 'x'.repeat(32),
  CURSOR_SECRET: 'x'.repeat(32),
  SESSION_SECRET: 'x'.repeat(32),
  BASE_URL: 'https://governor.example',
  WEBHOOK_SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};

describe('the configuration', () => {
  it('lists everything that is wrong in one error', () => {
    const wrong = () =>
      readConfig({ ...usable, MONGODB_URL: 'postgres://x', OPERATOR_TOKEN: 'short', PORT: 'many' });
    expect(wrong).toThrow(/MONGODB_URL[\s\S]*OPERATOR_TOKEN|PORT[\s\S]*MONGODB_URL/);
    expect(wrong).toThrow('OPERATOR_TOKEN');
    expect(wrong).toThrow('PORT');
  });

  it('never shows the value of what is wrong', () => {
    expect(() => readConfig({ ...usable, OPERATOR_TOKEN: 'hunter2' })).toThrow(/^(?!.*hunter2)/s);
  });

  it('takes an empty variable for an unset one and is production unless told', () => {
    expect(readConfig({ ...usable, PORT: '' })).toMatchObject({ port: 8080, nodeEnv: 'production' });
  });

  it('refuses in production what shortens waits or lifts limits', () => {
    expect(() => readConfig({ ...usable, TIME_SCALE: '100' })).toThrow('TIME_SCALE');
    expect(() => readConfig({ ...usable, RATE_LIMITS: 'off' })).toThrow('RATE_LIMITS');
    expect(() => readConfig({ ...usable, BASE_URL: '' })).toThrow('BASE_URL');
    expect(readConfig({ ...usable, TIME_SCALE: '100', NODE_ENV: 'development' }).timeScale).toBe(100);
  });

  it('has every variable, and no other, in .env.example', () => {
    const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
    const named = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1]);
    expect(new Set(named)).toEqual(new Set(VARIABLE_NAMES));
  });
});
