import { sendOtp } from '@sixdigit/contract/otp.ts';
import { asciiDigits } from '@sixdigit/contract/text/digits.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { describe, expect, test } from 'vitest';
import { serviceWithCarriers } from '../../test/carriers.ts';
import { numberOf } from '../../test/fakes/behaviour.ts';
import { startReceiver } from '../../test/fakes/receiver.ts';
import { fixture } from '../../test/fixture.ts';
import { sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { dumpTables } from '../../test/table-dump.ts';
import { eraseRecipient } from './deletion.ts';
import { spellingsOf } from './spellings.ts';

const PHONES = [
  '+14155552671',
  '14155552671',
  '4155552671',
  '0014155552671',
  '011 1 415 555 2671',
  '(415) 555-2671',
  '415-555-2671',
  '415.555.2671',
  '415 555 2671',
  '+1 (415) 555‑2671',
  '+1/415/555/2671',
  '415\u00a0555\u00a02671',
  '415\u2009555\u20092671',
  '4\u200b155552671',
  '＋１４１５５５５２６７１',
  '٤١٥٥٥٥٢٦٧١',
  '+१४१५५५५२६७१',
  '𝟜𝟙𝟝𝟝𝟝𝟝𝟚𝟞𝟟𝟙',
  '415-555-2671 ext. 12',
  'tel:+1-415-555-2671;ext=12',
  '%2B14155552671',
  '415%20555%202671',
  '٤1٥-555-26٧1',
  'für 415-555-2671',
];
const EMAILS = [
  'pat.doe@example.com',
  'Pat.Doe@Example.COM',
  'PAT.DOE@EXAMPLE.COM',
  ' pat.doe@example.com ',
  'mailto:pat.doe@example.com',
  'MAILTO:Pat.Doe@example.com',
  'Pat <pat.doe@example.com>',
  '"Pat Doe" <Pat.Doe@example.com>',
  '<pat.doe@example.com>',
  'pat.doe@example.com,',
  'pat.doe@example.com.',
  'pat.doe%40example.com',
  'pat.doe&#64;example.com',
  'pat.doe＠example.com',
  'ｐａｔ.ｄｏｅ@example.com',
  'pat.doe@ｅｘａｍｐｌｅ.com',
  'pat.\u200bdoe@example.com',
  'pat.doe@exam\u00adple.com',
  'pat.doe @ example.com',
  'pat.doe(at)example.com',
  '"pat.doe"@example.com',
  'für Pat.Doe@example.com',
];
const PHONE = { recipient: '+14155552671', digits: ['14155552671', '4155552671'] };
const EMAIL = { recipient: 'pat.doe@example.com', digits: [] };

const flat = (text: string): string =>
  asciiDigits(text)
    .replace(/\p{Cf}/gu, '')
    .toLowerCase();
const namesPhone = (text: string): boolean =>
  flat(text)
    .replace(/%20|[^0-9]/g, '')
    .includes('4155552671');
const namesEmail = (text: string): boolean =>
  /pat\.doe["\s]*(@|%40|&#64;|\(at\))["\s]*example\.com/.test(flat(text)) || flat(text).includes('pat.doe');

describe('inside a text', () => {
  test.each(PHONES)(
    'erasing finds the phone number %j in a text and keeps the text around it',
    (spelling) => {
      const redacted = spellingsOf(PHONE).redact(`Call ${spelling} now, code {code} 4711`, '[erased]');
      expect(namesPhone(redacted)).toBe(false);
      expect(redacted).toMatch(/^Call .*\[erased\] now, code \{code\} 4711$/);
    },
  );

  test.each(EMAILS)(
    'erasing finds the e-mail address %j in a text and keeps the text around it',
    (spelling) => {
      const redacted = spellingsOf(EMAIL).redact(`Write to ${spelling} now, code {code}`, '[erased]');
      expect(namesEmail(redacted)).toBe(false);
      expect(redacted).toMatch(/^Write to .*\[erased\].* now, code \{code\}$/);
    },
  );

  test.each(['+14155552672', '94155552671', '415555267', 'order 24155552671999'])(
    'erasing a phone number keeps a similar number: %s',
    (other) => expect(spellingsOf(PHONE).redact(other, '[erased]')).toBe(other),
  );

  test.each(['xpat.doe@example.com', 'pat.doe@example.company', 'pat.doe@my-example.com'])(
    'erasing an e-mail address keeps a similar address: %s',
    (other) => expect(spellingsOf(EMAIL).redact(other, '[erased]')).toBe(other),
  );
});

test('erasing finds an e-mail address with hyphens, slashes and other marks', () => {
  const person = { recipient: 'a-b/c+d{e}@my-shop.example', digits: [] };
  expect(spellingsOf(person).redact('To A-B/c+d{e}@My-Shop.example.', '[erased]')).toBe('To [erased].');
});

test('erasing finds an e-mail address whose characters are escaped in an HTML mail', () => {
  const person = { recipient: "r&d.o'neil@example.com", digits: [] };
  expect(spellingsOf(person).redact('To r&amp;d.o&#39;neil@example.com.', '[erased]')).toBe('To [erased].');
});

describe('after erasing', () => {
  const service = fixture(testService);
  const alice = fixture(() => service.customer('Alice', { credits: 1_000 }));

  /** Every value of every column of every table, with its location. */
  async function allValues(): Promise<{ place: string; value: string }[]> {
    const { db } = service.app;
    const tables = await db.rows<{ table: string }>(
      `select table_name as "table" from information_schema.tables
       where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    expect(tables.length).toBeGreaterThan(60);
    const values: { place: string; value: string }[] = [];
    for (const { table } of tables)
      for (const { column, value } of await db.rows<{ column: string; value: string }>(
        `select field.name as "column", field.text as value
         from "${table}" as one_row, jsonb_each_text(to_jsonb(one_row)) as field (name, text) where field.text is not null`,
      ))
        values.push({ place: `${table}.${column}`, value });
    return values;
  }

  /** Rows of every kind that can contain text from a customer, a carrier or an endpoint. */
  async function leave(spelling: string, channel: 'sms' | 'email'): Promise<void> {
    const { db, random } = service.app;
    const call = (body: Record<string, unknown>) =>
      service.call(sendOtp, { apiKey: alice.api_key, body: body as never });
    // As a recipient that is accepted or refused, and inside messages to others.
    await call({ channel, recipient: spelling });
    await call({ channel, recipient: spelling, expires_in: 1 });
    await call({ channel: 'pigeon', recipient: spelling });
    const other = `other.${random.uuid()}@example.org`;
    const sent = await call({ channel: 'email', recipient: other, message: `From ${spelling}: {code}` });
    expect(sent.status).toBe(201);
    await service.deliver();
    // Rows logged by a previous version, and responses of carriers and endpoints.
    await db.run(
      `insert into request_logs (account_id, id, api_key_id, request_type, response_status_code, response_time_ms,
         recipient, created_at) values ($1, $2, $3, 'send_otp', 400, 1, $4, clock_now())`,
      [alice.account_id, random.uuid(), alice.api_key_id, spelling.toLowerCase()],
    );
    await db.run(`update verifications set failure = $2, provider_message_id = $3 where recipient = $1`, [
      other,
      `refused for ${spelling}`,
      `to:${spelling}`,
    ]);
    await db.run(
      `insert into status_history (account_id, otp_id, new_status, changed_at, notes)
       select account_id, id, 'failed', clock_now(), $2 from verifications where recipient = $1`,
      [other, `Blocked: ${spelling}`],
    );
    await db.run(
      `insert into webhook_attempts (id, endpoint_id, account_id, message_id, event_type, attempt, attempted_at,
         duration_ms, succeeded, response_excerpt, error)
       values ($1, $2, $2, $1, 'otp.sent', 1, clock_now(), 5, false, $3, $4)`,
      [random.uuid(), alice.account_id, `thank you, ${spelling}!`, `no route for ${spelling}`],
    );
    await db.run('update accounts set default_message = $2 where id = $1', [
      alice.account_id,
      `Ask ${spelling}. {code}`,
    ]);
    await service.app.requestLog.flush();
    await service.clock.advance(60_000);
  }

  test.each([
    ['phone number', '+14155552671', PHONES, 'sms', namesPhone],
    ['e-mail address', 'pat.doe@example.com', EMAILS, 'email', namesEmail],
  ] as const)(
    'after an erasure, no column of any table contains any spelling of the %s',
    { timeout: 120_000 },
    async (_what, recipient, spellings, channel, names) => {
      for (const spelling of spellings) await leave(spelling, channel);
      await service.drain();
      expect((await allValues()).filter(({ value }) => names(value)).length).toBeGreaterThan(100);
      await eraseRecipient(service.app, recipient);
      // The sentence about a malformed number has the same example.
      const left = (await allValues())
        .filter(({ value }) => names(value.replaceAll('such as +14155552671', '')))
        .map(({ place, value }) => ({ place, value: value.slice(0, 200) }));
      expect(left).toEqual([]);
      const { message } = await service.app.db.one<{ message: string }>(
        `select message from verifications where message like 'From %[erased]%{code}' limit 1`,
      );
      expect(message).toContain('[erased]');
    },
  );
});

/** What carriers and receivers write about a recipient comes over the wire, and every table is searched for it. */
const recipient = numberOf.echo;
/** the national number, in any spelling */
const NAMED = /2025550121/;
const digits = (text: string) => text.replace(/\D/g, '');

const ANSWERS = [
  `No route to ${recipient}, retry later`,
  '{"error": "unknown", "to": "+1 202-555-0121"}',
  '<p>(202)&nbsp;555&nbsp;0121 is busy</p>',
  `${'. '.repeat(2040)} to ${recipient} and more`,
];

const service = fixture(() => serviceWithCarriers(['twilio', 'http'], { WEBHOOK_ALLOW_PRIVATE: '1' }));
const receiver = fixture(startReceiver);
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));

const tablesThatName = async () => [
  ...new Set(
    (await dumpTables(service.app.db))
      .filter(
        ({ text }) =>
          NAMED.test(text) || NAMED.test(digits(text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ' x '))),
      )
      .map(({ table }) => table),
  ),
];

test('an erased recipient is in no table, even where a carrier or a receiver quoted the number', async () => {
  const bearer = await signedIn(service, alice);
  const { status } = await service.call(createWebhook, {
    bearer,
    body: { name: 'Receiver', url: receiver.at('/answers') } as never,
  });
  expect(status).toBe(201);
  let answered = 0;
  receiver.answer = () => ({ status: 500, body: ANSWERS[answered++ % ANSWERS.length] ?? '' });
  await alice.sent(recipient);
  for (let n = 0; n < 12; n += 1) {
    await service.drain();
    await service.clock.advance(3 * 3_600_000);
  }
  expect(answered).toBeGreaterThan(ANSWERS.length);
  expect(await tablesThatName()).toEqual(
    expect.arrayContaining(['verifications', 'webhook_attempts', 'webhook_messages', 'request_logs']),
  );
  await eraseRecipient(service.app, recipient);
  expect(await tablesThatName()).toEqual([]);
});
