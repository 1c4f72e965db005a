import type { NetProxy } from './proxy.ts';

/** Makes the connection dark whose next request holds these letters; one connection only. Resolves when it is dark. */
export function darkenNext(proxy: NetProxy, letters: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  proxy.darken = (chunk) => {
    if (!chunk.includes(letters)) return false;
    proxy.darken = () => false;
    resolve();
    return true;
  };
  return promise;
}
