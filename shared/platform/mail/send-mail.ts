import { Socket } from 'node:net';
import type { Transporter } from 'nodemailer';
import { DeadlineError } from '../basics/within.ts';
import type { Context } from '../context/context.ts';
import { perContext } from '../context/per-context.ts';

export interface Mail {
  to: readonly string[];
  subject: string;
  text: string;
  /** With angle brackets; the mail server makes one where it is left out. */
  messageId?: string;
  headers?: Record<string, string>;
}

const transportOf = perContext((ctx) => openTransport(ctx));
/** For each phase of a mail, and for all of them: a server may be slow in each. Milliseconds. */
const PATIENCE_MS = 10_000;
const DEADLINE_MS = 30_000;
/** The longest answer of the server, also one in many lines. */
const MOST_ANSWER_BYTES = 65_536;

/**
 * Sends one mail through SMTP_URL. False without one, or without anybody to send it to. Throws when it fails, and a
 * `DeadlineError` when no server has taken it in time: its connection is closed then.
 */
export async function sendMail(ctx: Context, mail: Mail, deadlineMs = DEADLINE_MS): Promise<boolean> {
  const { smtpUrl, mailFrom } = ctx.config;
  if (!smtpUrl || mail.to.length === 0) return false;
  const transport = await transportOf(ctx);
  // As objects: the library would read text as a list, and a group of others may be hidden in it.
  const to = mail.to.map((address) => ({ name: '', address }));
  const signal = AbortSignal.timeout(deadlineMs);
  await transport.sendMail({ ...mail, from: mailFrom, to, signal }).catch((error: unknown) => {
    throw signal.aborted ? new DeadlineError(`A mail took longer than ${deadlineMs} ms`) : error;
  });
  return true;
}

/** Throws when the mail server of SMTP_URL does not take mail from here. Call it only where SMTP_URL is set. */
export async function verifyMailServer(ctx: Context): Promise<void> {
  const transport = await openTransport(ctx, new Socket({ signal: AbortSignal.timeout(DEADLINE_MS) }));
  await transport.verify();
}

/** The library is loaded by the first mail: a process that sends none has no use for it. */
async function openTransport({ config }: Context, socket?: Socket): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const transport = new URL(config.smtpUrl ?? '');
  for (const phase of ['connectionTimeout', 'greetingTimeout', 'socketTimeout'])
    transport.searchParams.set(phase, String(PATIENCE_MS));
  transport.searchParams.set('maxResponseSize', String(MOST_ANSWER_BYTES));
  return createTransport({ url: transport.href, ...(socket ? { socket } : {}) });
}

/** The fields of a due row that asks for a mail. */
export interface MailAttempt {
  /** When the mail was due at first: attempts that follow keep it. */
  scheduled_at: Date;
  /** The attempt that is due, from 1 on. */
  attempt: number;
}
