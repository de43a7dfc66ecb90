import type { ApiScope } from '@sixdigit/contract/api-keys.ts';
import { cancelOtp, getOtp, type SendBody, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { expect } from 'vitest';
import { selectStatusLogs } from '../src/otp/otp.ts';
import { type Answer, callOn } from './call.ts';
import type { Customer, TestService } from './service.ts';

/** A customer who sends and verifies, with enough keys to stay below the rate limit. */
export interface Sender extends Customer {
  keys: string[];
  /** The next key. */
  key(): string;
  send(
    recipient: string,
    more?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<Answer<typeof sendOtp>>;
  /** Sends and expects 201. Returns the otp_id. */
  sent(recipient: string, more?: Record<string, unknown>): Promise<string>;
  verify(otp_id: unknown, code: unknown, headers?: Record<string, string>): Promise<Answer<typeof verifyOtp>>;
  cancel(otp_id: string): Promise<Answer<typeof cancelOtp>>;
  state(otp_id: string): Promise<Answer<typeof getOtp>['body']>;
  /** The newest code in the sandbox inbox. */
  code(recipient: string): Promise<string>;
  balance(): Promise<number>;
  /** kind and credits of each ledger entry, in order */
  entries(): Promise<[kind: string, credits: number][]>;
  /** The status history of a verification: statuses with their notes. */
  history(otp_id: string): Promise<{ from: string | null; to: string; notes: string | null }[]>;
}

type Send = Partial<typeof SendBody._output>;

interface SenderOptions {
  credits?: number;
  keys?: number;
  /** of all keys, besides the default ones */
  scopes?: ApiScope[];
}

export async function sender(
  service: TestService,
  name: string,
  { credits = 100, keys: keyCount = 12, scopes = [] }: SenderOptions = {},
): Promise<Sender> {
  const customer = await service.customer(name, { credits });
  const { account_id } = customer;
  const { db } = service.app;
  const others = await Promise.all(
    Array.from({ length: keyCount - 1 }, () => service.anotherKey(account_id)),
  );
  if (scopes.length > 0)
    await db.run('update api_keys set scopes = scopes || $2::text[] where account_id = $1', [
      account_id,
      scopes,
    ]);
  const keys = [customer.api_key, ...others.map(({ key }) => key)];
  let turn = 0;
  const key = (): string => keys[turn++ % keys.length] ?? '';
  const { server } = service;
  const made: Sender = {
    ...customer,
    keys,
    key,
    send: (recipient, more = {}, headers = {}) =>
      callOn(server, sendOtp, {
        apiKey: key(),
        headers,
        body: { channel: recipient.includes('@') ? 'email' : 'sms', recipient, ...(more as Send) },
      }),
    async sent(recipient, more) {
      const { status, body } = await made.send(recipient, more);
      expect(body).toMatchObject({ status: 'pending' });
      expect(status).toBe(201);
      return body.otp_id;
    },
    verify: (otp_id, code, headers = {}) =>
      callOn(server, verifyOtp, {
        apiKey: key(),
        headers,
        body: { otp_id, code } as { otp_id: string; code: string },
      }),
    cancel: (otp_id) => callOn(server, cancelOtp, { apiKey: key(), params: { otp_id } }),
    state: async (otp_id) => (await callOn(server, getOtp, { apiKey: key(), params: { otp_id } })).body,
    async code(recipient) {
      const [message] = await service.inbox(recipient);
      if (!message?.code) throw new Error(`No code came to ${recipient}`);
      return message.code;
    },
    balance: async () =>
      (await db.one<{ credits: number }>('select credits from balances where account_id = $1', [account_id]))
        .credits,
    entries: async () =>
      (
        await db.rows<{ kind: string; credits: number }>(
          'select kind, credits from ledger where account_id = $1 order by id',
          [account_id],
        )
      ).map(({ kind, credits }) => [kind, credits]),
    history: async (otp_id) =>
      (await selectStatusLogs(db, account_id, otp_id)).map(({ previous_status, new_status, notes }) => ({
        from: previous_status,
        to: new_status,
        notes,
      })),
  };
  return made;
}

/** A wrong code of the same length. */
export const wrongCode = (code: string, n = 1): string =>
  String((Number(code) + n) % 10 ** code.length).padStart(code.length, '0');
