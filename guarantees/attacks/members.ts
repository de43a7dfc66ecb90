import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import {
  acceptInvitation,
  createInvitation,
  resendInvitation,
  revokeInvitation,
  showInvitation,
} from '@sixdigit/contract/accounts/invitations.ts';
import { changeRole, removeMember } from '@sixdigit/contract/accounts/members.ts';
import { signUp } from '@sixdigit/contract/accounts/sign-in.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import type { ReceivedMail } from '../../server/test/fakes/smtp.ts';
import { type Attack, many, paced, statusesOf, until } from './attack.ts';
import { networkAddress, type Person, type Target, type Tenant, untilDelivered } from './target.ts';

/** Attacks on the membership of an account. */
function invitationToken({ text = '' }: Pick<ReceivedMail, 'text'>): string {
  const token = /\/invitations#([\w-]{43})\s/.exec(text)?.[1];
  if (!token) throw new Error(`No link in the invitation: ${text}`);
  return token;
}

/** The networks of sign-ups, which no other attack uses. */
let networks = 5_000;
async function someone(target: Target): Promise<Person> {
  networks += 1;
  const person = await target.signUp(networkAddress(networks));
  if (typeof person === 'number') throw new Error(`The sign-up got ${person}`);
  return person;
}

const invite = (target: Target, { bearer }: Pick<Tenant, 'bearer'>, email: string, role: Role = 'viewer') =>
  paced(() => target.call(createInvitation, { bearer, body: { email, role } }));

/** The token of the n-th mail with an invitation to an address. */
const tokenOf = (target: Target, email: string, n = 1): Promise<string> =>
  until('the invitation', () => {
    const mail = target.mail.mailsTo(email).filter(({ text }) => text?.includes('/invitations#'))[n - 1];
    return mail && invitationToken(mail);
  });

const accept = (target: Target, bearer: string, token: string) =>
  paced(() => target.call(acceptInvitation, { bearer, body: { token } }));

const rolesIn = async (target: Target, account_id: string): Promise<string> =>
  (
    await target.db.rows<{ role: Role }>(
      'select role from memberships where account_id = $1 order by joined_at, person_id',
      [account_id],
    )
  )
    .map(({ role }) => role)
    .join(', ');

/** A person who has joined the account. */
async function joined(target: Target, account: Tenant, role: Role): Promise<Person & { person_id: string }> {
  const person = await someone(target);
  await invite(target, account, person.email, role);
  const { status } = await accept(target, person.bearer, await tokenOf(target, person.email));
  if (status !== 200) throw new Error(`The acceptance got ${status}`);
  const { body } = await target.call(getMe, { bearer: person.bearer });
  return { ...person, person_id: String(body.id) };
}

export const members: Attack[] = [
  {
    name: 'a leaked invitation, accepted by a person with another address, and by sign-ups with other addresses',
    promise: 'refused; nobody joins; the invited person still can',
    async run(target) {
      const alice = await target.tenant();
      const [dana, mallory] = [await someone(target), await someone(target)];
      await invite(target, alice, dana.email, 'admin');
      const token = await tokenOf(target, dana.email);
      const statuses = [(await accept(target, mallory.bearer, token)).status];
      const password = 'long walks by the lake';
      for (const email of [`x${dana.email}`, `${dana.email}.evil.example`, dana.email.replace('@', '+1@')]) {
        const body = { email, phone_number: target.phone(), password, confirm_password: password };
        const { status } = await target.call(signUp, {
          body: { ...body, invitation: token },
          from: networkAddress(networks),
        });
        statuses.push(status);
      }
      const before = await rolesIn(target, alice.account_id);
      const right = await accept(target, dana.bearer, token);
      return {
        measured: `${statusesOf(statuses)}; members: ${before}; the invited person: ${right.status}`,
        holds: statuses.join() === '404,400,400,400' && before === 'owner' && right.status === 200,
      };
    },
  },
  {
    name: 'an invitation accepted 20 times at once',
    promise: 'one success, one membership; the rest find nothing',
    async run(target) {
      const alice = await target.tenant();
      const dana = await someone(target);
      await invite(target, alice, dana.email, 'support');
      const token = await tokenOf(target, dana.email);
      const answers = await many(20, 20, () => accept(target, dana.bearer, token));
      const statuses = answers.map(({ status }) => status);
      const roles = await rolesIn(target, alice.account_id);
      return {
        measured: `${statusesOf(statuses)}; members: ${roles}`,
        holds:
          statuses.filter((status) => status === 200).length === 1 &&
          statuses.every((status) => status === 200 || status === 404) &&
          roles === 'owner, support',
      };
    },
  },
  {
    name: 'links of an invitation that was sent again, revoked, and made again',
    promise: 'only the newest link works',
    async run(target) {
      const alice = await target.tenant();
      const { bearer } = alice;
      const dana = await someone(target);
      const params = { id: String((await invite(target, alice, dana.email)).body.id) };
      const first = await tokenOf(target, dana.email);
      await paced(() => target.call(resendInvitation, { bearer, params }));
      const second = await tokenOf(target, dana.email, 2);
      await paced(() => target.call(revokeInvitation, { bearer, params }));
      await invite(target, alice, dana.email);
      const third = await tokenOf(target, dana.email, 3);
      const statuses: number[] = [];
      for (const token of [first, second]) {
        statuses.push((await target.call(showInvitation, { body: { token } })).status);
        statuses.push((await accept(target, dana.bearer, token)).status);
      }
      const right = await accept(target, dana.bearer, third);
      return {
        measured: `old links: ${statusesOf(statuses)}; the newest: ${right.status}`,
        holds: statuses.every((status) => status === 404) && right.status === 200,
      };
    },
  },
  {
    name: 'an admin and a developer who raise themselves, give higher roles, and remove the owner, ten times each at once',
    promise: 'all are refused; the roles stay',
    async run(target) {
      const alice = await target.tenant();
      const headers = { 'x-account': alice.account_id };
      const [admin, developer] = [
        await joined(target, alice, 'admin'),
        await joined(target, alice, 'developer'),
      ];
      const roles = await rolesIn(target, alice.account_id);
      const owner = { person_id: alice.account_id };
      const tries = [admin, developer].flatMap(({ bearer, person_id }) => {
        const as = { bearer, headers };
        return [
          () => target.call(changeRole, { ...as, params: { person_id }, body: { role: 'owner' } }),
          () => target.call(changeRole, { ...as, params: owner, body: { role: 'viewer' } }),
          () => target.call(removeMember, { ...as, params: owner }),
          () =>
            target.call(createInvitation, {
              ...as,
              body: { email: 'second.self@people.example', role: 'owner' },
            }),
        ];
      });
      const answers = await many(tries.length * 10, 20, (n) => paced(tries[n % tries.length] as never));
      const statuses = (answers as { status: number }[]).map(({ status }) => status);
      const after = await rolesIn(target, alice.account_id);
      return {
        measured: `${statusesOf(statuses)}; roles before: ${roles}; after: ${after}`,
        holds: statuses.every((status) => status === 400) && roles === after,
      };
    },
  },
  {
    name: 'one account invites 60 addresses and revokes each invitation, another invites one address 15 times, and 35 accounts invite it',
    promise: 'at most 50 mails a day from an account, 3 from it to an address, and 30 to an address',
    async run(target) {
      const alice = await target.tenant();
      const address = (n: number) => `flood.${n}@people.example`;
      const statuses: number[] = [];
      for (let n = 0; n < 60; n += 1) {
        const made = await target.call(createInvitation, {
          bearer: alice.bearer,
          body: { email: address(n), role: 'viewer' },
        });
        statuses.push(made.status);
        if (made.status === 201) {
          const params = { id: String(made.body.id) };
          await paced(() => target.call(revokeInvitation, { bearer: alice.bearer, params }));
        }
      }
      const victim = 'victim@people.example';
      const ofOne: number[] = [];
      const bob = await target.tenant();
      for (let n = 0; n < 15; n += 1) {
        const made = await invite(target, bob, victim);
        ofOne.push(made.status);
        if (made.status === 201) {
          const params = { id: String(made.body.id) };
          await paced(() => target.call(revokeInvitation, { bearer: bob.bearer, params }));
        }
      }
      const ofMany: number[] = [];
      for (let n = 0; n < 35; n += 1) {
        const { bearer } = await target.tenant();
        ofMany.push(
          (await target.call(createInvitation, { bearer, body: { email: victim, role: 'viewer' } })).status,
        );
      }
      await untilDelivered(target);
      const sent = Array.from({ length: 60 }, (_, n) => target.mail.mailsTo(address(n)).length);
      const total = sent.reduce((sum, n) => sum + n, 0);
      const atVictim = target.mail.mailsTo(victim).length;
      return {
        measured: `one account: ${statusesOf(statuses)}, ${total} mails; another: ${statusesOf(ofOne)}; 35 accounts: ${statusesOf(ofMany)}, ${atVictim} mails to the address`,
        holds:
          total <= 50 &&
          total > 0 &&
          ofOne.filter((status) => status === 201).length === 3 &&
          ofMany.filter((status) => status === 201).length === 27 &&
          atVictim === 30,
      };
    },
  },
];
