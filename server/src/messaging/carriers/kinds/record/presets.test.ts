import {
  CARRIER_KIND_FACTS,
  CARRIER_KINDS,
  checkCarrier,
  createCarrierSetup,
  listCarrierSetups,
  updateCarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { getOperatorCarriers, testCarrier } from '@sixdigit/contract/operator/carriers.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../../../test/carriers.ts';
import { COMPANIES } from '../../../../../test/fakes/companies/companies.ts';
import {
  type CompanyFake,
  type Reported,
  startCompany,
} from '../../../../../test/fakes/companies/company.ts';
import { MAIL_COMPANIES } from '../../../../../test/fakes/companies/mail.ts';
import type { Company, TakenMessage } from '../../../../../test/fakes/companies/wire.ts';
import type { Callback } from '../../../../../test/fakes/http-listener.ts';
import { fixture } from '../../../../../test/fixture.ts';
import { testOperator } from '../../../../../test/operator.ts';
import { sender } from '../../../../../test/sender.ts';
import { dumpTables } from '../../../../../test/table-dump.ts';
import { eraseRecipient } from '../../../../deletion/deletion.ts';

/** Every preset that reports deliveries against a fake of its company, with the same faults. */
const service = fixture(() => serviceWithCarriers(['smtp'], { EMAIL_CARRIERS: 'smtp' }));
const olivia = fixture(() => testOperator(service));
const alice = fixture(() => sender(service, 'Alice', { credits: 5_000, keys: 40 }));
const bob = fixture(() => sender(service, 'Bob', { credits: 100 }));
const reason = 'Set up';
let count = 0;
const phone = () => `+1415555${2_000 + ++count}`;
beforeEach(() => service.clock.advance(1_000));

test('every preset that reports deliveries has a fake of its company', () => {
  const presets = CARRIER_KINDS.filter((kind) => CARRIER_KIND_FACTS[kind].preset?.record.reports);
  expect([...COMPANIES, ...MAIL_COMPANIES].map(({ kind }) => kind).toSorted()).toEqual(presets.toSorted());
});

type Setup = Given<typeof createCarrierSetup, 'body'>;
const nameOf = (kind: string) => `the-${kind}`;
const setups = async () => (await olivia.call(listCarrierSetups)).body.setups;
const send = async ({ url, headers, body }: Callback) => {
  const answer = await service.inject({
    method: 'POST',
    url: url.replace(/^https?:\/\/[^/]+/, ''),
    headers,
    payload: body,
  });
  return answer.statusCode;
};

describe.each(COMPANIES)('$kind', (company: Company) => {
  const { kind, fields, words, channel = 'sms' } = company;
  const name = nameOf(kind);
  const fake: CompanyFake = fixture(() => startCompany(company, () => service.app.clock.now()));
  const given = (): Setup =>
    ({ name, kind, channels: [channel], api_url: fake.url, ...fields, reason }) as Setup;
  let address: string | undefined;
  let inbound: string | undefined;
  beforeAll(async () => {
    expect(await olivia.call(createCarrierSetup, { body: given() })).toMatchObject({ status: 201 });
    const setup = (await setups()).find((one) => one.name === name);
    address = setup?.report_url ?? undefined;
    inbound = setup?.inbound_url ?? address;
  });
  const change = async (body: object) => {
    const { version = 0 } = (await setups()).find((one) => one.name === name) ?? {};
    const { name: _, kind: __, ...rest } = given();
    const all = { ...rest, is_enabled: true, version, ...body };
    const answer = await olivia.call(updateCarrierSetup, { params: { name }, body: all });
    expect(answer).toMatchObject({ status: 200 });
  };
  afterAll(() => change({ is_enabled: false }));

  async function texted(by = alice) {
    const recipient = phone();
    const before = await by.balance();
    const otp_id = await by.sent(recipient, { channel });
    await service.drain();
    return { recipient, otp_id, before, message: fake.messageTo(recipient) };
  }
  const report = (
    message: TakenMessage,
    said: Parameters<CompanyFake['report']>[1],
    options: Reported = {},
  ) => send(fake.report(message, said, { ...(address && { url: address }), ...options }));
  const delivered = async (otp_id: string) => (await alice.state(otp_id)).delivered_at !== null;

  test('a code arrives as the company expects it, and the report of its delivery counts', async () => {
    const { recipient, otp_id, message } = await texted();
    expect(message).toMatchObject({ to: recipient, text: expect.stringMatching(/\d{6}/) });
    if (message.seconds !== undefined) expect(message.seconds).toBeGreaterThan(200);
    expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', delivered_at: null });
    expect(await report(message, 'sent')).toBe(204);
    expect(await delivered(otp_id)).toBe(false);
    expect(await report(message, 'delivered')).toBe(204);
    expect(await delivered(otp_id)).toBe(true);
  });

  test('a failure returns the credit once, also if it is reported twice', async () => {
    const { otp_id, message, before } = await texted();
    expect(await report(message, 'failed')).toBe(204);
    expect(await report(message, 'failed')).toBe(204);
    expect(await alice.state(otp_id)).toMatchObject({
      status: 'failed',
      failure: expect.stringMatching(/^Not delivered: [a-z0-9 ]+$/),
    });
    expect(await alice.balance()).toBe(before);
  });

  test('reports out of order never undo a delivery', async () => {
    const { otp_id, message, before } = await texted();
    for (const said of ['delivered', 'sent', 'failed', 'delivered'] as const)
      expect(await report(message, said)).toBe(204);
    expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', delivered_at: expect.any(String) });
    expect(await alice.balance()).toBe(before - 1);
  });

  test('a report that comes a day late still counts', async () => {
    const { otp_id, message, before } = await texted();
    await service.clock.advance(86_400_000);
    await service.drain();
    expect(await report(message, 'failed')).toBe(204);
    expect(await alice.balance()).toBe(before);
    expect((await alice.state(otp_id)).status).toBe('expired');
  });

  test('a status that nobody knows changes nothing and is shown to operators', async () => {
    const { otp_id, message, before } = await texted();
    expect(await report(message, 'failed', { word: 'quite_new' })).toBe(204);
    expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', delivered_at: null });
    expect(await alice.balance()).toBe(before - 1);
    await service.app.activity.flush();
    const { errors } = (await olivia.call(getOperatorCarriers)).body;
    // Those of other events are confirmed and ignored.
    const isShown = !['httpsms', 'android'].includes(kind);
    const shown = errors.filter((one) => one.carrier === name && one.kind === 'report');
    expect(shown.map(({ detail }) => detail)).toEqual(
      isShown ? [expect.stringContaining('“quite_new”')] : [],
    );
  });

  test('an unknown status does not end the wait for a lost response, and a known one does', async () => {
    const recipient = phone();
    fake.answer = () => 'reset';
    const otp_id = await alice.sent(recipient, { channel });
    await service.drain();
    fake.answer = undefined;
    const message = fake.messageTo(recipient);
    expect(await report(message, 'failed', { word: 'quite_new' })).toBe(204);
    expect((await alice.state(otp_id)).status).toBe('pending');
    expect(await report(message, 'sent')).toBe(204);
    expect((await alice.state(otp_id)).status).toBe('sent');
  });

  test('a forged report changes nothing and gets the response of an unknown path', async () => {
    const { otp_id, message, before } = await texted();
    // The right ids with another proof.
    const given =
      message.reference ?? new URL(message.report_url ?? 'x:').searchParams.get('reference') ?? '';
    const forged = `${given.slice(0, 50)}${'A'.repeat(12)}`;
    const url = (message.report_url ?? '').replace(/\?.*/, '');
    const attempts: [TakenMessage, Reported][] = company.sign
      ? [
          [message, { forged: true }],
          [message, { unsigned: true }],
        ]
      : [
          [{ ...message, reference: forged }, { url: `${url}?reference=${forged}` }],
          [{ ...message, reference: undefined }, { url }],
        ];
    for (const [about, options] of attempts) expect(await report(about, 'failed', options)).toBe(404);
    expect((await alice.state(otp_id)).status).toBe('sent');
    expect(await alice.balance()).toBe(before - 1);
  });

  test('a report about one message cannot name another, not even with a valid proof', async () => {
    const mine = await texted();
    const theirs = await texted(bob);
    const { report_url, reference } = theirs.message;
    // The id of one message with the reference of another: the verification is that of the reference, and the ids differ.
    if (report_url || reference)
      await report(
        { ...mine.message, ...(report_url && { report_url }), ...(reference && { reference }) },
        'failed',
      );
    expect((await bob.state(theirs.otp_id)).status).toBe('sent');
    expect((await alice.state(mine.otp_id)).status).toBe('sent');
    expect([await alice.balance(), await bob.balance()]).toEqual([mine.before - 1, theirs.before - 1]);
  });

  test('a report in another charset or encoding is refused and changes nothing', async () => {
    const { otp_id, message } = await texted();
    const callback = fake.report(message, 'delivered', address ? { url: address } : {});
    const type = callback.headers['content-type'];
    for (const other of [{ 'content-type': `${type}; charset=iso-8859-1` }, { 'content-encoding': 'gzip' }])
      expect(await send({ ...callback, headers: { ...callback.headers, ...other } })).toBe(415);
    expect(await delivered(otp_id)).toBe(false);
  });

  if (kind === 'android')
    test("a report about another program's message on the phone changes nothing", async () => {
      const { message } = await texted();
      expect(await report({ ...message, id: 'not-an-id-of-ours' }, 'failed')).toBe(404);
    });

  if (company.batch)
    test('a request with a hundred reports counts each of them, and none that has no proof', async () => {
      const all = [];
      for (let n = 0; n < 12; n += 1) all.push(await texted());
      const items = all.map(({ message }, n) =>
        company.report(
          n === 11 ? { ...message, reference: 'x'.repeat(62) } : message,
          words.delivered ?? '',
          'delivered',
        ),
      );
      const others = Array.from({ length: 88 }, () =>
        company.report(
          { to: '+1', text: '', id: 'other', reference: 'other' },
          words.delivered ?? '',
          'delivered',
        ),
      );
      const url = (address ?? all[0]?.message.report_url ?? '').replace(/\?.*/, '');
      expect(await send(fake.callback(url, company.batch?.([...others, ...items])))).toBe(204);
      const states = await Promise.all(all.map(({ otp_id }) => delivered(otp_id)));
      expect(states).toEqual([...Array(11).fill(true), false]);
    });

  if (words.opted_out)
    test('a report that the recipient has opted out stops further messages', async () => {
      const { recipient, message } = await texted();
      expect(await report(message, 'opted_out')).toBe(204);
      expect((await alice.send(recipient)).body).toMatchObject({ reason: 'recipient_opted_out' });
    });

  if (company.text)
    test('STOP from a phone stops messages to it, and a forged STOP does not', async () => {
      const [one, other] = [phone(), phone()];
      const url = inbound ?? '';
      const forgedUrl = url.replace(/key=.{24}/, `key=${'x'.repeat(24)}`);
      const forged = fake.callback(forgedUrl, company.text?.(other, 'STOP'), { forged: true });
      expect(await send(forged)).toBe(404);
      expect((await alice.send(other, { channel })).status).toBe(201);
      expect(await send(fake.callback(url, company.text?.(one, 'STOP')))).toBe(
        inbound === address ? 204 : 200,
      );
      expect((await alice.send(one, { channel })).body).toMatchObject({ reason: 'recipient_opted_out' });
      await service.drain();
    });

  if (channel !== 'sms')
    test('a recipient without an account there is remembered for three days, and a send to it is not refused', async () => {
      const [status, body] = company.refusals.permanent ?? [400, {}];
      const recipient = phone();
      const isKnown = (of = recipient) =>
        service.app.plans.isUnreachable({ channel, recipient: of, is_test: false });
      const before = await alice.balance();
      fake.answer = () => ({ status, body });
      const otp_id = await alice.sent(recipient, { channel });
      await service.drain();
      fake.answer = undefined;
      expect((await alice.state(otp_id)).status).toBe('failed');
      expect([await alice.balance(), await isKnown()]).toEqual([before, true]);
      await alice.sent(recipient, { channel });
      await eraseRecipient(service.app, recipient);
      expect(await isKnown()).toBe(false);
      const reported = await texted();
      await report(reported.message, 'failed');
      // Telegram only reports that the message expired.
      expect(await isKnown(reported.recipient)).toBe(kind === 'whatsapp');
      await service.clock.advance(3 * 86_400_000 + 1_000);
      expect(await isKnown(reported.recipient)).toBe(false);
    });

  const asked = CARRIER_KIND_FACTS[kind].preset?.record.reports?.challenge;
  if (asked)
    test('the address for reports returns a challenge only for the verify token of its carrier', async () => {
      const token = (await setups()).find((one) => one.name === name)?.verify_token ?? '';
      const ask = async (given: string, text = '1158201444') => {
        const query = new URLSearchParams({
          'hub.mode': 'subscribe',
          [asked.token]: given,
          [asked.text]: text,
        });
        const path = (address ?? '').replace(/^https?:\/\/[^/]+/, '');
        const { statusCode, body } = await service.inject({ method: 'GET', url: `${path}?${query}` });
        return statusCode === 200 ? body : statusCode;
      };
      expect(await ask(token)).toBe('1158201444');
      expect([await ask('x'.repeat(24)), await ask(''), await ask(token, '<script>')]).toEqual([
        404, 404, 404,
      ]);
    });

  if (words.delivered === 'delivered' && asked)
    test('a message that was read counts as delivered, also without a report of its delivery', async () => {
      const { otp_id, message } = await texted();
      expect(await report(message, 'delivered', { word: 'read' })).toBe(204);
      expect(await delivered(otp_id)).toBe(true);
    });

  if (fields.signing_key)
    test('without its signing key, a report needs the secret address or the reference of its message', async () => {
      const bare = `${name}-bare`;
      const { signing_key: _, ...rest } = given() as Setup & { signing_key?: string };
      await change({ is_enabled: false });
      const added = await olivia.call(createCarrierSetup, { body: { ...rest, name: bare } });
      expect(added).toMatchObject({ status: 201 });
      const setup = added.body.setups.find((one) => one.name === bare);
      const { otp_id, message } = await texted();
      const url = setup?.report_url ?? message.report_url ?? '';
      const without = { unsigned: true, url: url.replace(/\?.*/, '') };
      const wrong = { unsigned: true, url: url.replace(/=.{20}/, `=${'x'.repeat(20)}`) };
      const stranger = { ...message, reference: 'x'.repeat(62) };
      for (const options of [without, wrong])
        expect(await send(fake.report(stranger, 'delivered', options))).toBe(404);
      expect(await delivered(otp_id)).toBe(false);
      expect(await send(fake.report(message, 'delivered', { unsigned: true, url }))).toBe(204);
      expect(await delivered(otp_id)).toBe(true);
      const { version = 0 } = (await setups()).find((one) => one.name === bare) ?? {};
      const { name: _name, kind: _kind, ...values } = rest;
      await olivia.call(updateCarrierSetup, {
        params: { name: bare },
        body: { ...values, is_enabled: false, version },
      });
      await change({});
    });

  const timed = CARRIER_KIND_FACTS[kind].preset?.record.reports?.proof;
  if (timed && (('timestamp' in timed && timed.timestamp) || timed.type === 'jwt'))
    test('a signed report cannot be replayed after its time', async () => {
      const { otp_id, message } = await texted();
      const at = new Date(service.app.clock.now().getTime() - 2 * 86_400_000);
      expect(await report(message, 'delivered', { at })).toBe(404);
      expect(await delivered(otp_id)).toBe(false);
    });

  test.each(Object.keys(company.refusals))('a refusal is understood: %s', async (meaning) => {
    const [status, body] = company.refusals[meaning as keyof Company['refusals']] ?? [500, {}];
    fake.answer = () => ({ status, body });
    const { name: carrier } = given();
    const answer = await olivia.call(testCarrier, {
      params: { name: carrier },
      body: { channel, recipient: '+14155552671' },
    });
    fake.answer = undefined;
    expect(answer.body.outcome).toBe('refused');
    const expected = {
      opted_out: /unsubscribed/,
      permanent: /cannot reach this recipient/,
      retry: /limits the rate|at the moment/,
      carrier_down: /refused the account or its token|does not accept messages of this account/,
    }[meaning];
    expect(answer.body.detail).toMatch(expected ?? /never/);
  });

  test('the check of the credentials sends no message and finds wrong ones', async () => {
    const before = fake.messages.length;
    const check = () => olivia.call(checkCarrier, { params: { name }, body: {} });
    expect((await check()).body).toMatchObject({ level: 'ok' });
    if (CARRIER_KIND_FACTS[kind].preset?.record.check) {
      const secret = CARRIER_KIND_FACTS[kind].fields.find(({ isSecret }) => isSecret)?.name ?? '';
      await change({ [secret]: 'wrong' });
      expect((await check()).body).toMatchObject({
        level: 'problem',
        says: expect.stringMatching(/credentials/),
      });
      await change({});
    }
    expect(fake.messages).toHaveLength(before);
  });

  test('its secrets are in no table, log or response', async () => {
    const secrets = CARRIER_KIND_FACTS[kind].fields.flatMap((field) =>
      field.isSecret ? [fields[field.name] ?? ''] : [],
    );
    const all = [
      ...(await dumpTables(service.app.db)).map(({ text }) => text),
      JSON.stringify(await setups()),
      ...service.logLines,
    ].join('\n');
    for (const secret of secrets.filter(Boolean)) expect(all).not.toContain(secret);
  });
});
