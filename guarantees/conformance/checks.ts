import {
  accept,
  type CheckedVersion,
  expectAccepted,
  REFUSED,
  refusalsOf,
  refuse,
  sent,
  signatureIn,
} from './checked-version.ts';
import { type Change, expectResponse, type Message } from './play.ts';
import { otherSecret } from './signing.ts';

/** What is done with each version of a system's request. */
export const GROUPS = ['accepted', 'retries', 'tolerance', 'security', 'refusals', 'flow'] as const;
export type Group = (typeof GROUPS)[number];

export interface Check {
  name: string;
  group: Exclude<Group, 'flow'>;
  /** whether the first version of each kind is enough */
  once?: boolean;
  /** why the check does not apply; undefined if it does */
  skip?(on: CheckedVersion): string | undefined;
  run(on: CheckedVersion): Promise<void>;
}

const MINUTE_MS = 60_000;
const LIMIT = 64 * 1024;

const onlySigned = (on: CheckedVersion) => (signatureIn(on) ? undefined : 'the system does not sign');
const notRaw = ({ version }: CheckedVersion) =>
  version.text === undefined ? undefined : 'the body has a fixed form';
const needsPrevious = ({ player }: CheckedVersion) =>
  player.settings.previousSecret === undefined ? 'the settings have no previous_secret' : undefined;

/** Adds fields that no version has to every object. */
function withUnknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).map(([name, one]) => [name, withUnknownFields(one)]);
  return { ...Object.fromEntries(known), x_of_a_later_release: { list: [1, null, 'text'], of: 'it' } };
}

const PADDING = 'x_padding';
const padded = (length: number): Change => ({
  json: (body) => ({ ...(body as object), [PADDING]: 'x'.repeat(length) }),
  form: { [PADDING]: 'x'.repeat(length) },
});

const secretOf = ({ player }: CheckedVersion): string => player.settings.secret;

export const CHECKS: readonly Check[] = [
  {
    name: 'request',
    group: 'accepted',
    run: (on) => accept(on, 'The request'),
  },
  {
    name: 'next code',
    group: 'accepted',
    async run(on) {
      const first = on.player.newMessage(on.version);
      const fresh = on.player.newMessage(on.version);
      const { code, other_code, message_uuid } = fresh;
      const second = { ...first, code, other_code, message_uuid } as Message;
      for (const message of [first, second])
        expectAccepted(
          'The next code to the same recipient',
          on,
          message,
          await on.player.post(on.version, message),
        );
      on.expectMessages(...sent(on.version, first), ...sent(on.version, second));
    },
  },
  {
    name: 'retry',
    group: 'retries',
    async run(on) {
      const message = on.player.newMessage(on.version);
      for (const what of ['The request', 'Its first retry', 'Its second retry'])
        expectAccepted(what, on, message, await on.player.post(on.version, message));
      on.expectMessages(...sent(on.version, message));
    },
  },
  {
    name: 'retry after a lost response',
    group: 'retries',
    async run(on) {
      const message = on.player.newMessage(on.version);
      await on.player.abandon(on.version, message);
      expectAccepted('The retry', on, message, await on.player.post(on.version, message));
      on.expectMessages(...sent(on.version, message));
    },
  },
  {
    name: 'retry during the request',
    group: 'retries',
    async run(on) {
      const message = on.player.newMessage(on.version);
      const answers = await Promise.all(
        [false, true].map((atOnce) => on.player.post(on.version, message, { atOnce })),
      );
      for (const answer of answers)
        expectAccepted('The request and a retry at the same time', on, message, answer);
      on.expectMessages(...sent(on.version, message));
    },
  },
  {
    name: 'unknown fields',
    group: 'tolerance',
    skip: notRaw,
    run: (on) =>
      accept(on, 'The request with unknown fields', {
        json: withUnknownFields,
        form: { x_of_a_later_release: 'text' },
      }),
  },
  {
    name: 'body of 15 KiB',
    group: 'tolerance',
    once: true,
    skip: notRaw,
    run: (on) => accept(on, 'The request with a body of 15 KiB', padded(15 * 1024)),
  },
  {
    name: 'body in two parts',
    group: 'tolerance',
    run: (on) => accept(on, 'The request whose body arrives in two parts', { how: { inParts: true } }),
  },
  {
    name: 'charset',
    group: 'tolerance',
    run: (on) => {
      const { headers } = on.version;
      const type = headers?.['Content-Type'] ?? on.player.settings.system.headers?.['Content-Type'] ?? '';
      return accept(on, 'The request with a charset in its content type', {
        headers: { 'Content-Type': `${type}; charset=utf-8` },
      });
    },
  },
  {
    name: 'previous secret',
    group: 'tolerance',
    skip: needsPrevious,
    run: (on) =>
      accept(on, 'The request with the previous secret', {
        secrets: [on.player.settings.previousSecret ?? ''],
      }),
  },
  {
    name: 'two signatures',
    group: 'tolerance',
    skip: onlySigned,
    async run(on) {
      const [own, other] = [secretOf(on), otherSecret(secretOf(on))];
      await accept(on, 'The request signed with another secret and with this one', { secrets: [other, own] });
      await accept(on, 'The request signed with this secret and with another one', { secrets: [own, other] });
    },
  },
  {
    name: 'other secret',
    group: 'security',
    run: (on) => refuse(on, 'The request with another secret', { secrets: [otherSecret(secretOf(on))] }),
  },
  {
    name: 'no secret',
    group: 'security',
    run: (on) => refuse(on, 'The request without a secret', withoutSecret(on)),
  },
  {
    name: 'part of the secret',
    group: 'security',
    once: true,
    run: (on) =>
      refuse(on, 'The request with the beginning of the secret', { secrets: [secretOf(on).slice(0, -8)] }),
  },
  {
    name: 'changed body',
    group: 'security',
    once: true,
    skip: onlySigned,
    run: (on) =>
      refuse(on, 'The request whose body was changed after it was signed', {
        tamper: (request) => ({ ...request, body: Buffer.concat([request.body, Buffer.alloc(1, 0x20)]) }),
      }),
  },
  {
    name: 'old signature',
    group: 'security',
    once: true,
    skip: onlySigned,
    run: (on) =>
      refuse(on, 'The request signed ten minutes ago', { at: new Date(Date.now() - 10 * MINUTE_MS) }),
  },
  {
    name: 'signature from the future',
    group: 'security',
    once: true,
    skip: onlySigned,
    run: (on) =>
      refuse(on, 'The request signed ten minutes in the future', {
        at: new Date(Date.now() + 10 * MINUTE_MS),
      }),
  },
  {
    name: 're-dated signature',
    group: 'security',
    once: true,
    skip: onlySigned,
    run: (on) =>
      refuse(on, 'The request with an old signature and a new date', {
        at: new Date(Date.now() - 10 * MINUTE_MS),
        statedAt: new Date(),
      }),
  },
  {
    name: 'invalid recipient',
    group: 'refusals',
    once: true,
    async run(on) {
      const invalid = on.version.kind === 'email' ? 'nobody' : '+1415';
      const message = { ...on.player.newMessage(on.version), recipient: invalid, digits: '1415' };
      const all = { ...message, other_recipient: invalid, other_digits: '1415' };
      const answer = await on.player.post(on.version, all);
      expectResponse('The request for an invalid recipient', refusalsOf(on), answer, all);
    },
  },
  {
    name: 'malformed body',
    group: 'refusals',
    once: true,
    async run(on) {
      for (const body of ['{"to":', '[]', 'null', '']) {
        const what = `The request with ${body === '' ? 'an empty body' : `the body ${body}`}`;
        await refuse(on, what, { body }, [...refusalsOf(on), ...REFUSED]);
      }
    },
  },
  {
    name: 'body over 64 KiB',
    group: 'refusals',
    once: true,
    skip: notRaw,
    run: (on) =>
      refuse(on, 'The request with a body over 64 KiB', padded(LIMIT + 1024), [
        ...refusalsOf(on),
        ...REFUSED,
      ]),
  },
];

/** Leaves out the headers and the fields with the secret, or the signature. */
function withoutSecret(on: CheckedVersion): Change {
  const given = Object.entries({ ...on.player.settings.system.headers, ...on.version.headers });
  const named = given.filter(([, value]) => value.includes('{secret}')).map(([name]) => name);
  const signing = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const sign = signatureIn(on);
  const signed = sign?.scheme === 'zitadel' ? [sign.header] : sign ? signing : [];
  return {
    secrets: [''],
    headers: Object.fromEntries([...named, ...signed].map((name) => [name, ''])),
  };
}
