import type { Socket } from 'node:net';

/** Longer than the interim responses that a server sends before the one that counts. */
const MOST_BYTES = 64 * 1024;
const STATUS_LINE = /^HTTP\/\d(?:\.\d)? +(\d{3})(?= |\r?\n)[^\n]*\n/;

/**
 * Reads the status of a response from its first bytes, whatever follows them: headers and bodies of some servers are not what a
 * parser expects, but their status is clear. Returns a function that gives the status as soon as its line has arrived.
 */
export function watchStatus(socket: Socket): () => number | undefined {
  let head = '';
  const collect = (chunk: Buffer) => {
    head += chunk.toString('latin1');
    if (head.length > MOST_BYTES || statusOf(head) !== undefined) socket.off('data', collect);
  };
  socket.on('data', collect);
  return () => statusOf(head);
}

/** Skips interim responses, such as 100 and 103. */
function statusOf(text: string): number | undefined {
  for (let rest = text; ; ) {
    const line = STATUS_LINE.exec(rest);
    const status = Number(line?.[1]);
    if (!line || status < 100 || status > 599) return undefined;
    if (status >= 200 || status === 101) return status;
    const end = /\n\r?\n/.exec(rest);
    if (!end) return undefined;
    rest = rest.slice(end.index + end[0].length);
  }
}
