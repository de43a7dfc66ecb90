import { createHmac } from 'node:crypto';
import { listConnections, type SystemName } from '@sixdigit/contract/connection-list.ts';
import { createConnection, type NewConnection, updateConnection } from '@sixdigit/contract/connections.ts';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect } from 'vitest';
import { serviceWithCarriers } from './carriers.ts';
import { fixture } from './fixture.ts';
import { sender } from './sender.ts';
import { signedIn } from './signed-in.ts';

/** A request as a system makes it. */
export interface SystemRequest {
  headers: Record<string, string>;
  body: string;
  /** after the connection's address; default: the kind */
  path?: string;
  kind?: string;
}

export const JSON_TYPE = { 'content-type': 'application/json' };

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** A service whose customer Alice connects systems, and the exact requests of each system. */
export function connectionStage() {
  const service = fixture(() => serviceWithCarriers(['http'], { ALLOWED_COUNTRIES: '*' }));
  const alice = fixture(() => sender(service, 'Alice', { credits: 5_000, keys: 1 }));
  const bearer = () => signedIn(service, alice);

  /** An account can have 50 connections. */
  afterEach(async () => {
    const { db } = service.app;
    await db.run('delete from connections');
    await db.run(
      `update api_keys set deleted_at = clock_now() where kind = 'connection' and deleted_at is null`,
    );
  });

  let count = 0;
  const phone = () => `+1415555${String(6000 + ++count)}`;
  const code = () => String(100_000 + ++count);
  const nowMs = () => service.app.clock.now().getTime();

  const connected = async (system: SystemName, more: object = {}): Promise<NewConnection> => {
    const body = { system, name: `${system} ${++count}`, ...more };
    const made = await service.call(createConnection, { bearer: await bearer(), body });
    expect(made.status).toBe(201);
    return made.body;
  };
  const change = async ({ id }: { id: string }, body: { secret?: string; code_pattern?: string }) =>
    service.call(updateConnection, { bearer: await bearer(), params: { id }, body });
  const listed = async (id: string) =>
    (await service.call(listConnections, { bearer: await bearer() })).body.results.find(
      (one) => one.id === id,
    );

  async function post({ id }: { id: string }, { headers, body, path, kind = 'sms' }: SystemRequest) {
    const url = `/api/v1/in/${id}/${path ?? kind}`;
    const answer = await service.inject({ method: 'POST', url, headers, payload: body });
    return {
      status: answer.statusCode,
      type: String(answer.headers['content-type']),
      headers: answer.headers,
      text: answer.body,
      body: () => JSON.parse(answer.body),
    };
  }
  const messagesTo = async (recipient: string) => {
    await service.drain();
    return service.http.messages.filter((message) => message.recipient === recipient);
  };

  /** As Standard Webhooks says. GoTrue sends a new webhook-id in each attempt, and joins signatures with a comma and a space. */
  const signed = (secrets: string[], fields: object, at = nowMs()): SystemRequest => {
    const body = JSON.stringify(fields);
    const id = `msg_${crypto.randomUUID()}`;
    const signatures = secrets.map((secret) =>
      new Webhook(secret.replace(/^v1,/, '')).sign(id, new Date(at), body),
    );
    return {
      headers: {
        ...JSON_TYPE,
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at / 1000)),
        'webhook-signature': signatures.join(', '),
        'accept-encoding': 'identity',
      },
      body,
    };
  };
  const signedByZitadel = (
    secret: string,
    fields: object,
    { header = 'ZITADEL-Signature', at = nowMs() } = {},
  ): SystemRequest => {
    const body = JSON.stringify(fields);
    const seconds = Math.floor(at / 1000);
    const mac = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
    return { headers: { ...JSON_TYPE, [header.toLowerCase()]: `t=${seconds},v1=${mac}` }, body };
  };

  /** The usual request of each system for a message. */
  const requests: Record<SystemName, (made: NewConnection, to: string, sent: string) => SystemRequest> = {
    supabase: ({ secret }, to, sent) => signed([secret], supabaseSms(to, sent)),
    zitadel: ({ secret }, to, sent) => signedByZitadel(secret, zitadelSms(to, sent)),
    kratos: ({ secret }, to, sent) =>
      inJson(bearerOf(secret), {
        recipient: to,
        channel: 'sms',
        purpose: 'login_code_valid',
        code: sent,
        expires_in: 900,
      }),
    logto: ({ secret }, to, sent) =>
      inJson(secret, {
        to: to.replace('+', ''),
        type: 'SignIn',
        payload: { code: sent, locale: 'en' },
        ip: 'x',
      }),
    authentik: ({ secret }, to, sent) =>
      inJson(bearerOf(secret), {
        From: 'authentik',
        To: to,
        Body: sent,
        Message: `Use this code to authenticate in authentik: ${sent}`,
      }),
    keycloak: ({ secret }, to, sent) =>
      inForm(undefined, {
        key: secret,
        text: `Your SMS code is ${sent} and is valid for 5 minutes.`,
        to,
        from: 'Keycloak',
      }),
    fusionauth: ({ secret }, to, sent) =>
      inJson(basic('sixdigit', secret), {
        phoneNumber: to,
        textMessage: `Your two-factor code is: ${sent}`,
      }),
    novu: ({ secret }, to, sent) =>
      withKey(secret, { sender: 'Shop', to, content: `Shop: ${sent} is your code` }),
    webhook: ({ secret }, to, sent) =>
      signed([secret], { recipient: to, channel: 'sms', code: sent, extra: { of: 'tomorrow' } }),
    'twilio-messages': ({ id, secret }, to, sent) => {
      const sid = `AC${id.replaceAll('-', '')}`;
      const fields = { To: to, From: '+15005550006', Body: `${sent} is your login code` };
      return { path: `2010-04-01/Accounts/${sid}/Messages.json`, ...inForm(basic(sid, secret), fields) };
    },
  };
  return {
    service,
    alice,
    phone,
    code,
    nowMs,
    connected,
    change,
    listed,
    post,
    messagesTo,
    signed,
    signedByZitadel,
    requests,
  };
}

export const bearerOf = (secret: string): string => `Bearer ${secret}`;

export const inJson = (authorization: string, fields: object): SystemRequest => ({
  headers: { ...JSON_TYPE, authorization },
  body: JSON.stringify(fields),
});

export const withKey = (key: string, fields: object): SystemRequest => ({
  headers: { ...JSON_TYPE, 'x-api-key': key },
  body: JSON.stringify(fields),
});

const inForm = (authorization: string | undefined, fields: Record<string, string>): SystemRequest => ({
  headers: {
    'content-type': 'application/x-www-form-urlencoded',
    ...(authorization === undefined ? {} : { authorization }),
  },
  body: new URLSearchParams(fields).toString(),
});

/** GoTrue strips the plus sign. */
export const supabaseSms = (to: string, otp: string, more: object = {}): object => ({
  metadata: {
    uuid: crypto.randomUUID(),
    time: '2026-11-26T00:00:00Z',
    name: 'send-sms',
    ip_address: '203.0.113.7',
  },
  user: {
    id: crypto.randomUUID(),
    aud: 'authenticated',
    role: 'authenticated',
    email: '',
    phone: to.replace('+', ''),
    app_metadata: { provider: 'phone', providers: ['phone'] },
    user_metadata: {},
    identities: [],
  },
  sms: { otp },
  ...more,
});

export const zitadelSms = (to: string, sent: string): object => ({
  contextInfo: {
    recipientPhoneNumber: to,
    eventType: 'user.human.phone.code.added',
    provider: { id: '1', description: 'Sixdigit' },
  },
  templateData: { title: 'Verify phone', text: `Use ${sent} to verify …`, url: 'https://id.example.com/ui' },
  args: { code: sent, domain: 'id.example.com', userName: 'ana', expiry: 3_600_000_000_000 },
});
