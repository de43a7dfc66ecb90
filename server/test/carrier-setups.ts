import {
  createCarrierSetup,
  listCarrierSetups,
  removeCarrierSetup,
  updateCarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { updateCarrier } from '@sixdigit/contract/operator/carriers.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { afterEach, expect } from 'vitest';
import { anotherProcess } from './another-process.ts';
import { serviceWithCarriers } from './carriers.ts';
import { fixture } from './fixture.ts';
import { testOperator } from './operator.ts';
import { sender } from './sender.ts';
import { testWorker } from './worker.ts';

export type NewSetup = Given<typeof createCarrierSetup, 'body'>;
export const reason = 'Set up';

/** Two processes of a service to which operators add carriers. Each test ends without any. */
export function carrierSetupStage(env: Record<string, string> = {}) {
  const service = fixture(() => serviceWithCarriers(['smtp'], { EMAIL_CARRIERS: 'smtp', ...env }));
  const other = fixture(() => anotherProcess(service));
  const olivia = fixture(() => testOperator(service));
  const oscar = fixture(() => testOperator(service, { name: 'Oscar' }));
  const alice = fixture(() => sender(service, 'Alice', { credits: 1_000 }));
  let count = 0;
  const phone = () => `+1415555${3000 + ++count}`;

  afterEach(async () => {
    service.http.everyone = undefined;
    for (const { name, source } of (await setups()).filter(({ is_enabled }) => is_enabled))
      if (source === 'console') await switched(name, false);
    await service.drain();
    await service.clock.advance(700_000);
    await service.drain();
    for (const { name, version, source } of await setups())
      if (source === 'console') expect((await remove(name, version)).status).toBe(200);
  });

  const gateway = (more: Partial<NewSetup> = {}): NewSetup => ({
    name: 'acme',
    kind: 'http',
    channels: ['sms'],
    url: service.http.url,
    secret: service.http.secret,
    reason,
    ...more,
  });
  const add = (body: NewSetup, by = olivia) => by.call(createCarrierSetup, { body });
  const setups = async () => (await olivia.call(listCarrierSetups)).body.setups;
  const setup = async (name = 'acme') => {
    const found = (await setups()).find((one) => one.name === name);
    if (!found) throw new Error(`No carrier ${name}`);
    return found;
  };
  const change = (
    body: Partial<Given<typeof updateCarrierSetup, 'body'>> & { version: number },
    by = olivia,
  ) =>
    by.call(updateCarrierSetup, {
      params: { name: 'acme' },
      body: { channels: ['sms'], is_enabled: true, url: service.http.url, reason, ...body },
    });
  /** Turns a carrier on or off and changes nothing else. */
  async function switched(name: string, is_enabled: boolean) {
    const { fields, channels, version } = await setup(name);
    const values = Object.fromEntries(
      fields.flatMap((field) => (field.value ? [[field.name, field.value]] : [])),
    );
    const body = { ...values, channels, is_enabled, version, reason };
    const { status } = await olivia.call(updateCarrierSetup, { params: { name }, body });
    expect(status).toBe(200);
  }
  const remove = (name: string, version: number) =>
    olivia.call(removeCarrierSetup, { params: { name }, body: { version, reason } });
  /** Changes the route of a channel's carrier. */
  const routed = (name: string, more: object) =>
    olivia.call(updateCarrier, { params: { name }, body: { channel: 'sms', reason, ...more } });
  /** Runs the jobs of the other process once, as its loops do. */
  const workOnOther = async () => {
    for (const job of other.jobs) {
      while (await job.run(testWorker(other.app.random.uuid())));
      await job.idle?.();
    }
  };

  return {
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
    workOnOther,
  };
}
