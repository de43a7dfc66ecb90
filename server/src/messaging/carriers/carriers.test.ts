import type { Channel } from '@sixdigit/contract/channels.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import type { Carrier, Message } from './carrier.ts';
import { type Carriers, createCarriers } from './create-carriers.ts';
import { type CarrierOptions, type CarrierSetting, carrierProblems } from './environment.ts';

const smtp = { SMTP_URL: 'smtp://127.0.0.1:1', EMAIL_FROM: 'codes@sixdigit.example' };
const twilio = {
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_AUTH_TOKEN: 'secret-token',
  TWILIO_FROM: '+12025550199',
};
const http = { HTTP_CARRIER_URL: 'http://127.0.0.1:1/', HTTP_CARRIER_SECRET: 'a secret of the carrier' };
const production = { sandbox: false, brandName: 'Sixdigit' };
const sandbox = { sandbox: true, brandName: 'Sixdigit' };

type Given = Omit<CarrierOptions, 'settings'> & Partial<Record<CarrierSetting, string>>;
const optionsOf = ({ sandbox, brandName, chosen = {}, ...settings }: Given): CarrierOptions => ({
  sandbox,
  brandName,
  chosen,
  settings,
});

const stored: Message[] = [];
const printed: string[] = [];
const opened: Carriers[] = [];
afterEach(async () => {
  for (const carriers of opened.splice(0)) await carriers.close();
  stored.length = 0;
  printed.length = 0;
});
function open(options: Given, store = async (message: Message) => void stored.push(message)): Carriers {
  const carriers = createCarriers(optionsOf(options), {
    clock: systemClock,
    sandboxStore: store,
    sandboxPrint: (line) => printed.push(line),
  });
  opened.push(carriers);
  return carriers;
}
const names = (carriers: Carriers, channel: Channel) => carriers.forChannel(channel).map(({ name }) => name);

test('all configured carriers serve a channel, channel-specific carriers first', () => {
  const carriers = open({ ...production, ...smtp, ...twilio, ...http });
  expect(names(carriers, 'email')).toEqual(['smtp', 'http']);
  expect(names(carriers, 'sms')).toEqual(['twilio', 'http']);
  expect(names(carriers, 'voice')).toEqual(['twilio', 'http']);
});

test('the HTTP gateway serves WhatsApp and Telegram only if their settings name it', () => {
  const usual = open({ ...production, ...http });
  expect([usual.has('whatsapp'), usual.has('telegram')]).toEqual([false, false]);
  const named = open({ ...production, ...http, chosen: { whatsapp: ['http'] } });
  expect([names(named, 'whatsapp'), named.has('telegram')]).toEqual([['http'], false]);
  expect(open({ ...sandbox, ...http }).isSimulated('telegram')).toBe(true);
});

test('a channel uses the carriers in the order that the operator sets', () => {
  const carriers = open({
    ...production,
    ...smtp,
    ...twilio,
    ...http,
    chosen: { sms: ['http', 'twilio', 'http'] },
  });
  expect(names(carriers, 'sms')).toEqual(['http', 'twilio']);
  expect(names(carriers, 'voice')).toEqual(['twilio', 'http']);
});

test('in production, a channel without a configured carrier has no carrier', () => {
  const carriers = open({ ...production, ...smtp });
  expect(carriers.has('email')).toBe(true);
  expect(carriers.has('sms')).toBe(false);
  expect(names(carriers, 'voice')).toEqual([]);
});

test('a sandbox channel without a carrier uses the inbox', () => {
  const carriers = open({ ...sandbox, ...smtp });
  expect(names(carriers, 'email')).toEqual(['smtp']);
  expect(names(carriers, 'sms')).toEqual(['sandbox']);
  expect(carriers.isSimulated('email')).toBe(false);
  expect(carriers.isSimulated('voice')).toBe(true);
});

test('a messaging service carries no calls', () => {
  const from = `MG${'0'.repeat(32)}`;
  const carriers = open({ ...production, ...twilio, TWILIO_FROM: from });
  expect(names(carriers, 'sms')).toEqual(['twilio']);
  expect(carriers.has('voice')).toBe(false);
});

test('a carrier that is added replaces the inbox of its channels, and removing it restores the inbox', () => {
  const carriers = open(sandbox);
  const added: Carrier = {
    name: 'acme',
    channels: ['sms'],
    dispatch: async () => ({ kind: 'accepted', provider_message_id: null }),
  };
  expect(carriers.sendsToPhones()).toBe(false);
  carriers.setStored([{ key: '1', isEnabled: true, carrier: () => added }]);
  expect([names(carriers, 'sms'), names(carriers, 'voice')]).toEqual([['acme'], ['sandbox']]);
  expect([carriers.sendsToPhones(), carriers.isSimulated('sms')]).toEqual([true, false]);
  carriers.setStored([{ key: '2', isEnabled: false, carrier: () => added }]);
  expect([names(carriers, 'sms'), carriers.find('acme')?.name]).toEqual([['sandbox'], 'acme']);
  carriers.setStored([]);
  expect([names(carriers, 'sms'), carriers.find('acme')]).toEqual([['sandbox'], undefined]);
});

test('a carrier keeps its connections while its setup is unchanged', () => {
  const carriers = open(production);
  let created = 0;
  const stored = (key: string) => ({
    key,
    isEnabled: true,
    carrier: (): Carrier => {
      created += 1;
      return {
        name: 'acme',
        channels: ['sms'],
        dispatch: async () => ({ kind: 'accepted', provider_message_id: null }),
      };
    },
  });
  carriers.setStored([stored('1')]);
  const [first] = carriers.forChannel('sms');
  carriers.setStored([stored('1')]);
  expect([carriers.forChannel('sms')[0] === first, created]).toEqual([true, 1]);
  carriers.setStored([stored('2')]);
  expect([carriers.forChannel('sms')[0] === first, created]).toEqual([false, 2]);
});

const message: Message = {
  id: '1',
  channel: 'sms',
  recipient: '+12025550100',
  text: 'Your code:\n123456',
  code: '123456',
  expires_at: new Date(),
};
const never = new AbortController().signal;

test('the sandbox writes every message to the inbox and the terminal', async () => {
  for (const channel of ['sms', 'voice', 'email'] as const) {
    const [inbox] = open(sandbox).forChannel(channel);
    expect(await inbox?.dispatch({ ...message, channel }, never)).toMatchObject({ kind: 'accepted' });
  }
  expect(stored.map(({ channel }) => channel)).toEqual(['sms', 'voice', 'email']);
  expect(printed[0]).toBe('[sandbox] sms to +12025550100: Your code: 123456');
});

test('the sandbox refuses messages that the inbox cannot store', async () => {
  const [inbox] = open(sandbox, () => Promise.reject(new Error('database away'))).forChannel('sms');
  expect(await inbox?.dispatch(message, never)).toMatchObject({
    kind: 'refused',
    rest: true,
    temporary: true,
  });
  expect(printed).toEqual([]);
});

describe('problems', () => {
  test.each<[string, Given]>([
    ['no carrier', production],
    ['every carrier', { ...production, ...smtp, ...twilio, ...http }],
    ['a sandbox mail catcher without a sender', { ...sandbox, SMTP_URL: 'smtp://localhost:1025' }],
    [
      'a sender with a name',
      { ...production, ...smtp, EMAIL_FROM: '"Codes, Inc." <codes@sixdigit.example>' },
    ],
    ['an order', { ...production, ...twilio, ...http, chosen: { sms: ['http', 'twilio'], voice: ['http'] } }],
    ['a short code', { ...production, ...twilio, TWILIO_FROM: '12345' }],
  ])('the carrier settings are accepted with %s', (_, options) => {
    expect(carrierProblems(optionsOf(options))).toEqual([]);
  });

  test.each<[string, Given]>([
    ['SMTP_URL is not a URL', { ...production, ...smtp, SMTP_URL: 'mail.example.com' }],
    [
      'SMTP_URL must begin with smtp:// or smtps://',
      { ...production, ...smtp, SMTP_URL: 'https://mail.example.com' },
    ],
    [
      'unknown parameter "logger"',
      { ...production, ...smtp, SMTP_URL: 'smtp://mail.example.com?logger=true' },
    ],
    ['must be true or false', { ...production, ...smtp, SMTP_URL: 'smtp://mail.example.com?requireTLS=yes' }],
    ['EMAIL_FROM is missing', { ...production, SMTP_URL: smtp.SMTP_URL }],
    ['EMAIL_FROM must be', { ...production, ...smtp, EMAIL_FROM: 'a@b.example, c@d.example' }],
    [
      'EMAIL_FROM must be',
      { ...production, ...smtp, EMAIL_FROM: 'Codes <codes@sixdigit.example>\r\nBcc: eve@x.example' },
    ],
    [
      'TWILIO_AUTH_TOKEN is missing',
      { ...production, TWILIO_ACCOUNT_SID: 'AC1', TWILIO_FROM: '+12025550199' },
    ],
    ['TWILIO_SENDERS: US takes no sender names', { ...production, ...twilio, TWILIO_SENDERS: 'US Acme' }],
    ['TWILIO_FROM: Enter a number', { ...production, ...twilio, TWILIO_FROM: '202-555-0199' }],
    ['TWILIO_API_URL must be', { ...production, ...twilio, TWILIO_API_URL: 'api.twilio.com' }],
    ['HTTP_CARRIER_SECRET is missing', { ...production, HTTP_CARRIER_URL: 'https://carrier.example' }],
    [
      'HTTP_CARRIER_URL must be',
      {
        ...production,
        HTTP_CARRIER_URL: 'ftp://carrier.example',
        HTTP_CARRIER_SECRET: 'a secret of the carrier',
      },
    ],
    [
      'HTTP_CARRIER_SECRET must be',
      { ...production, HTTP_CARRIER_URL: 'https://carrier.example', HTTP_CARRIER_SECRET: 'whsec_%' },
    ],
    ['SMS_CARRIERS names "vonage"', { ...production, ...twilio, chosen: { sms: ['vonage'] } }],
    ['SMS_CARRIERS names "constructor"', { ...production, ...twilio, chosen: { sms: ['constructor'] } }],
    ['does not serve email', { ...production, ...twilio, chosen: { email: ['twilio'] } }],
    ['HTTP_CARRIER_URL is not set', { ...production, ...twilio, chosen: { sms: ['twilio', 'http'] } }],
    ['SANDBOX is not set', { ...production, chosen: { sms: ['sandbox'] } }],
    [
      'VOICE_CARRIERS names "twilio", but neither TWILIO_FROM nor TWILIO_SENDERS has a number',
      { ...production, ...twilio, TWILIO_FROM: '12345', chosen: { voice: ['twilio'] } },
    ],
  ])('the carrier settings are refused with: %s', (expected, options) => {
    const problems = carrierProblems(optionsOf(options));
    expect(problems).toEqual([expect.stringContaining(expected)]);
    expect(problems.join()).not.toContain('secret-token');
  });

  test('all problems of the carrier settings are reported together', () => {
    const options = {
      ...production,
      SMTP_URL: 'x',
      TWILIO_FROM: 'y!',
      HTTP_CARRIER_URL: 'z',
      chosen: { sms: ['q'] },
    };
    expect(carrierProblems(optionsOf(options))).toHaveLength(8);
  });
});
