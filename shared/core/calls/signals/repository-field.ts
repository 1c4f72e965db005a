import { z } from 'zod';
import { text } from '../../../platform/basics/text.ts';
import { normalRepository } from './repository.ts';

/** A repository by any address of its; parsed, its normal form. */
export const repositoryField = text(512)
  .refine((address) => normalRepository(address) !== null, {
    message: 'must be the address of a repository, such as github.com/acme/shop, and no path',
    abort: true,
  })
  .check(z.overwrite((address) => normalRepository(address) ?? address));
