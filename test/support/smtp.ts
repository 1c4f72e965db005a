import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A real small mail server on a free loopback port that keeps what it takes; says that it took a mail after `pause`. */
export async function startSmtp(pause: () => Promise<void> = async () => undefined) {
  const mails: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, _session, done) => {
      const take = async (mail: string) => {
        mails.push(mail);
        await pause();
        done();
      };
      // A sender that is killed within a mail has sent none.
      void text(stream).then(take, () => undefined);
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** A mail without the folding of its headers and the soft line breaks of its text. */
export function plainMail(mail = ''): string {
  // The end of an encoded word of a header is no soft line break.
  const unfolded = mail.replaceAll(/(?<!\?)=\r\n/g, '').replaceAll(/\r\n[ \t]+/g, ' ');
  const bytes = unfolded.replaceAll(/(?:=[0-9A-F]{2})+/g, (escaped) =>
    Buffer.from(escaped.replaceAll('=', ''), 'hex').toString(),
  );
  return bytes.replaceAll('\r\n', '\n');
}

/** The text of a plain mail below its headers. */
export function bodyOf(plain = ''): string {
  return plain.slice(plain.indexOf('\n\n') + 2);
}
