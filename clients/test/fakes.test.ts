import { type FailureReason, failures } from '@sixdigit/contract/errors.ts';
import type { Challenge } from '@sixdigit/contract/proof.ts';
import { FakeSixdigit } from 'sixdigit/fake';
import { describe, expect, test } from 'vitest';
import { fixture } from '../../server/test/fixture.ts';
import { solved } from '../../server/test/proof.ts';
import { sender, wrongCode } from '../../server/test/sender.ts';
import { testService } from '../../server/test/service.ts';
import { read } from '../../server/test/source.ts';
import { type Driver, driverOf, type FakeDriver, fakeDriverOf, LANGUAGES } from './drivers.ts';
import { CallFailed, startPython } from './python.ts';

const service = fixture(testService);
const origin = fixture(async () => ({ url: await service.listen() }));
const python = fixture(startPython);

/** The service, with what a fake offers besides its calls. */
async function asFake(driver: Driver): Promise<FakeDriver> {
  return {
    ...driver,
    async codeFor(recipient) {
      await service.deliver();
      const [message] = await service.inbox(recipient);
      return message?.code ?? '';
    },
    async advance(seconds) {
      await service.clock.advance(seconds * 1000);
      await service.drain();
    },
  };
}

type Story = (client: FakeDriver) => Promise<unknown[]>;

/** What a caller can decide on. */
async function told(call: Promise<Record<string, unknown>>): Promise<unknown> {
  try {
    const { status, channel, recipient, segments, cost_credits, failure, language = null } = await call;
    return { status, channel, recipient, segments, cost_credits, failure, language };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    const { status, reason, facts, field_errors } = error.details;
    const { retry_after, ...others } = facts as Record<string, unknown>;
    // The service takes some milliseconds, the fake none.
    const minutes = Math.round(Number(retry_after ?? 0) / 60);
    return { status, reason, others, minutes, fields: Object.keys(field_errors as object) };
  }
}

const RECIPIENT = '+12015550100';
const sms = (recipient = RECIPIENT) => ({ channel: 'sms', recipient });
const UNKNOWN = '01a1fc75-a1b2-7c3d-8e4f-5a6b7c8d9e0f';

const stories: Record<string, Story> = {
  'a right code': async (client) => {
    const { otp_id } = await client.send(sms());
    const code = await client.codeFor(RECIPIENT);
    return [
      await told(client.get(String(otp_id))),
      await told(client.verify(String(otp_id), code)),
      await told(client.get(String(otp_id))),
      await told(client.verify(String(otp_id), code)),
      await told(client.cancel(String(otp_id))),
    ];
  },
  'a code with blanks and dashes': async (client) => {
    const { otp_id } = await client.send(sms());
    const code = await client.codeFor(RECIPIENT);
    return [await told(client.verify(String(otp_id), ` ${code.slice(0, 3)}-${code.slice(3)} `))];
  },
  'wrong codes up to the limit': async (client) => {
    const { otp_id } = await client.send(sms());
    const code = await client.codeFor(RECIPIENT);
    const answers = [await told(client.verify(String(otp_id), '12'))];
    for (let n = 1; n <= 6; n++) answers.push(await told(client.verify(String(otp_id), wrongCode(code, n))));
    return [
      ...answers,
      await told(client.verify(String(otp_id), code)),
      await told(client.get(String(otp_id))),
    ];
  },
  'two sends share a code and its tries': async (client) => {
    const first = await client.send(sms());
    const code = await client.codeFor(RECIPIENT);
    const second = await client.send(sms());
    const isSame = code === (await client.codeFor(RECIPIENT));
    return [
      isSame,
      await told(client.verify(String(first.otp_id), wrongCode(code))),
      await told(client.verify(String(second.otp_id), wrongCode(code))),
      await told(client.verify(String(second.otp_id), code)),
      await told(client.verify(String(first.otp_id), code)),
      await told(client.get(String(first.otp_id))),
    ];
  },
  'an expired code': async (client) => {
    const { otp_id } = await client.send({ ...sms(), expires_in: 60 });
    const code = await client.codeFor(RECIPIENT);
    await client.advance(61);
    const late = [
      await told(client.verify(String(otp_id), code)),
      await told(client.cancel(String(otp_id))),
      await told(client.get(String(otp_id))),
    ];
    const next = await client.send(sms());
    const fresh = await client.codeFor(RECIPIENT);
    return [...late, fresh === code, await told(client.verify(String(next.otp_id), fresh))];
  },
  'a canceled verification': async (client) => {
    const { otp_id } = await client.send(sms());
    const code = await client.codeFor(RECIPIENT);
    return [
      await told(client.cancel(String(otp_id))),
      await told(client.verify(String(otp_id), code)),
      await told(client.cancel(String(otp_id))),
    ];
  },
  'the limit of sends to a recipient': async (client) => {
    const answers = [];
    for (let n = 0; n < 6; n++) {
      answers.push(await told(client.send(sms())));
      await client.advance(60);
    }
    await client.advance(300);
    return [...answers, await told(client.send(sms()))];
  },
  'an unknown id': async (client) => [
    await told(client.get(UNKNOWN)),
    await told(client.cancel(UNKNOWN)),
    await told(client.verify(UNKNOWN, '123456')),
  ],
  'invalid fields': async (client) => [
    await told(client.send({ channel: 'sms', recipient: 'alice@example.com' })),
    await told(client.send({ channel: 'email', recipient: RECIPIENT })),
    await told(client.send({ ...sms(), message: 'No placeholder' })),
  ],
  'the borders of fields': async (client) => {
    const plan = { channel: undefined, channels: ['sms'], expires_in: 3600 };
    const cases: object[] = [
      ...[59, 60, 3600, 3601].map((expires_in) => ({ expires_in })),
      ...[5, 6, 10, 11].map((code_length) => ({ code_length })),
      ...[0, 1, 5, 6].map((max_attempts) => ({ max_attempts })),
      ...[6, 10, 11].map((max_attempts) => ({ code_length: 7, max_attempts })),
      ...['123', '1234', 'ABCDE12345', '12345678901'].map((code) => ({ code })),
      ...[{ max_attempts: 1 }, { code_length: 6 }].map((more) => ({ code: '123456', ...more })),
      ...['12345678', '123456789'].map((code) => ({ channel: 'telegram', code })),
      ...[8, 9].map((code_length) => ({ channel: 'telegram', code_length })),
      ...[14, 15, 900, 901].map((wait_seconds) => ({ ...plan, wait_seconds })),
      ...[{ channels: [] }, { code: '1234' }].map((more) => ({ ...plan, ...more })),
      ...['A', 'a'.repeat(32), 'a'.repeat(33)].map((purpose) => ({ purpose })),
      { wait_seconds: 15 },
    ];
    const sends = cases.map((fields, n) => ({ ...sms(`+1201555${2000 + n}`), ...fields }));
    return Promise.all(sends.map(async (send) => [send, await told(client.send(send))]));
  },
  'emails and calls': async (client) => [
    await told(client.send({ channel: 'email', recipient: ' Alice@Example.com' })),
    await told(client.send({ channel: 'voice', recipient: RECIPIENT })),
  ],
  'WhatsApp and Telegram': async (client) => {
    const own = await client.send({ ...sms(), message: 'Code: {code}' });
    return [
      await told(client.send({ channel: 'whatsapp', recipient: '+12015550103' })),
      await told(client.send({ channel: 'telegram', recipient: '+12015550103', code: 'AB12' })),
      await told(
        client.send({ channel: 'whatsapp', recipient: RECIPIENT, message: '{code}', domain: 'acme.com' }),
      ),
      await told(client.resend(String(own.otp_id), { channel: 'whatsapp' }, 'one')),
    ];
  },
  'codes of the caller': async (client) => {
    const own = { ...sms(), code: 'AB12' };
    const { otp_id, own_code } = await client.send(own);
    const id = String(otp_id);
    const fresh = await client.send({ ...own, code: '4711' });
    const usual = await client.send(sms('+12015550102'));
    return [
      own_code,
      await client.codeFor(RECIPIENT),
      (await client.send({ ...own, code: '4711' })).otp_id === fresh.otp_id,
      await told(client.verify(id, 'AB12')),
      await told(client.resend(id, {})),
      await told(client.outcome(id, true)),
      await told(client.outcome(id, true)),
      await told(client.outcome(id, false)),
      (await client.get(id)).outcome,
      await told(client.outcome(String(usual.otp_id), true)),
      await told(client.outcome(UNKNOWN, true)),
      await told(client.send({ ...own, code: 'ab1' })),
    ];
  },
  'a verify by recipient and purpose': async (client) => {
    const login = await client.send({ ...sms(), purpose: 'login' });
    const first = await client.send(sms());
    const newest = await client.send(sms());
    const code = await client.codeFor(RECIPIENT);
    const to = { recipient: ' +1 201 555 0100' };
    return [
      await told(client.verify({}, code)),
      await told(client.verify({ ...to, otp_id: newest.otp_id }, code)),
      await told(client.verify({ ...to, purpose: 'pay' }, code)),
      await told(client.verify(to, code)),
      await told(client.verify(to, code)),
      ...(await Promise.all([first, newest, login].map(({ otp_id }) => told(client.get(String(otp_id)))))),
    ];
  },
  'purposes, lengths and attempts': async (client) => {
    const login = await client.send({ ...sms(), purpose: 'login', code_length: 8, max_attempts: 2 });
    const code = await client.codeFor(RECIPIENT);
    const pay = await client.send({ ...sms(), purpose: 'pay' });
    const shared = await client.send({ ...sms(), purpose: 'login', code_length: 9 });
    const other = (await client.codeFor(RECIPIENT)) === code;
    return [
      [code.length, login.code_length, pay.code_length ?? null, shared.code_length, other],
      (await client.get(String(login.otp_id))).purpose,
      await told(client.verify(String(pay.otp_id), code)),
      await told(client.verify(String(shared.otp_id), wrongCode(code))),
      await told(client.verify(String(login.otp_id), wrongCode(code, 2))),
      await told(client.verify(String(login.otp_id), code)),
    ];
  },
  'the same code again': async (client) => {
    const { otp_id } = await client.send({ ...sms(), expires_in: 3600 });
    const code = await client.codeFor(RECIPIENT);
    const again = await client.resend(String(otp_id), { channel: 'voice' }, 'again');
    const repeated = await client.resend(String(otp_id), { channel: 'voice' }, 'again');
    await client.resend(String(otp_id), { channel: 'voice' }, 'later');
    const isSame = (await client.codeFor(RECIPIENT)) === code;
    const { resends } = await client.get(String(otp_id));
    const refused = [await told(client.resend(String(otp_id), { channel: 'email' }))];
    await client.advance(601);
    return [
      ...refused,
      [isSame, again.otp_id === otp_id, again.resend_id === repeated.resend_id, (resends as []).length],
      await told(client.resend(String(otp_id), {})),
      await told(client.verify(String(otp_id), code)),
      await told(client.resend(String(otp_id), {})),
      await told(client.resend(UNKNOWN, {})),
    ];
  },
  'channels in turn': async (client) => {
    const plan = { recipient: RECIPIENT, channels: ['sms', 'voice'] };
    const { otp_id, channels } = await client.send({ ...plan, wait_seconds: 60 });
    const waiting = async () =>
      ((await client.get(String(otp_id))).steps as { status: string }[]).map(
        ({ status }) => status === 'waiting',
      );
    const code = await client.codeFor(RECIPIENT);
    const before = await waiting();
    const next = await told(client.resend(String(otp_id), {}));
    const isSame = (await client.codeFor(RECIPIENT)) === code;
    const own = await client.send({
      recipient: '+12015550109',
      channels: ['whatsapp', 'sms'],
      message: 'Shop: {code}',
    });
    const ownSteps = (await client.get(String(own.otp_id))).steps as { status: string; reason?: string }[];
    const auto = await client.send({ recipient: 'alice@example.com', channels: 'auto' });
    await client.cancel(String(auto.otp_id));
    return [
      [channels, before, await waiting(), isSame, auto.channels],
      [own.channel, ownSteps[0]?.status, ownSteps[0]?.reason],
      next,
      await told(client.resend(String(otp_id), {})),
      await told(client.verify(String(otp_id), code)),
      await told(client.send({ ...plan, channel: 'sms' })),
      await told(client.send({ ...plan, channels: ['sms', 'sms'] })),
      await told(client.send({ ...plan, channels: ['sms', 'email'] })),
      await told(client.send({ ...plan, wait_seconds: 60, expires_in: 60 })),
      await told(client.send({ recipient: RECIPIENT })),
    ];
  },
  'a proof of work': async (client) => {
    const challenge = await client.challenge(RECIPIENT);
    const proof = solved(challenge as unknown as Challenge);
    return [
      [challenge.algorithm, challenge.maxnumber],
      await told(client.challenge(' ')),
      await told(client.send({ ...sms(), proof }, 'proved')),
      await told(client.send(sms(), 'proved')),
    ];
  },
  'one idempotency key': async (client) => {
    const first = await client.send(sms(), 'one-key');
    const again = await client.send(sms(), 'one-key');
    return [
      first.otp_id === again.otp_id,
      await told(client.send(sms('+12015550101'), 'one-key')),
      await told(client.send(sms(), 'another-key')),
    ];
  },
};

describe.each(Object.entries(stories))('%s', (title, story) => {
  const fromService = fixture(async () => {
    const alice = await sender(service, `Alice ${title}`, { keys: 1 });
    await service.app.db.run(
      `update api_keys set scopes = scopes || '{otp:own_code}' where account_id = $1`,
      [alice.account_id],
    );
    const driver = await driverOf('TypeScript', python, { apiKey: alice.api_key, baseUrl: origin.url });
    // The next story begins after the limits over all accounts.
    const answers = await story(await asFake(driver));
    await service.clock.advance(86_400_000);
    return { answers };
  });

  test.each(LANGUAGES)('the fake in %s answers like the service', async (language) => {
    const fake = await fakeDriverOf(language, python);
    expect(await story(fake)).toEqual(fromService.answers);
  });
});

test('a fake fails the next calls as told', async () => {
  for (const name of ['FakeSixdigit', 'AsyncFakeSixdigit'])
    await python.call({ call: 'new', client: name, class: name });
  for (const client of ['FakeSixdigit', 'AsyncFakeSixdigit']) {
    await python.call({ client, call: 'fail_next', args: { reason: 'spend_limit_reached', resets_at: 'x' } });
    const send = () => python.call({ client, call: 'send', args: sms() });
    await expect(send()).rejects.toMatchObject({
      details: { reason: 'spend_limit_reached', status: 402, facts: { resets_at: 'x' } },
    });
    const { otp_id } = (await send()) as { otp_id: string };
    await python.call({ client, call: 'fail_delivery', args: { otp_id } });
    expect(await python.call({ client, call: 'get', args: { otp_id } })).toMatchObject({
      status: 'failed',
      failure: 'Not delivered',
    });
    const args = { recipient: '+12015550109', channels: ['sms', 'voice'] };
    const plan = (await python.call({ client, call: 'send', args })) as { otp_id: string };
    await python.call({ client, call: 'fail_delivery', args: { otp_id: plan.otp_id } });
    expect(await python.call({ client, call: 'get', args: { otp_id: plan.otp_id } })).toMatchObject({
      status: 'sent',
      steps: [{ status: 'failed' }, { status: 'delivered' }],
    });
  }
});

const [ofCalls = ''] = read('clients/typescript/src/error.ts').split('export type ClientReason');
const reasons = [...ofCalls.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, name]) => name as FailureReason);

test.each(reasons)('a fake fails with %s as the service does', async (reason) => {
  const { status, error } = failures[reason];
  const fake = new FakeSixdigit();
  fake.failNext(reason as never);
  const client = `fake ${reason}`;
  await python.call({ call: 'new', client, class: 'FakeSixdigit' });
  await python.call({ client, call: 'fail_next', args: { reason } });
  const failed = { status, reason, message: status === 400 ? expect.any(String) : error };
  await expect(fake.get(UNKNOWN)).rejects.toMatchObject(failed);
  const got = python.call({ client, call: 'get', args: { otp_id: UNKNOWN } });
  await expect(got).rejects.toMatchObject({ details: failed });
});
