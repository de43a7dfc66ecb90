import { expect, test } from 'vitest';
import { startReceiver } from '../../../test/fakes/receiver.ts';
import { startSmtp } from '../../../test/fakes/smtp.ts';
import { fixture } from '../../../test/fixture.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Carrier, Message } from './carrier.ts';
import { httpCarrier } from './kinds/http/send.ts';
import { smtpCarrier } from './kinds/smtp/send.ts';
import { twilioCarrier } from './kinds/twilio/send.ts';

/** A carrier of the console whose name leads into the network, although its address passed when it was saved. */
const inside = fixture(startReceiver);
const mailServer = fixture(startSmtp);
const secureMailServer = fixture(() => startSmtp({ tls: 'implicit' }));
const clock = systemClock;
const brandName = 'Sixdigit';
const from = 'codes@sixdigit.test';
const never = new AbortController().signal;
const message = (channel: Message['channel']): Message => ({
  id: '01a1fc70-fdee-736c-b69f-fcfa3db1c769',
  channel,
  recipient: channel === 'email' ? 'anna@example.com' : '+14155550100',
  text: 'Your code: 123456',
  code: '123456',
  expires_at: new Date(Date.now() + 60_000),
});
const leadingTo = (...addresses: string[]) => ({ allowPrivate: false, resolve: async () => addresses });
const portOf = (url: string) => new URL(url).port;

test.each([['127.0.0.1'], ['10.0.0.1'], ['169.254.169.254'], ['::1'], ['8.8.8.8', '127.0.0.1']])(
  'a gateway whose name resolves to %s gets no connection',
  async (...addresses) => {
    for (const protocol of ['http', 'https']) {
      const url = `${protocol}://gateway.example.com:${inside.port}/send`;
      const reach = leadingTo(...addresses);
      const carriers: Carrier[] = [
        httpCarrier({ url, secret: 'a secret of the gateway', clock, reach }),
        twilioCarrier({
          accountSid: 'AC1',
          authToken: 't',
          from: '+12025550199',
          apiUrl: url,
          clock,
          reach,
        }),
      ];
      for (const carrier of carriers) {
        const outcome = await carrier.dispatch(message('sms'), never);
        expect(outcome).toMatchObject({ kind: 'refused', reason: 'carrier_blocked', rest: true });
        await carrier.close?.();
      }
    }
    expect([inside.connections, inside.bytesRead]).toEqual([0, 0]);
  },
);

test('a gateway with an address of the network as its host gets no connection', async () => {
  const url = `http://127.0.0.1:${inside.port}/send`;
  const carrier = httpCarrier({ url, secret: 'a secret of the gateway', clock, reach: leadingTo() });
  expect(await carrier.dispatch(message('sms'), never)).toMatchObject({ reason: 'carrier_blocked' });
  expect(inside.connections).toBe(0);
  await carrier.close?.();
});

test('a mail server whose name resolves into the network gets no connection', async () => {
  for (const scheme of ['smtp', 'smtps']) {
    const url = `${scheme}://mail.example.com:${portOf(mailServer.url)}`;
    const carrier = smtpCarrier({ url, from, brandName, reach: leadingTo('127.0.0.1') });
    const outcome = await carrier.dispatch(message('email'), never);
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'carrier_blocked' });
    expect(outcome).not.toHaveProperty('temporary');
    await carrier.close?.();
  }
  expect(mailServer.connections).toBe(0);
});

test('checked connections carry mail, with STARTTLS and with TLS from the start', async () => {
  for (const server of [mailServer, secureMailServer]) {
    const carrier = smtpCarrier({ url: server.url, from, brandName, reach: { allowPrivate: true } });
    expect(await carrier.dispatch(message('email'), never)).toMatchObject({ kind: 'accepted' });
    await carrier.close?.();
  }
  expect((await secureMailServer.waitForMailTo('anna@example.com')).isEncrypted).toBe(true);
});
