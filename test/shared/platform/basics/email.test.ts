import { describe, expect, it } from 'vitest';
import { emailText, foldEmail, isEmail, mailboxOf } from '../../../../shared/platform/basics/email.ts';

describe('an e-mail address', () => {
  it.each([
    'ada@example.org',
    'Ada.Lovelace+billing@mail.example.co.uk',
    "o'neil_{x}!#$%&*/=?^`|~-@example.org",
    'jörg@müller.example',
    '\u0130da@example.org',
    '用户@例子.公司',
    `${'a'.repeat(64)}@example.org`,
  ])('is one mailbox of a domain with a dot: %s', (address) => {
    expect(isEmail(address)).toBe(true);
    expect(emailText.safeParse(address).success).toBe(true);
  });

  it.each([
    'g1:victim@example.org',
    'g1:victim@example.org;',
    'a@b@example.org',
    '"quoted text"@example.org',
    'a(comment)@example.org',
    'Ada <ada@example.org>',
    'a,b@example.org',
    '.a@example.org',
    'a..b@example.org',
    '-ox@example.org',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@localhost',
    'a@example.org.',
    'a@-example.org',
    'a@example-.org',
    'a\u0085@example.org',
    'a\r\nBcc:b@example.org',
    'a\u200b@example.org',
    '@example.org',
    'a@',
    `${'a'.repeat(65)}@example.org`,
    `${'ü'.repeat(33)}@example.org`,
    `a@${'a.'.repeat(126)}example`,
  ])('is nothing else: %s', (address) => {
    expect(isEmail(address)).toBe(false);
    expect(emailText.safeParse(address).success).toBe(false);
  });

  it.each([
    '\u212Aate@example.org',
    '\uFF4Bate@example.org',
    'kate@example\uFF0Eorg',
    'e\u0301va@example.org',
  ])('is not one that stands for another: %s', (address) => {
    expect(isEmail(address)).toBe(false);
    const { error } = emailText.safeParse(address);
    expect(error?.issues.map(({ message }) => message)).toEqual([
      'must not contain characters that stand for others (Unicode NFKC)',
    ]);
  });

  it('is the same one in A to Z of either case, and in nothing else', () => {
    expect(foldEmail('KATE@Example.ORG')).toBe('kate@example.org');
    for (const other of ['\u212Aate@example.org', '\u0130da@example.org', 'ÄDA@example.org'])
      expect(foldEmail(other.toUpperCase()).includes(other.charAt(0))).toBe(true);
  });

  it('is counted by its mailbox', () => {
    for (const address of ['ada@example.org', 'ada+1@example.org', 'ADA+a+b@Example.org'])
      expect(mailboxOf(address)).toBe('ada@example.org');
    expect(mailboxOf('adam@example.org')).not.toBe('ada@example.org');
  });
});
