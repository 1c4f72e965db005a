import { mongo } from 'mongoose';

/** The fields of a command or of an answer. */
export type Fields = Record<string, unknown>;

/** The content of one command. */
export interface Statement {
  name: string;
  /** Everything that it says, with the documents that came in sequences of their own. */
  body: Fields;
  /** The bytes of the whole message, and of the largest document that a sequence carries. Absent where nobody counted. */
  bytes?: number;
  largestDocument?: number;
}

/** One command as a driver sends it. */
export interface Command extends Statement {
  requestId: number;
  /** False of a write that asks for no answer. */
  isAnswered: boolean;
  /** True of the old message by which a driver opens a connection. */
  isQuery: boolean;
}

/** The database and the collection that a command names. */
export function namespaceOf({ name, body }: Statement): string {
  return `${String(body.$db)}.${String(body[name])}`;
}

const HEADER = 16;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;

/** Calls `take` with each whole message of a stream (https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/). */
export function readFrames(take: (frame: Buffer) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  let wanted = HEADER;
  return (chunk) => {
    parts.push(chunk);
    bytes += chunk.length;
    // A message of 40 MB comes in hundreds of parts, which are put together once.
    if (bytes < wanted) return;
    let rest: Buffer = Buffer.concat(parts, bytes);
    while (rest.length >= HEADER && rest.length >= rest.readInt32LE(0)) {
      const size = rest.readInt32LE(0);
      take(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
    parts = [rest];
    bytes = rest.length;
    wanted = bytes < HEADER ? HEADER : rest.readInt32LE(0);
  };
}

/** The command in a message; null of a message that holds none. */
export function readCommand(frame: Buffer): Command | null {
  const opCode = frame.readInt32LE(12);
  if (opCode === OP_QUERY) {
    const nameEnd = frame.indexOf(0, HEADER + 4);
    const body = decode(frame.subarray(nameEnd + 9));
    return toCommand(frame, body, { largestDocument: 0, flags: 0, isQuery: true });
  }
  if (opCode !== OP_MSG) return null;
  const flags = frame.readUInt32LE(HEADER);
  const end = frame.length - (flags & CHECKSUM_PRESENT ? 4 : 0);
  const body: Fields = {};
  const sequences: Fields = {};
  let largestDocument = 0;
  for (let at = HEADER + 4; at < end; ) {
    const isBody = frame[at] === 0;
    const section = frame.subarray(at + 1, at + 1 + frame.readInt32LE(at + 1));
    if (isBody) Object.assign(body, decode(section));
    else {
      const { name, documents, largest } = readSequence(section);
      sequences[name] = documents;
      largestDocument = Math.max(largestDocument, largest);
    }
    at += 1 + section.length;
  }
  return toCommand(frame, { ...body, ...sequences }, { largestDocument, flags, isQuery: false });
}

function toCommand(
  frame: Buffer,
  body: Fields,
  { flags, ...rest }: Pick<Command, 'largestDocument' | 'isQuery'> & { flags: number },
): Command {
  const [name = ''] = Object.keys(body);
  const isAnswered = (flags & MORE_TO_COME) === 0;
  return { requestId: frame.readInt32LE(4), name, body, bytes: frame.length, isAnswered, ...rest };
}

function readSequence(section: Buffer): { name: string; documents: Fields[]; largest: number } {
  const nameEnd = section.indexOf(0, 4);
  const documents: Fields[] = [];
  let largest = 0;
  for (let at = nameEnd + 1; at < section.length; ) {
    const size = section.readInt32LE(at);
    documents.push(decode(section.subarray(at, at + size)));
    largest = Math.max(largest, size);
    at += size;
  }
  return { name: section.toString('utf8', 4, nameEnd), documents, largest };
}

/** The message to which this one is the answer. */
export function readResponseTo(frame: Buffer): number {
  return frame.readInt32LE(8);
}

/** The document of an answer. */
export function readAnswer(frame: Buffer): Fields {
  return decode(frame.subarray(frame.readInt32LE(12) === OP_REPLY ? 36 : HEADER + 5));
}

/** An answer in the form in which the command was asked. */
export function writeAnswer(command: Pick<Command, 'requestId' | 'isQuery'>, answer: Fields): Buffer {
  const body = Buffer.from(mongo.BSON.serialize(answer, { ignoreUndefined: true }));
  if (!command.isQuery) return writeMessage(0, command.requestId, body);
  const head = Buffer.alloc(36);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(command.requestId, 8);
  head.writeInt32LE(OP_REPLY, 12);
  head.writeInt32LE(1, 32);
  return Buffer.concat([head, body]);
}

/** A message that carries a command of our own. */
export function writeCommand(requestId: number, body: Fields): Buffer {
  return writeMessage(requestId, 0, Buffer.from(mongo.BSON.serialize(body)));
}

function writeMessage(requestId: number, responseTo: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEADER + 5);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(requestId, 4);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, body]);
}

function decode(bytes: Buffer): Fields {
  // A transaction's number must go back as the 64 bits that it came as.
  return mongo.BSON.deserialize(bytes.subarray(0, bytes.readInt32LE(0)), { promoteLongs: false });
}
