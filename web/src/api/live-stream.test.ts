import { LIVE_TOPICS } from '@sixdigit/contract/live.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadDeployment } from './deployment.ts';
import { liveState, onLiveChange } from './live.ts';
import { eventsOf, startLiveStream } from './live-stream.ts';

const read = async (...pieces: string[]) => {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  const events = [];
  for await (const event of eventsOf(body)) events.push(event);
  return events;
};

test('live events are parsed whole, however the connection splits them', async () => {
  const expected = [{ event: 'changed', data: '{"topics":["credits"]}' }];
  expect(await read('event: changed\ndata: {"topics":["credits"]}\n\n')).toEqual(expected);
  expect(await read('event: chan', 'ged\ndata: {"topics":', '["credits"]}\n', '\n')).toEqual(expected);
  expect(await read('event: changed\r\ndata: {"topics":["credits"]}\r\n\r\n')).toEqual(expected);
});

test('a stream comment yields an event without data, and the retry delay is read', async () => {
  expect(await read(': \n\n', 'retry: 2500\n\n')).toEqual([
    { event: 'message', data: '' },
    { event: 'message', data: '', retry: 2500 },
  ]);
});

test('an incomplete live event is not emitted', async () => {
  expect(await read('event: changed\ndata: {}')).toEqual([]);
});

test('all lists are read again when the stream begins and after each interruption', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  const push = (text: string) => streams.at(-1)?.enqueue(new TextEncoder().encode(text));
  vi.stubGlobal('localStorage', { getItem: () => 'token' });
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('fetch', async (url: string) =>
    url === '/config.json'
      ? Response.json({ api_url: '/api/v1' })
      : new Response(new ReadableStream({ start: (controller) => void streams.push(controller) })),
  );
  await loadDeployment();
  const changes: (readonly string[])[] = [];
  onTestFinished(onLiveChange((topics) => void changes.push(topics)));
  onTestFinished(startLiveStream());
  await expect.poll(() => streams.length).toBe(1);
  push('event: ready\ndata: {}\n\nevent: changed\ndata: {"topics":["later","credits"]}\n\n');
  await expect.poll(() => changes).toEqual([LIVE_TOPICS, ['credits']]);
  expect(liveState.get()).toBe('live');
  push('retry: 1\n\n');
  streams[0]?.close();
  await expect.poll(() => streams.length).toBe(2);
  expect(liveState.get()).toBe('polling');
  push('event: ready\ndata: {}\n\n');
  await expect.poll(() => changes.slice(2)).toEqual([LIVE_TOPICS]);
  streams[1]?.close();
  await expect.poll(() => liveState.get()).toBe('polling');
});
