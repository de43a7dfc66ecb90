import { adjustCredits } from '@sixdigit/contract/operator/accounts.ts';
import { setLookup } from '@sixdigit/contract/operator/lookups.ts';
import { updateProtection } from '@sixdigit/contract/protection/protection.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { afterEach, beforeAll, expect } from 'vitest';
import { anotherProcess } from './another-process.ts';
import { ANSWERS, startLookup } from './fakes/lookup.ts';
import { fixture } from './fixture.ts';
import { testOperator } from './operator.ts';
import { type Sender, sender } from './sender.ts';
import { testService } from './service.ts';
import { signedIn } from './signed-in.ts';

type Setup = Given<typeof setLookup, 'body'>;

export const RULES = {
  rules: {
    line_type: { mode: 'enforce', refused: ['non_fixed_voip'] },
    sim_swap: { mode: 'enforce', hours: 24, purposes: ['payment'] },
  },
  lookups: { from_credits: 1, purposes: [], closed_purposes: ['payment'], messengers: false },
} as const satisfies Given<typeof updateProtection, 'body'>;

/** Two processes, a fake company whose look-up is set up, and two accounts that have paid and use both rules. */
export function lookupStage() {
  const service = fixture(testService);
  const other = fixture(() => anotherProcess(service));
  const olivia = fixture(() => testOperator(service));
  const company = fixture(async () => {
    const fake = await startLookup();
    return Object.assign(fake, { [Symbol.asyncDispose]: () => fake.close() });
  });
  const alice = fixture(() => sender(service, 'Alice', { credits: 1_000 }));
  const bob = fixture(() => sender(service, 'Bob', { credits: 1_000 }));
  let count = 0;
  const phone = (prefix = '+1415555') => `${prefix}${4000 + ++count}`;
  let version = 0;

  async function configure(more: Partial<Setup> = {}): Promise<void> {
    const body: Setup = {
      kind: 'twilio',
      is_enabled: true,
      cache_hours: 24,
      timeout_ms: 5_000,
      daily_limit: 1_000,
      account_daily_limit: 1_000,
      account_sid: 'AC123',
      auth_token: 'a secret of the company',
      api_url: company.url,
      version,
      reason: 'Set up',
      ...more,
    };
    const { status, body: reply } = await olivia.call(setLookup, { body });
    expect({ status, reply }).toMatchObject({ status: 200 });
    version = reply.lookup?.version ?? 0;
    await other.app.live.refresh();
  }

  async function protect(who: Sender, body: Given<typeof updateProtection, 'body'>): Promise<void> {
    const bearer = await signedIn(service, who);
    const { status, body: reply } = await service.call(updateProtection, { bearer, body });
    expect({ status, reply }).toMatchObject({ status: 200 });
    await other.app.protection.exchange();
  }

  const says = (line: string, sim: string | null = null) => {
    company.answer = () => ({ status: 200, body: ANSWERS.twilio(line, sim) });
  };
  const hoursAgo = (hours: number): string =>
    new Date(service.app.clock.now().getTime() - hours * 3_600_000).toISOString();
  const asked = (number: string): number =>
    company.requests.filter(({ path }) => path.includes(encodeURIComponent(number))).length;

  const grant = (who: Sender) =>
    olivia.call(adjustCredits, {
      params: { id: who.account_id },
      body: { credits: 100, reason: 'A new customer' },
    });

  beforeAll(async () => {
    await configure();
    for (const who of [alice, bob]) {
      expect((await grant(who)).status).toBe(200);
      await protect(who, RULES as never);
    }
  });
  afterEach(() => {
    company.answer = undefined;
  });
  return {
    service,
    other,
    olivia,
    company,
    alice,
    bob,
    phone,
    configure,
    protect,
    says,
    hoursAgo,
    asked,
    grant,
  };
}
