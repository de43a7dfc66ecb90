import { updateProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { createInvitation, revokeInvitation } from '@sixdigit/contract/accounts/invitations.ts';
import { renameAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import { signUp, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { adjustCredits } from '@sixdigit/contract/operator/accounts.ts';
import { createAnnouncement } from '@sixdigit/contract/operator/announcements.ts';
import { getOperator } from '@sixdigit/contract/operator/operator.ts';
import { refundPurchase } from '@sixdigit/contract/operator/payments.ts';
import {
  confirmPayment,
  confirmSandboxPayment,
  createIntent,
  createWithSaved,
  listPaymentMethods,
} from '@sixdigit/contract/payments.ts';
import { denyDestination, updateProtection } from '@sixdigit/contract/protection/protection.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import { updateSpend } from '@sixdigit/contract/spend.ts';
import { invitationTokenFor } from '../members.ts';
import { priced } from '../payments.ts';
import { codeFor } from '../person.ts';
import type { LivelyPerson, PersonName } from './facts.ts';
import { HOUR, MINUTE, type Teller } from './teller.ts';

const PEOPLE: Record<PersonName, { role?: Role; first_name: string; last_name: string; phone: string }> = {
  alice: { role: 'owner', first_name: 'Alice', last_name: 'O’Hara-Müller', phone: '+12025550131' },
  adam: { role: 'admin', first_name: 'Adam', last_name: '"Ace" <Doe>', phone: '+12025550132' },
  dora: { role: 'developer', first_name: 'Dora', last_name: 'Đặng & Co', phone: '+12025550133' },
  vera: { role: 'viewer', first_name: 'Vera', last_name: 'van den Berg', phone: '+12025550134' },
  bob: { first_name: 'Bob', last_name: 'ボブ', phone: '+12025550135' },
};
const ALIKE = { credits: 400, cents: 100 };
const card = (number: string) => ({ number, exp_month: 12, exp_year: 2090, cvc: '123' });

/** Everybody signs up: Alice, who is also an operator, the members whom she invites, and Bob with an account of his own. */
export async function signEverybodyUp(teller: Teller): Promise<Record<PersonName, LivelyPerson>> {
  const { service, must } = teller;
  const people = {} as Record<PersonName, LivelyPerson>;
  for (const [name, { role, phone, ...names }] of Object.entries(PEOPLE) as [
    PersonName,
    (typeof PEOPLE)['bob'],
  ][]) {
    const email = `${name}@${name === 'bob' ? 'bobs' : 'acme'}.test`;
    const password = `${name} likes "long" walks & talks`;
    const body = { email, phone_number: phone, password, confirm_password: password };
    await service.clock.advance(7 * MINUTE);
    if (name === 'alice' || name === 'bob') {
      const { session_token = '' } = await must(signUp, { body });
      await must(verifyTwoFactor, { body: { session_token, code: await codeFor(service, email) } });
    } else {
      await must(createInvitation, {
        bearer: await teller.bearer('alice'),
        body: { email, role: role ?? 'viewer' },
      });
      await must(signUp, { body: { ...body, invitation: await invitationTokenFor(service, email) } });
    }
    const { id } = await service.app.db.one<{ id: string }>('select id from people where email = $1', [
      email,
    ]);
    const account_id = name === 'bob' ? id : (people.alice?.account_id ?? id);
    people[name] = { person_id: id, account_id, email, password, phone };
    teller.people[name] = people[name];
    await must(updateProfile, { bearer: await teller.bearer(name), body: names });
  }
  // A sandbox makes the first person its operator.
  await must(getOperator, { bearer: await teller.bearer('alice') });
  return people;
}

/** Names, texts, limits and rules of both accounts, invitations that are open and revoked, and an announcement. */
export async function setUpAccounts(teller: Teller): Promise<{ invitations: string[] }> {
  const { must } = teller;
  const bearer = await teller.bearer('alice');
  await must(renameAccount, { bearer, body: { name: 'Größe & Söhne, "Acme" Inc.' } });
  await must(updateBranding, {
    bearer,
    body: {
      sender_name: 'Größe & Söhne',
      reply_to_email: 'help@acme.test',
      default_subject: 'Ihr Code – „Acme“',
      default_message: 'Größe: {code} is your code. Never share {code}.',
      default_otp_length: 7,
      default_expiry_seconds: 420,
      low_balance_threshold: 30,
    },
  });
  await must(updateSpend, { bearer, body: { daily_credit_limit: 500, monthly_credit_limit: 5_000 } });
  await must(updateProtection, {
    bearer,
    body: {
      rules: {
        country: { mode: 'enforce', countries: ['US', 'DE', 'FR', 'GB', 'AT'] },
        prefix_velocity: { mode: 'monitor', limit: 41 },
        client_velocity: { mode: 'enforce', limit: 17, recipients: 11 },
      },
      allow: [
        { kind: 'prefix', value: '+1202555', note: 'Our "own" office' },
        { kind: 'address', value: '203.0.113.0/24' },
      ],
      deny: [{ kind: 'number', value: '+12025550199', note: 'Fraud & worse' }],
    },
  });
  await must(denyDestination, { bearer, body: { kind: 'prefix', value: '+33700', note: null } });
  await must(updateBranding, {
    bearer: await teller.bearer('bob'),
    body: { sender_name: 'ボブ', default_message: 'Bob: {code}', default_expiry_seconds: 600 },
  });
  const invitations: string[] = [];
  for (const [email, role] of [
    ['nora@acme.test', 'support'],
    ['oscar+acme@other.test', 'developer'],
    ['paul@acme.test', 'viewer'],
  ] as const)
    invitations.push((await must(createInvitation, { bearer, body: { email, role } })).id);
  await must(revokeInvitation, { bearer, params: { id: invitations.pop() ?? '' } });
  await must(createAnnouncement, {
    bearer,
    body: { text: 'Maintenance & tests on Sunday', tone: 'warning', ends_at: '2090-01-31T00:00:00Z' },
  });
  return { invitations };
}

/** Purchases with new and saved cards, a declined card, a partial refund and an adjustment. */
export async function buyCredits(teller: Teller): Promise<{ purchases: string[] }> {
  const { must, service } = teller;
  const buy = async (name: PersonName, credits: number, number: string): Promise<void> => {
    const bearer = await teller.bearer(name);
    const { client_secret = '' } = await must(createIntent, {
      bearer,
      body: { ...priced(credits), save_payment_method: true },
    });
    const body = { client_secret, card: card(number) };
    const paid = await must(confirmSandboxPayment, { bearer, body });
    if (paid.status === 'succeeded')
      await must(confirmPayment, { bearer, body: { payment_intent_id: paid.payment_intent_id } });
    await service.clock.advance(HOUR);
  };
  await buy('alice', 700, '4242424242424242');
  await buy('alice', 300, '4000000000000002');
  await buy('bob', 250, '5555555555554444');
  const bearer = await teller.bearer('alice');
  const { payment_methods } = await must(listPaymentMethods, { bearer });
  const payment_method_id = payment_methods[0]?.id ?? '';
  await must(createWithSaved, { bearer, body: { ...priced(ALIKE.credits), payment_method_id } });
  await service.drain();
  const orders = await service.app.db.rows<{ id: string }>(
    `select id from orders where account_id = $1 and status = 'succeeded' order by id`,
    [teller.people.alice?.account_id],
  );
  const purchases = orders.map(({ id }) => id);
  await must(refundPurchase, {
    bearer,
    params: { id: purchases[1] ?? '' },
    body: { cents: ALIKE.cents, reason: 'Sent "twice" & late' },
  });
  await must(adjustCredits, {
    bearer,
    params: { id: teller.people.bob?.account_id ?? '' },
    body: { credits: -11, reason: 'A gift & a fee' },
  });
  await service.drain();
  return { purchases };
}
