import { shellWord } from '../api/curl.ts';

/** A server without dependencies that checks Standard Webhooks signatures. */
export const receiverSample = `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.WEBHOOK_SECRET ?? '';
const key = secret.startsWith('whsec_')
  ? Buffer.from(secret.slice(6), 'base64')
  : Buffer.from(secret);

function isGenuine(headers, body) {
  const id = headers['webhook-id'];
  const sentAt = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - sentAt) < 300)) return false;
  const signed = \`\${id}.\${sentAt}.\${body}\`;
  const expected = createHmac('sha256', key).update(signed).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((text) => {
    const given = Buffer.from(text.replace(/^v1,/, ''), 'base64');
    if (given.length !== expected.length) return false;
    return timingSafeEqual(given, expected);
  });
}

async function receive(request, response) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > 100_000) {
      return response.writeHead(413, { connection: 'close' }).end();
    }
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString();
  const isOurs = isGenuine(request.headers, body);
  if (isOurs) console.log(JSON.parse(body));
  response.writeHead(isOurs ? 204 : 400).end();
}

const server = createServer((request, response) => {
  // An aborted or invalid body fails this request, not the server.
  receive(request, response).catch(() => {
    if (!response.headersSent) response.writeHead(400).end();
  });
});
server.listen(process.env.PORT ?? 8080);
`;

/** A shell command that writes the receiver and starts it. */
export const runReceiver = (secret: string): string =>
  `cat > receiver.mjs <<'END'\n${receiverSample}END\nWEBHOOK_SECRET=${shellWord(secret)} node receiver.mjs`;
