/** A bare route of the same framework that parses and returns the same bodies. */

import Fastify from 'fastify';

const server = Fastify({ logger: false });
server.post('/api/v1/otp/send/', async (request) => {
  const { channel, recipient } = request.body as { channel: string; recipient: string };
  return {
    otp_id: '019f0000-0000-7000-8000-000000000000',
    status: 'pending',
    expires_at: new Date().toISOString(),
    channel,
    recipient,
  };
});
await server.listen({ host: '127.0.0.1', port: 0 });
const address = server.server.address();
process.on('message', (message) => {
  if (message === 'stop') void server.close().then(() => process.disconnect());
});
process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
