/** One server-sent event; a comment has neither name nor data. */
export interface ServerEvent {
  event: string;
  data: string;
  /** milliseconds */
  retry?: number;
}

/** Reads server-sent events (HTML standard, 9.2.6). `EventSource` could not send the session's token. */
export async function* eventsOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).replaceAll('\r\n', '\n').split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield eventOf(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(block: string): ServerEvent {
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  const all = (name: string): string[] =>
    fields.flatMap((field) => (field?.[1] === name ? [field[2] ?? ''] : []));
  const retry = Number(all('retry')[0]);
  return {
    event: all('event').at(-1) ?? 'message',
    data: all('data').join('\n'),
    ...(all('retry').length > 0 && Number.isInteger(retry) ? { retry } : {}),
  };
}
