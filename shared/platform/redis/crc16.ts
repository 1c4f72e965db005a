/** CRC-16/XMODEM over the bytes of an ASCII text, as Redis Cluster has it. */
export function crc16(text: string): number {
  let crc = 0;
  for (let index = 0; index < text.length; index += 1) {
    crc = ((crc << 8) & 0xffff) ^ (TABLE[((crc >> 8) ^ text.charCodeAt(index)) & 0xff] ?? 0);
  }
  return crc;
}

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1)
    crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  return crc;
});
