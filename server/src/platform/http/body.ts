import type { FastifyRequest } from 'fastify';
import { Failure } from './failure.ts';
import type { Server } from './serve.ts';

/** Rejects invalid UTF-8, and skips a byte order mark. */
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a body. Refuses other encodings instead of reading them wrong. */
function textOf({ headers }: FastifyRequest, bytes: Buffer): string {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  const charset = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(headers['content-type'] ?? '');
  const named = (charset?.[1] ?? charset?.[2] ?? 'utf-8').trim();
  if (!['', 'identity'].includes(coding) || !/^utf-?8$/i.test(named))
    throw new Failure('unsupported_media_type');
  return UTF_8.decode(bytes);
}

/** The fields of a form. Takes linear time, also for a name that is repeated thousands of times. */
export const fieldsOf = (text: string): Record<string, string | string[]> => {
  const fields: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const before = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (Array.isArray(before)) before.push(value);
    else if (name !== '__proto__') fields[name] = before === undefined ? value : [before, value];
  }
  return fields;
};

/** Reads JSON bodies and, on routes outside the contract, forms too. Raw routes get the text of both. */
export function readBodies(server: Server): void {
  server.removeContentTypeParser(['text/plain']);
  server.addContentTypeParser('text/plain', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    try {
      if (!request.routeOptions.config.takesText) throw new Failure('unsupported_media_type');
      request.rawBody = bytes;
      done(null, JSON.parse(textOf(request, bytes)));
    } catch (error) {
      done(error instanceof Failure ? error : new Failure('malformed_json', {}, { cause: error }));
    }
  });
  server.addContentTypeParser('message/rfc822', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (request.routeOptions.config.takesMail) done(null, bytes);
    else done(new Failure('unsupported_media_type'));
  });
  // An empty body with a JSON content type counts as a missing body.
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    try {
      const text = textOf(request, bytes);
      if (request.routeOptions.config.isRaw) {
        request.rawBody = bytes;
        done(null, text);
        return;
      }
      // Signature checks need the bytes as received.
      if (!request.routeOptions.config.contract) request.rawBody = bytes;
      done(null, text === '' ? undefined : JSON.parse(text));
    } catch (error) {
      done(error instanceof Failure ? error : new Failure('malformed_json', {}, { cause: error }));
    }
  });
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (request, bytes: Buffer, done) => {
      try {
        if (request.routeOptions.config.contract) throw new Failure('unsupported_media_type');
        const text = textOf(request, bytes);
        if (request.routeOptions.config.isRaw) request.rawBody = bytes;
        done(null, request.routeOptions.config.isRaw ? text : fieldsOf(text));
      } catch (error) {
        done(error instanceof Failure ? error : new Failure('malformed_json', {}, { cause: error }));
      }
    },
  );
}
