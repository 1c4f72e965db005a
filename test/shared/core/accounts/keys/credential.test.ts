import { describe, expect, it } from 'vitest';
import {
  credentialHash,
  credentialId,
  mintCredential,
  sameHash,
} from '../../../../../shared/core/accounts/keys/credential.ts';

describe('credentials', () => {
  it('carry their id, and no two are alike', () => {
    const made = Array.from({ length: 200 }, () => mintCredential('ugk'));
    expect(new Set(made.map((one) => one.token)).size).toBe(200);
    for (const { id, token } of made) {
      expect(token).toMatch(/^ugk_[0-9A-Za-z]{61}$/);
      expect(credentialId('ugk', token)).toBe(id);
      expect(credentialId('ugd', token)).toBeNull();
    }
  });

  it('show any typing error by their checksum', () => {
    const { token } = mintCredential('ugk');
    for (let index = 4; index < token.length; index += 1) {
      const other = token[index] === 'x' ? 'y' : 'x';
      expect(credentialId('ugk', token.slice(0, index) + other + token.slice(index + 1))).toBeNull();
    }
    expect(credentialId('ugk', `${token}0`)).toBeNull();
    expect(credentialId('ugk', '')).toBeNull();
  });

  it('are kept as a hash that needs the pepper', () => {
    const { token } = mintCredential('ugk');
    expect(credentialHash(token, 'a')).not.toBe(credentialHash(token, 'b'));
    expect(sameHash(credentialHash(token, 'a'), credentialHash(token, 'a'))).toBe(true);
    expect(sameHash('abc', 'abcd')).toBe(false);
  });
});
