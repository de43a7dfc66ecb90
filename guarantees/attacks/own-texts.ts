import { updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { type Attack, countsOf, many } from './attack.ts';
import { networkAddress, type Person, type Target, untilDelivered, WELCOME_CREDITS } from './target.ts';

/** Attacks on messages that the operator pays for: SMS of the dashboard, sign-ups and welcome credits. */
const proof = (target: Target, who: Person, phone_number: string, more: object = {}) =>
  target.call(updateTwoFactor, {
    bearer: who.bearer,
    from: who.address,
    body: {
      two_factor_enabled: true,
      two_factor_method: 'sms',
      phone_number,
      current_password: who.password,
      ...more,
    },
  });

async function signedUp(target: Target, count: number, address: (n: number) => string): Promise<Person[]> {
  const all = await many(count, 6, (n) => target.signUp(address(n)));
  return all.filter((one) => typeof one !== 'number');
}

export const ownTexts: Attack[] = [
  {
    name: 'codes of the dashboard texted to 12 numbers by one account',
    promise: 'at most 3 numbers a day',
    async run(target) {
      const [mallory] = await signedUp(target, 1, () => networkAddress(900));
      if (!mallory) throw new Error('The sign-up failed');
      const numbers = Array.from({ length: 12 }, () => target.phone());
      const answers = await many(12, 4, (n) => proof(target, mallory, numbers[n] ?? ''));
      await untilDelivered(target);
      const texted = numbers.filter((number) => target.carrier.messagesTo(number).length > 0).length;
      return {
        measured: `${texted} numbers texted; ${countsOf(answers.map(({ status }) => status))}`,
        holds: texted <= 3 && texted > 0,
      };
    },
  },
  {
    name: '70 sign-ups from one network, each completed',
    promise: 'at most 60 an hour',
    async run(target) {
      const all = await many(70, 8, (n) => target.signUp(`198.51.100.${1 + n}`));
      const made = all.filter((one) => typeof one !== 'number').length;
      const refused = all.filter((one) => typeof one === 'number');
      return { measured: `${made} accounts, refused: ${countsOf(refused)}`, holds: made <= 60 && made > 0 };
    },
  },
  {
    name: 'welcome credits for one number, over 20 accounts at once',
    promise: `once: ${WELCOME_CREDITS} credits, and at most 5 texts`,
    async run(target) {
      const people = await signedUp(target, 20, (n) => networkAddress(1_000 + n));
      const number = target.phone();
      const begun = await many(people.length, 5, (n) => proof(target, people[n] as Person, number));
      await untilDelivered(target);
      const codes = target.carrier.messagesTo(number).map(({ code }) => code);
      await many(people.length, 5, async (n) => {
        const session_token = begun[n]?.body.session_token;
        if (typeof session_token !== 'string') return;
        for (const code of new Set(codes)) {
          const { status } = await proof(target, people[n] as Person, number, { session_token, code });
          if (status === 200) return;
        }
      });
      const { credits, accounts } = await target.db.one<{ credits: number; accounts: number }>(
        `select coalesce(sum(b.credits), 0) as credits, count(*) filter (where b.credits > 0) as accounts
         from balances b join accounts a on a.id = b.account_id where a.email = any ($1)`,
        [people.map(({ email }) => email)],
      );
      return {
        measured: `${people.length} accounts got ${credits} credits (${accounts} of them), ${codes.length} texts`,
        holds: credits === WELCOME_CREDITS && codes.length <= 5,
      };
    },
  },
];
