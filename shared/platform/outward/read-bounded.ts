/** Reads a body to its end. Throws the error of `tooLong` for more than `mostBytes`; the rest is not read then. */
export async function readBounded(
  body: AsyncIterable<Uint8Array>,
  mostBytes: number,
  tooLong: () => Error,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (bytes > mostBytes) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
