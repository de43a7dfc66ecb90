import { z } from 'zod';
import { id } from './field.ts';
import { LIVE_HEARTBEAT_SECONDS } from './live.ts';
import { route } from './route.ts';
import { eventTypes } from './webhooks.ts';

/** What a stream of events can report. */
export const EVENT_TOPICS = ['requests', 'webhooks'] as const;
export type EventTopic = (typeof EVENT_TOPICS)[number];

/** Streams of one key, and of all keys of an account, in one process. */
export const STREAMS_OF_KEY = 3;
export const STREAMS_OF_ACCOUNT = 5;
/** The most events of a topic that an account's streams get each second. */
export const EVENTS_PER_SECOND = 200;

/** A webhook message as an endpoint gets it, signed with that endpoint's secret. */
export const SignedMessage = z.object({
  id,
  webhook: z.object({ id, name: z.string() }),
  type: z.enum(eventTypes),
  headers: z.record(z.string(), z.string()).meta({
    description:
      'The headers of the request, with its signature. Receivers reject a signature after five minutes',
  }),
  body: z.string().meta({ description: 'The exact text that is signed' }),
});
export type SignedMessage = z.infer<typeof SignedMessage>;

export const followEvents = route('GET /events/', {
  name: 'followEvents',
  tag: 'logs',
  auth: 'api_key',
  scope: 'events:read',
  summary: 'Server-sent events about requests or webhook messages, as they happen',
  description: `With topic=requests, each event named request is a new row of the request log. With topic=webhooks, each event named webhook is a new message to one of the account's endpoints: its headers, signed with the endpoint's secret, and its body. A live key's stream has the events of live keys, a test key's those of test keys; messages of the test button are in both. Events begin after the event ready. The id of an event identifies its row; that of ready is the time at which events begin. After an interruption of up to five minutes, send the last id in the header Last-Event-ID: the stream repeats what came after it, and may repeat an event. An account's streams get up to ${EVENTS_PER_SECOND} events per second; an event named overflow means that some are missing. A comment arrives at least every ${LIVE_HEARTBEAT_SECONDS} seconds. The stream ends within two seconds after the key may no longer make this call, and when the process stops. In each process, a key can have ${STREAMS_OF_KEY} streams and an account ${STREAMS_OF_ACCOUNT}; further ones get stream_limit_reached, but those of a live key replace those of test keys.`,
  query: z.object({
    topic: z
      .enum(EVENT_TOPICS, { error: `Topic must be one of: ${EVENT_TOPICS.join(', ')}.` })
      .meta({ description: 'What the stream reports' }),
  }),
  stream: 'text/event-stream',
  failures: ['rate_limited', 'stream_limit_reached'],
});
