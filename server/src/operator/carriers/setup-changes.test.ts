import { removeCarrierSetup, updateCarrierSetup } from '@sixdigit/contract/operator/carrier-setups.ts';
import { getOperatorCarriers, testCarrier } from '@sixdigit/contract/operator/carriers.ts';
import { describe, expect, test } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { carrierSetupStage, reason } from '../../../test/carrier-setups.ts';
import { auditOf } from '../../../test/operator.ts';

const {
  service,
  other,
  olivia,
  oscar,
  alice,
  phone,
  gateway,
  add,
  setups,
  setup,
  change,
  switched,
  remove,
  routed,
} = carrierSetupStage();

describe('changing a carrier', () => {
  test('a replaced secret signs the next message, and a message in flight ends with the old one', async () => {
    await add(gateway({ secret: 'an outdated secret of the gateway' }));
    service.http.everyone = 'slow';
    const { version } = await setup();
    const refused = olivia.call(testCarrier, {
      params: { name: 'acme' },
      body: { channel: 'sms', recipient: phone() },
    });
    expect((await refused).body).toMatchObject({ outcome: 'refused', words: '{"reason":"bad_signature"}' });
    const { status } = await change({ version, secret: service.http.secret });
    expect(status).toBe(200);
    const recipient = phone();
    await alice.sent(recipient);
    const dispatching = service.drain();
    await service.http.waitForMessageTo(recipient);
    const again = await setup();
    expect((await change({ version: again.version, secret: 'the next secret of the gateway' })).status).toBe(
      200,
    );
    await dispatching;
    expect(service.http.messagesTo(recipient)).toHaveLength(1);
    expect((await auditOf(service)).at(-1)).toMatchObject({
      action: 'carrier.change',
      after: { secrets_replaced: ['secret'] },
    });
  });

  test('an empty secret keeps the stored one', async () => {
    await add(gateway());
    const { version } = await setup();
    expect((await change({ version, channels: ['sms', 'voice'], secret: '' })).status).toBe(200);
    const recipient = phone();
    await alice.sent(recipient, { channel: 'voice' });
    await service.drain();
    expect(service.http.messagesTo(recipient)).toHaveLength(1);
  });

  test('a stored token is not sent to another address: its operator must enter it again', async () => {
    await add({
      name: 'acme',
      kind: 'twilio',
      channels: ['sms'],
      account_sid: 'AC1',
      auth_token: 'the token of the account',
      from: '+12025550199',
      reason,
    });
    const { version } = await setup();
    const moved = { version, account_sid: 'AC1', from: '+12025550199', api_url: service.twilio.url };
    const { status, body } = await change(moved);
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ auth_token: [expect.stringContaining('Enter it again')] }),
    ]);
    expect((await change({ ...moved, auth_token: 'the token of the account' })).status).toBe(200);
  });

  test('of operators who change a carrier at once, one succeeds, and the others learn that it has changed', async () => {
    await add(gateway());
    const { version } = await setup();
    const channels: ('sms' | 'email')[] = ['sms', 'email'];
    const body = { channels, is_enabled: true, url: service.http.url, reason, version };
    const answers = await Promise.all(
      [olivia, oscar, olivia, oscar].map((by) =>
        by.call(updateCarrierSetup, { params: { name: 'acme' }, body }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ reason: 'changed_meanwhile' });
    expect((await setup()).version).toBe(version + 1);
  });

  test('a carrier that is turned off gets no more messages, and the channel uses the others', async () => {
    await add(gateway());
    await add(gateway({ name: 'second', channels: ['sms'] }));
    await switched('acme', false);
    expect(service.app.carriers.forChannel('sms').map(({ name }) => name)).toEqual(['second']);
    await other.app.live.refresh();
    expect(other.app.carriers.forChannel('sms').map(({ name }) => name)).toEqual(['second']);
  });

  test('the order and the pauses of the console apply to its own carriers too', async () => {
    await add(gateway());
    await add(gateway({ name: 'second' }));
    await routed('second', { position: 1 });
    await routed('acme', { is_paused: true });
    const { body } = await olivia.call(getOperatorCarriers);
    const sms = body.channels.find(({ channel }) => channel === 'sms');
    expect(sms?.carriers.map(({ name, is_paused }) => [name, is_paused])).toEqual([
      ['second', false],
      ['acme', true],
    ]);
  });

  test('credentials that cannot be decrypted stop only their carrier, and an operator can enter them again', async () => {
    await add(gateway());
    await add(gateway({ name: 'second' }));
    await service.app.db.run(`update stored_carriers set sealed = '\\x00' where name = 'acme'`);
    await using later = await anotherProcess(service);
    expect(later.app.carriers.forChannel('sms').map(({ name }) => name)).toEqual(['second']);
    expect(service.logLines.join('\n')).toContain('the credentials of a carrier cannot be opened');
    const { problem, version } = await setup();
    expect(problem).toContain('SECRET_KEY');
    expect((await change({ version })).body).toMatchObject({ secret: ['This field is required.'] });
    expect((await change({ version, secret: service.http.secret })).status).toBe(200);
    await later.app.live.refresh();
    expect(later.app.carriers.forChannel('sms').map(({ name }) => name)).toEqual(['acme', 'second']);
  });

  test('a carrier of a kind that only a newer version knows is neither used nor shown', async () => {
    await add(gateway({ name: 'unknown-kind' }));
    await service.app.db.run(`update stored_carriers set kind = 'unknown' where name = 'unknown-kind'`);
    await using later = await anotherProcess(service);
    expect(later.app.carriers.find('unknown-kind')).toBeUndefined();
    expect((await setups()).map(({ name }) => name)).not.toContain('unknown-kind');
    await service.app.db.run(`delete from stored_carriers where name = 'unknown-kind'`);
  });

  test('an unknown carrier and one of the environment cannot be changed', async () => {
    for (const name of ['smtp', 'nothing']) {
      const body = { channels: ['sms' as const], is_enabled: true, version: 0, reason };
      expect((await olivia.call(updateCarrierSetup, { params: { name }, body })).status).toBe(404);
      expect((await remove(name, 0)).status).toBe(404);
    }
  });
});

describe('deleting a carrier', () => {
  test('a carrier cannot be deleted while it is on, while messages in flight need it, or a moment after', async () => {
    await add(gateway());
    const first = await setup();
    expect((await remove('acme', first.version)).body).toMatchObject({
      name: [expect.stringContaining('Turn the carrier off first')],
    });
    // The response is lost, so the message waits for a report at this carrier.
    service.http.everyone = 'reset';
    const recipient = phone();
    const otp_id = await alice.sent(recipient);
    await service.drain();
    const message = await service.http.waitForMessageTo(recipient);
    await switched('acme', false);
    const { version } = await setup();
    expect((await remove('acme', version)).body).toMatchObject({
      name: ['1 message in flight still needs this carrier. Delete it when they have ended.'],
    });
    service.http.everyone = undefined;
    expect(await service.http.report(message, 'delivered')).toBe(204);
    expect((await alice.state(otp_id)).status).toBe('sent');
    expect((await remove('acme', version)).body).toMatchObject({
      name: [expect.stringContaining('turned off a moment ago')],
    });
    await service.clock.advance(16_000);
    expect((await remove('acme', version)).status).toBe(200);
    expect((await setups()).map(({ name }) => name)).toEqual(['smtp']);
    await other.app.live.refresh();
    expect(other.app.carriers.find('acme')).toBeUndefined();
  });

  test('a carrier that another operator has just changed is not deleted', async () => {
    await add(gateway());
    const { version } = await setup();
    await switched('acme', false);
    const body = { version, reason };
    const answer = await oscar.call(removeCarrierSetup, { params: { name: 'acme' }, body });
    expect(answer).toMatchObject({ status: 409, body: { reason: 'changed_meanwhile' } });
  });

  test('after a carrier is turned off, a message that it may have is dispatched to it once more, and to no other', async () => {
    await add(gateway());
    service.http.everyone = 'lose';
    const recipient = phone();
    await alice.sent(recipient);
    await service.drain();
    await add(gateway({ name: 'second' }));
    await switched('acme', false);
    service.http.everyone = undefined;
    await service.clock.advance(11_000);
    await service.drain();
    const [message, ...more] = service.http.messagesTo(recipient);
    expect(more).toEqual([]);
    expect(message?.status_url).toContain('/carriers/acme/status/');
  });

  test('a new carrier does not inherit the routes of a deleted one with its name', async () => {
    await add(gateway());
    await routed('acme', { is_paused: true });
    await routed('acme', { is_paused: true, country: 'DE' });
    await switched('acme', false);
    await service.clock.advance(16_000);
    expect((await remove('acme', (await setup()).version)).status).toBe(200);
    await add(gateway());
    const sms = (await olivia.call(getOperatorCarriers)).body.channels.find(
      ({ channel }) => channel === 'sms',
    );
    expect(sms?.carriers).toMatchObject([{ name: 'acme', is_paused: false }]);
    expect(sms?.countries).toEqual([]);
  });
});

describe('testing a carrier', () => {
  const tested = (name = 'acme', recipient = phone()) =>
    olivia.call(testCarrier, { params: { name }, body: { channel: 'sms', recipient } });

  test('a carrier is tested before it is turned on, and the result is the carrier’s own', async () => {
    await add(gateway({ is_enabled: false }));
    const before = await alice.balance();
    expect((await tested()).body).toMatchObject({ outcome: 'accepted', words: null });
    service.http.everyone = 'invalid';
    expect((await tested()).body).toMatchObject({
      outcome: 'refused',
      reason: 'invalid_recipient',
      words: '{"reason":"invalid_recipient"}',
    });
    service.http.everyone = 'reset';
    expect((await tested()).body).toMatchObject({ outcome: 'uncertain', reason: 'carrier_reset' });
    expect(await alice.balance()).toBe(before);
    expect((await auditOf(service)).filter(({ action }) => action === 'carrier.test')).not.toEqual([]);
  });

  test('a carrier’s error text appears neither in logs nor in lists of errors', async () => {
    await add(gateway());
    service.http.everyone = 'echo';
    const recipient = phone();
    const { body } = await tested('acme', recipient);
    expect(body.words).toContain(recipient);
    await service.app.activity.flush();
    const { errors } = (await olivia.call(getOperatorCarriers)).body;
    expect(JSON.stringify(errors)).not.toContain(recipient);
    expect(service.logLines.join('\n')).not.toContain(recipient);
  });

  test('an operator can send twenty test messages in an hour, also in parallel', async () => {
    await service.clock.advance(3_700_000);
    await add(gateway());
    const answers = await Promise.all(Array.from({ length: 23 }, () => tested()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({ reason: 'too_many_requests' });
  });
});
