import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A name server on UDP (RFC 1035) that answers questions for TXT records. */
export interface NameServer extends AsyncDisposable {
  address: string;
  /** TXT records by name. A name without records does not exist. */
  records: Map<string, string[]>;
  /** how the server reacts to every question */
  mode: 'answers' | 'fails' | 'is silent';
  questions: string[];
}

const HEADER_BYTES = 12;
const TXT = 16;
const IN = 1;
const RESPONSE = 0x8180;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  const server: NameServer = {
    address: '',
    records: new Map(),
    mode: 'answers',
    questions: [],
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
  socket.on('message', (query, from) => {
    const { name, end } = questionOf(query);
    server.questions.push(name);
    if (server.mode === 'is silent') return;
    const texts = server.records.get(name.toLowerCase());
    const code = server.mode === 'fails' ? SERVER_FAILURE : texts ? 0 : NO_SUCH_NAME;
    socket.send(
      answerOf(query, { end, code, texts: code === 0 ? (texts ?? []) : [] }),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}

function questionOf(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), end: at + 5 };
}

function answerOf(query: Buffer, given: { end: number; code: number; texts: readonly string[] }): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(RESPONSE | given.code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(given.texts.length, 6);
  const records = given.texts.map((text) => {
    // A long text consists of strings of up to 255 characters.
    const strings = (text.match(/.{1,255}/gs) ?? ['']).map((part) =>
      Buffer.concat([Buffer.of(part.length), Buffer.from(part, 'latin1')]),
    );
    const data = Buffer.concat(strings);
    const record = Buffer.alloc(12);
    // A pointer to the question's name.
    record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
    record.writeUInt16BE(TXT, 2);
    record.writeUInt16BE(IN, 4);
    record.writeUInt32BE(0, 6);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, query.subarray(HEADER_BYTES, given.end), ...records]);
}
