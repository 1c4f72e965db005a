/** `{id}` as OpenAPI writes it is `:id` to Express. */
export function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
