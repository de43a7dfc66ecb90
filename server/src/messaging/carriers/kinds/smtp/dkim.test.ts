import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { expect, test } from 'vitest';
import { carrierMessage, dispatchOnce } from '../../../../../test/carrier-message.ts';
import { startNameServer } from '../../../../../test/fakes/dns.ts';
import { startSmtp } from '../../../../../test/fakes/smtp.ts';
import { fixture } from '../../../../../test/fixture.ts';
import { dkimKey, dkimRecord, newDkimKey } from './dkim.ts';
import { smtpCarrier } from './send.ts';
import { checkSenderDomain } from './sender-domain.ts';

const server = fixture(async () => {
  const smtp = await startSmtp();
  return Object.assign(smtp, { [Symbol.asyncDispose]: () => smtp.close() });
});
const dns = fixture(startNameServer);
const dkim = { selector: 'otp1', key: newDkimKey() };
const DOMAIN = 'sixdigit.example';
const record = dkimRecord(dkim, DOMAIN);

const send = (recipient: string) =>
  dispatchOnce(
    smtpCarrier({ url: server.url, from: `Zoë <codes@${DOMAIN}>`, brandName: 'Sixdigit', dkim }),
    carrierMessage({
      channel: 'email',
      recipient,
      text: 'Ihr Bestätigungscode: 123456  \n\n.\n',
      subject: 'Bestätigung',
      html: '<p>123456</p>',
    }),
  );

/** An independent verifier finds the key in the record that Sixdigit prints. */
async function verified(raw: string) {
  const { results } = await dkimVerify(Buffer.from(raw), {
    resolver: async (name, type) => {
      if (name === record.name && type === 'TXT') return [[record.value]];
      throw Object.assign(new Error('No such name'), { code: 'ENOTFOUND' });
    },
  });
  return results.map(({ status, signingDomain, selector }) => [status.result, signingDomain, selector]);
}

test('a mail is signed with the key of the record, in the name of the sender’s domain', async () => {
  expect(await send('alice@example.com')).toMatchObject({ kind: 'accepted' });
  const { raw } = await server.waitForMailTo('alice@example.com');
  expect(await verified(raw)).toEqual([['pass', DOMAIN, 'otp1']]);
  expect(await verified(raw.replace('Subject:', 'Subject: x'))).toEqual([['fail', DOMAIN, 'otp1']]);
  expect(raw).toMatch(/^From:.*codes@sixdigit\.example/m);
});

test('a signed mail that the server never took is a definite refusal', async () => {
  expect(await send('drop@example.com')).toMatchObject({ kind: 'refused' });
});

test.each(['', 'x', 'AAAA', Buffer.from('not a key').toString('base64')])('%j is not a key', (text) => {
  expect(dkimKey(text)).toBeUndefined();
});

const check = (using: typeof dkim | undefined = dkim) =>
  checkSenderDomain(DOMAIN, { dkim: using, servers: [dns.address] });
const levels = async () => (await check()).map(({ level, says }) => `${level}: ${says}`);

test('the doctor says what receivers find about the sender’s domain', async () => {
  dns.records.clear();
  expect(await levels()).toEqual([
    expect.stringMatching(/^warning: .*no SPF record/),
    expect.stringMatching(/^problem: .*has no DKIM record/),
    expect.stringMatching(/^warning: .*no DMARC record/),
  ]);
  dns.records.set(DOMAIN, ['v=spf1 mx ~all', 'another=text']);
  dns.records.set(record.name, [record.value]);
  dns.records.set(`_dmarc.${DOMAIN}`, ['v=DMARC1; p=reject']);
  expect((await check()).map(({ level }) => level)).toEqual(['ok', 'ok', 'ok']);
  dns.records.set(DOMAIN, ['v=spf1 +all']);
  dns.records.set(record.name, [dkimRecord({ ...dkim, key: newDkimKey() }, DOMAIN).value]);
  expect(await levels()).toEqual([
    expect.stringMatching(/^problem: .*allows every server/),
    expect.stringMatching(/^problem: .*another DKIM key/),
    'ok: sixdigit.example has a DMARC record with the policy reject.',
  ]);
  dns.records.set(DOMAIN, ['v=spf1 mx ~all', 'v=spf1 a -all']);
  expect((await levels())[0]).toMatch(/^problem: .*2 SPF records/);
  dns.mode = 'fails';
  expect(await levels()).toEqual([expect.stringMatching(/^warning: .*cannot be looked up/)]);
  dns.mode = 'answers';
});

test('the doctor says what receivers find about a bounce domain and the mail server', async () => {
  const bounceDomain = `bounces.${DOMAIN}`;
  const host = `mail.${DOMAIN}`;
  const found = async (given: { domain?: string; bounces?: string; signed?: boolean } = {}) => {
    const { domain = DOMAIN, bounces = bounceDomain, signed = false } = given;
    const options = { dkim: signed ? dkim : undefined, servers: [dns.address], bounceDomain: bounces, host };
    return (await checkSenderDomain(domain, options)).map(({ level, says }) => `${level}: ${says}`);
  };
  dns.records.clear();
  dns.records.set(DOMAIN, ['v=spf1 mx ~all']);
  dns.records.set(`_dmarc.${DOMAIN}`, ['v=DMARC1; p=reject']);
  dns.others.set(`A ${host}`, ['198.51.101.7']);
  expect(await found()).toEqual([
    expect.stringMatching(/^warning: bounces\.sixdigit\.example has no SPF record/),
    expect.stringMatching(/^ok: .*DMARC record with the policy reject/),
    expect.stringMatching(/^problem: .*no MX record, so bounces do not arrive/),
    expect.stringMatching(/^ok: .*SPF counts for DMARC/),
    expect.stringMatching(/^warning: 198\.51\.101\.7 .*no PTR record/),
  ]);
  dns.records.set(bounceDomain, ['v=spf1 mx ~all']);
  dns.others.set(`MX ${bounceDomain}`, [`10 ${host}`]);
  dns.others.set('PTR 7.101.51.198.in-addr.arpa', ['elsewhere.example.net']);
  expect((await found()).at(-1)).toMatch(/^warning: .*no PTR record that leads back/);
  dns.others.set('PTR 7.101.51.198.in-addr.arpa', [host]);
  expect((await found()).map((one) => one.slice(0, 3))).toEqual(['ok:', 'ok:', 'ok:', 'ok:', 'ok:']);
  expect((await found()).at(2)).toBe(`ok: Bounces to ${bounceDomain} go to ${host}.`);
  expect((await found({ bounces: 'bounces.other.net' })).at(3)).toMatch(/^warning: .*treat codes as forged/);
  expect((await found({ bounces: 'bounces.other.net', signed: true })).at(4)).toMatch(
    /^ok: .*signature does/,
  );
  expect(await found({ domain: `shop.${DOMAIN}` })).toContainEqual(
    expect.stringMatching(/^ok: shop\.sixdigit\.example has a DMARC record with the policy reject/),
  );
  dns.records.set(`_dmarc.${DOMAIN}`, ['v=DMARC1; p=reject; aspf=s']);
  expect((await found()).at(3)).toMatch(/^warning: .*aspf=s/);
  dns.others.set(`MX ${bounceDomain}`, ['0 .']);
  expect((await found()).at(2)).toMatch(/^problem: .*no MX record/);
});
