import { type DomainError, isCode } from '../../platform/basics/errors.ts';

/**
 * The result of work on one of many accounts, or null when its shard is not open: that holds up no other. Why is added to
 * `shut`. Throws whatever else `work` throws.
 */
export async function unlessShut<Result>(
  shut: DomainError[],
  work: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await work();
  } catch (error) {
    if (!isCode(error, 'rebuilding')) throw error;
    shut.push(error);
    return null;
  }
}
