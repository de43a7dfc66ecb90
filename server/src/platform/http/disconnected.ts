import type { FastifyReply } from 'fastify';

/** Aborts when the client disconnects before its response. A request's own signal also aborts once its body has been read. */
export function disconnected({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
