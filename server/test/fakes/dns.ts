import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A name server on UDP (RFC 1035) that answers questions for TXT, A, MX and PTR records. */
export interface NameServer extends AsyncDisposable {
  address: string;
  /** TXT records by name. A name without records does not exist. */
  records: Map<string, string[]>;
  /** Other records by type and name, such as `A mx.example.com` with `192.0.2.1`, or `MX example.com` with `10 mx.example.com`. */
  others: Map<string, string[]>;
  /** how the server reacts to every question */
  mode: 'answers' | 'fails' | 'is silent';
  questions: string[];
}

const HEADER_BYTES = 12;
const TYPES: Readonly<Record<number, string>> = { 1: 'A', 12: 'PTR', 15: 'MX', 16: 'TXT' };
const IN = 1;
const RESPONSE = 0x8180;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  const server: NameServer = {
    address: '',
    records: new Map(),
    others: new Map(),
    mode: 'answers',
    questions: [],
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    server.questions.push(name);
    if (server.mode === 'is silent') return;
    const known = name.toLowerCase();
    const texts =
      TYPES[type] === 'TXT' ? server.records.get(known) : server.others.get(`${TYPES[type]} ${known}`);
    const code = server.mode === 'fails' ? SERVER_FAILURE : texts ? 0 : NO_SUCH_NAME;
    socket.send(
      answerOf(query, { end, code, type, texts: code === 0 ? (texts ?? []) : [] }),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

const nameData = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split('.')
      .filter(Boolean)
      .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')),
    Buffer.of(0),
  ]);

function dataOf(type: number, text: string): Buffer {
  if (TYPES[type] === 'A') return Buffer.from(text.split('.').map(Number));
  if (TYPES[type] === 'PTR') return nameData(text);
  if (TYPES[type] === 'MX') {
    const [priority = '', exchange = ''] = text.split(' ');
    return Buffer.concat([Buffer.of(0, Number(priority)), nameData(exchange)]);
  }
  // A long text consists of strings of up to 255 characters.
  return Buffer.concat(
    (text.match(/.{1,255}/gs) ?? ['']).map((part) =>
      Buffer.concat([Buffer.of(part.length), Buffer.from(part, 'latin1')]),
    ),
  );
}

function answerOf(
  query: Buffer,
  given: { end: number; code: number; type: number; texts: readonly string[] },
): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(RESPONSE | given.code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(given.texts.length, 6);
  const records = given.texts.map((text) => {
    const data = dataOf(given.type, text);
    const record = Buffer.alloc(12);
    // A pointer to the question's name.
    record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
    record.writeUInt16BE(given.type, 2);
    record.writeUInt16BE(IN, 4);
    record.writeUInt32BE(0, 6);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, query.subarray(HEADER_BYTES, given.end), ...records]);
}
