/** An HTTP carrier in a separate process. It accepts every message at once and sends ids and codes to its parent. */

import { createServer } from 'node:http';

const taken: { id: string; code: string }[] = [];

const server = createServer((request, answer) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { id, code } = JSON.parse(Buffer.concat(parts).toString()) as { id: string; code: string };
    taken.push({ id, code });
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ message_id: id }));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
});
setInterval(() => {
  if (taken.length > 0) process.send?.({ taken: taken.splice(0) });
}, 10);
