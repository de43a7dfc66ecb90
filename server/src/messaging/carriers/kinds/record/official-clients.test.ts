import * as ses from '@aws-sdk/client-sesv2';
import { CARRIER_KIND_FACTS } from '@sixdigit/contract/operator/carrier-setups.ts';
import { Models, ServerClient } from 'postmark';
import { type ErrorResponse, Resend } from 'resend';
import { describe, expect, test } from 'vitest';
import { carrierMessage, dispatchOnce } from '../../../../../test/carrier-message.ts';
import { type CompanyFake, startCompany } from '../../../../../test/fakes/companies/company.ts';
import { MAIL_COMPANIES, type MailCompany } from '../../../../../test/fakes/companies/mail.ts';
import type { Incoming } from '../../../../../test/fakes/http-listener.ts';
import { fixture } from '../../../../../test/fixture.ts';
import { systemClock } from '../../../../platform/clock.ts';
import { createCarrier } from '../../kinds.ts';
import { aws4Headers } from './aws4.ts';

/** The providers' own clients against our fakes, so that both ends of our tests speak the providers' formats. */
const message = {
  ...carrierMessage({ channel: 'email', recipient: 'someone@example.com' }),
  subject: 'Your Verification Code',
  html: '<p>123456</p>',
  reference: 'reference-1',
  reply_to: 'help@example.com',
  sender_name: 'Zoë',
};
const { id, recipient: to, subject, text, html, reference, reply_to } = message;
const HEADERS = {
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'All',
  'X-Entity-Ref-ID': id,
};
const headers = Object.entries(HEADERS).map(([Name, Value]) => ({ Name, Value }));

interface Client {
  /** Returns the provider's id of the message. */
  send(): Promise<string | undefined>;
  /** Makes the request that checks the credentials. */
  check?(): Promise<unknown>;
  /** Removes an address from the provider's list. */
  unsuppress?(address: string): Promise<unknown>;
}

const CLIENTS: Partial<Record<MailCompany['kind'], (url: string, fields: Record<string, string>) => Client>> =
  {
    postmark(url, { api_key = '', stream = '' }) {
      const client = new ServerClient(api_key, { requestHost: new URL(url).host, useHttps: false });
      return {
        async send() {
          const sent = await client.sendEmail({
            From: '"Zoë" <no-reply@example.com>',
            To: to,
            ReplyTo: reply_to,
            Subject: subject,
            TextBody: text,
            HtmlBody: html,
            MessageStream: stream,
            TrackOpens: false,
            TrackLinks: Models.LinkTrackingOptions.None,
            Metadata: { reference },
            Headers: headers,
          });
          return sent.MessageID;
        },
        check: () => client.getMessageStream(stream),
        unsuppress: (EmailAddress) => client.deleteSuppressions(stream, { Suppressions: [{ EmailAddress }] }),
      };
    },
    resend(url, { api_key }) {
      const client = new Resend(api_key, { baseUrl: url });
      return {
        async send() {
          const { data, error } = await client.emails.send(
            {
              from: '"Zoë" <no-reply@example.com>',
              to: [to],
              replyTo: reply_to,
              subject,
              text,
              html,
              headers: HEADERS,
              tags: [{ name: 'reference', value: reference }],
            },
            { idempotencyKey: `otp:${id}` },
          );
          if (error) throw Object.assign(new Error(error.message), { name: error.name });
          return data.id;
        },
      };
    },
    ses(url, { access_key_id = '', secret_access_key = '', region = '', configuration_set }) {
      const client = new ses.SESv2Client({
        endpoint: url,
        region,
        credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
        maxAttempts: 1,
      });
      const part = (Data: string) => ({ Data, Charset: 'UTF-8' });
      return {
        async send() {
          const command = new ses.SendEmailCommand({
            FromEmailAddress: '=?UTF-8?B?Wm/Dqw==?= <no-reply@example.com>',
            Destination: { ToAddresses: [to] },
            ReplyToAddresses: [reply_to],
            Content: {
              Simple: {
                Subject: part(subject),
                Body: { Text: part(text), Html: part(html) },
                Headers: headers,
              },
            },
            EmailTags: [{ Name: 'reference', Value: reference }],
            ConfigurationSetName: configuration_set,
          });
          return (await client.send(command)).MessageId;
        },
        check: () =>
          client.send(
            new ses.GetConfigurationSetEventDestinationsCommand({ ConfigurationSetName: configuration_set }),
          ),
        unsuppress: (EmailAddress) =>
          client.send(new ses.DeleteSuppressedDestinationCommand({ EmailAddress })),
      };
    },
  };

/** The client's name of each refusal. */
const PROBLEMS: Record<string, Record<string, string>> = {
  postmark: {
    carrier_down: 'ApiInputError',
    retry: 'RateLimitExceededError',
    suppressed: 'InactiveRecipientsError',
  },
  resend: { carrier_down: 'missing_api_key', retry: 'rate_limit_exceeded' },
  ses: { carrier_down: 'MailFromDomainNotVerifiedException', retry: 'TooManyRequestsException' },
};

/** Without the signature of a request, which contains the time. */
const credentialsOf = ({ headers: given }: Incoming) => [
  given['x-postmark-server-token'],
  given.authorization?.replace(/, SignedHeaders.*/, '').replace(/\/\d{8}\//, '/'),
];

/** What our function signs for the same request at the same time. */
function signatureOf(
  { method, path, text, headers: given }: Incoming,
  { access_key_id = '', secret_access_key = '', region = '' }: Record<string, string>,
): string | undefined {
  const signed = /SignedHeaders=([^,]+)/.exec(given.authorization ?? '')?.[1]?.split(';') ?? [];
  const now = String(given['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
  return aws4Headers(
    {
      method,
      url: new URL(`http://${given.host}${path}`),
      headers: Object.fromEntries(signed.map((name) => [name, String(given[name])])),
      body: text,
    },
    { keyId: access_key_id, secret: secret_access_key, region, service: 'ses', now: new Date(now) },
  ).authorization;
}

describe.each(MAIL_COMPANIES)('$kind', (company: MailCompany) => {
  const { kind, fields } = company;
  const record = CARRIER_KIND_FACTS[kind].preset?.record;
  const requests: Incoming[] = [];
  const recorded: MailCompany = {
    ...company,
    about(request) {
      requests.push(request);
      return company.about?.(request);
    },
  };
  const fake: CompanyFake = fixture(() => startCompany(recorded, () => new Date()));
  const client = () => CLIENTS[kind]?.(fake.url, fields) as Client;

  test(`the client of ${kind} sends a message as our carrier does`, async () => {
    expect(await client().send()).toBe(fake.messageTo(to).id);
    const carrier = createCarrier(kind, {
      name: kind,
      values: { ...fields, api_url: fake.url },
      brandName: 'Sixdigit',
      clock: systemClock,
    });
    expect(await dispatchOnce(carrier, message)).toMatchObject({ kind: 'accepted' });
    const [theirs, ours] = requests.splice(0) as [Incoming, Incoming];
    expect([ours.method, ours.path]).toEqual([theirs.method, theirs.path]);
    expect(JSON.parse(ours.text)).toEqual(JSON.parse(theirs.text));
    expect(credentialsOf(ours)).toEqual(credentialsOf(theirs));
    if (kind === 'resend') expect(ours.headers['idempotency-key']).toBe(theirs.headers['idempotency-key']);
  });

  test.each(Object.keys(company.refusals))(
    `the client of ${kind} understands a refusal: %s`,
    async (meaning) => {
      const [status = 0, body, more = {}] = company.refusals[meaning as keyof MailCompany['refusals']] ?? [];
      fake.answer = () => ({ status, body, headers: more });
      await expect(client().send()).rejects.toMatchObject({ name: PROBLEMS[kind]?.[meaning] });
      fake.answer = undefined;
    },
  );

  if (record?.unsuppress)
    test(`the client of ${kind} removes an address from the provider’s list as our carrier does`, async () => {
      const carrier = createCarrier(kind, {
        name: kind,
        values: { ...fields, api_url: fake.url },
        brandName: 'Sixdigit',
        clock: systemClock,
      });
      const address = "pat.o'hara+otp@example.com";
      requests.length = 0;
      await client().unsuppress?.(address);
      expect(await carrier.unsuppress?.(address)).toEqual({ outcome: 'removed' });
      const [theirs, ours] = requests.splice(0) as [Incoming, Incoming];
      expect([ours.method, ours.path, ours.text]).toEqual([theirs.method, theirs.path, theirs.text]);
      expect(credentialsOf(ours)).toEqual(credentialsOf(theirs));
      if (kind === 'ses')
        for (const one of [theirs, ours]) expect(signatureOf(one, fields)).toBe(one.headers.authorization);
    });

  if (record?.check)
    test(`the client of ${kind} asks for the same as our check`, async () => {
      requests.length = 0;
      await client().check?.();
      const path = record.check?.url.replace('{api_url}', '');
      expect(requests[0]).toMatchObject({
        method: 'GET',
        path: path?.replace(/\{(\w+)\}/, (_, name: string) => fields[name] ?? ''),
      });
    });
});

const recordOf = (kind: 'postmark' | 'resend' | 'ses') => {
  const record = CARRIER_KIND_FACTS[kind].preset?.record;
  return {
    statuses: Object.keys(record?.reports?.statuses ?? {}),
    errors: Object.keys(record?.send.errors ?? {}),
  };
};

test('the client of resend proves an event of its fake, and refuses a forged one', async () => {
  const company = MAIL_COMPANIES.find(({ kind }) => kind === 'resend') as MailCompany;
  await using fake = await startCompany(company, () => new Date());
  const event = company.event({ id: 'm1', reference }, 'hard_bounce');
  const verified = (forged: boolean) => {
    const { headers: given, body } = fake.callback('http://127.0.0.1/', event, { forged });
    const [one = '', timestamp = '', signature = ''] = ['id', 'timestamp', 'signature'].map(
      (name) => given[`svix-${name}`],
    );
    return new Resend('re_1').webhooks.verify({
      payload: body,
      headers: { id: one, timestamp, signature },
      webhookSecret: company.fields.signing_key ?? '',
    });
  };
  expect(verified(false)).toEqual(event);
  expect(() => verified(true)).toThrow();
});

test('every type of bounce that the client of postmark knows has a meaning', () => {
  expect(recordOf('postmark').statuses).toEqual(expect.arrayContaining(Object.values(Models.BounceType)));
});

test('the errors to which a record gives a meaning are those of the client', () => {
  // The compiler compares the names with the client's.
  const names: Record<ErrorResponse['name'], true> = {
    invalid_idempotency_key: true,
    validation_error: true,
    missing_api_key: true,
    restricted_api_key: true,
    invalid_api_key: true,
    not_found: true,
    method_not_allowed: true,
    invalid_idempotent_request: true,
    concurrent_idempotent_requests: true,
    invalid_attachment: true,
    invalid_from_address: true,
    invalid_access: true,
    invalid_parameter: true,
    invalid_region: true,
    missing_required_field: true,
    monthly_quota_exceeded: true,
    daily_quota_exceeded: true,
    rate_limit_exceeded: true,
    security_error: true,
    application_error: true,
    internal_server_error: true,
  };
  expect(Object.keys(names)).toEqual(expect.arrayContaining(recordOf('resend').errors));
  const ofEveryService = [
    'AccessDeniedException',
    'UnrecognizedClientException',
    'InvalidSignatureException',
    'ThrottlingException',
  ];
  expect([...Object.keys(ses), ...ofEveryService]).toEqual(expect.arrayContaining(recordOf('ses').errors));
});
