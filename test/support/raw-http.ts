import { connect } from 'node:net';

/** Sends bytes as they are and resolves with all that came back once the server closes, or after `timeoutMs`. */
export function sendRaw(url: string, bytes: string, timeoutMs = 5_000): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let answer = '';
    const finish = () => {
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(finish, timeoutMs);
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.on('error', reject);
  });
}
