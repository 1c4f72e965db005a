import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalRepository } from '../../../../../shared/core/calls/signals/repository.ts';
import { repositoryField } from '../../../../../shared/core/calls/signals/repository-field.ts';

const SHOP = 'github.com/acme/shop';

describe('the normal form of a repository', () => {
  it.each([
    'GitHub.com/Acme/Shop',
    'https://github.com/acme/shop.git/',
    'https://github.com//acme/shop///',
    'https://github.com:443/acme/shop',
    'https://ada:s3cr3t@github.com/acme/shop.git',
    'https://x-access-token:ghs_1@github.com:8443/acme/shop',
    'https://github.com/acme/shop?token=s3cr3t',
    'https://github.com/acme/shop#readme',
    'http://github.com/acme/shop',
    'git://github.com/acme/shop.git',
    'ssh://git@github.com:22/acme/shop.git',
    'git+ssh://git@github.com/acme/shop.git',
    'git@github.com:/acme/shop.git',
    'github.com:acme/shop',
    'github.com:443/acme/shop',
    'ada:s3cr3t@github.com/acme/shop',
  ])('of %s is github.com/acme/shop', (address) => {
    expect(normalRepository(address)).toBe(SHOP);
  });

  it.each([
    ['https://gitlab.example:8443/group/sub/project.git', 'gitlab.example/group/sub/project'],
    ['git@ssh.dev.azure.com:v3/acme/Web/shop', 'ssh.dev.azure.com/v3/acme/web/shop'],
    ['https://acme@dev.azure.com/acme/My%20Shop/_git/shop', 'dev.azure.com/acme/my%20shop/_git/shop'],
    ['ssh://git@[::1]:2222/acme/shop', '[::1]/acme/shop'],
    ['git@[::1]:acme/shop', '[::1]/acme/shop'],
    ['git@host:22/shop', 'host/22/shop'],
    ['ssh://git@host/~ada/shop.git', 'host/~ada/shop'],
    ['https://host/acme/shop.git.git', 'host/acme/shop'],
    ['https://host/acme/shop/.git', 'host/acme/shop'],
  ])('of %s is %s', (address, normal) => {
    expect(normalRepository(address)).toBe(normal);
  });

  it.each([
    '/home/ada/shop',
    '../../../shop',
    '.git',
    '~ada/shop',
    'file:///home/ada/shop',
    'FILE:/home/ada/shop',
    'ssh:///home/ada/shop',
    'https://ada:s3cr3t@/home/ada/shop',
    'ssh://~/shop',
    'git@/home/ada',
    'C:\\work\\shop',
    'c:/work/shop',
    'C:shop',
    '\\\\server\\share\\shop',
    'work\\shop',
    'https://host/../shop',
    'https://host/a/./shop',
    'ext::/home/ada/helper',
    'https://ada:s3c/r3t@host/acme/shop',
    'https://s3c/r3t@host/acme/shop',
    'https://host:port/acme/shop',
    'https://github.com/acme/my shop',
    'https://github.com/acme/shop\n',
    'https://github.com/acme/shop\u2028',
    'https://github.com/acme/shop\0',
    'https://github.com/acme/\ud800',
    'https://github.com',
    'shop',
    '',
  ])('is none for %j', (address) => {
    expect(normalRepository(address)).toBeNull();
  });

  it('is its own normal form, and keeps no path of a machine and no credential', () => {
    const pieces =
      'https:// ssh:// file: git@ ada:pass@ host c: : :22 / // . .. ~ .git a Shop ? # [::1] @ :: - İ %20';
    const piece = fc.constantFrom(...pieces.split(' '));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (chosen) => {
        const normal = normalRepository(chosen.join(''));
        if (normal === null) return;
        expect(normalRepository(normal)).toBe(normal);
        expect(normal).not.toMatch(/^[/.~]|@|\/\/|\/$|\.git$|^file:|^[a-z]:/);
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('the field of a repository', () => {
  it('is parsed into the normal form, of 512 characters at most', () => {
    const longest = `host/${'a'.repeat(507)}`;
    expect(repositoryField.parse('git@github.com:Acme/Shop.git')).toBe(SHOP);
    expect(repositoryField.parse(longest)).toBe(longest);
    expect(repositoryField.safeParse(`${longest}a`).success).toBe(false);
  });

  it('refuses a path and what is no text', () => {
    for (const value of ['/home/ada/shop', '', null, 1, {}, ['github.com/acme/shop']])
      expect(repositoryField.safeParse(value).success).toBe(false);
  });
});
