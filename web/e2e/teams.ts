import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { createAccount, type OwnAccount } from '@sixdigit/contract/accounts/own-accounts.ts';
import type { Role } from '@sixdigit/contract/roles.ts';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import type { TestService } from '../../server/test/service.ts';

/** Accounts with several members, and people with several accounts. */

/** The ids of a person and of the account that their sign-up made. */
export async function idsOf(
  service: TestService,
  { access: bearer }: Person,
): Promise<{ person_id: string; account_id: string }> {
  const { id, account_id } = (await service.call(getMe, { bearer })).body;
  return { person_id: id, account_id };
}

export async function newAccount(
  service: TestService,
  { access: bearer }: Person,
  name: string,
): Promise<OwnAccount> {
  const { status, body } = await service.call(createAccount, { bearer, body: { name } });
  expect(status).toBe(201);
  return body;
}

/** Gives a person a role in an account, of which they become a member. */
export const setRole = (
  service: TestService,
  ids: { account_id: string; person_id: string },
  role: Role,
): Promise<unknown> =>
  service.app.db.run(
    `insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, $3, clock_now())
     on conflict (account_id, person_id) do update set role = $3`,
    [ids.account_id, ids.person_id, role],
  );

export const endMembership = (
  service: TestService,
  ids: { account_id: string; person_id: string },
): Promise<unknown> =>
  service.app.db.run('delete from memberships where account_id = $1 and person_id = $2', [
    ids.account_id,
    ids.person_id,
  ]);

/** Matches a name that ends with this text. */
export const endingWith = (text: string): RegExp =>
  new RegExp(`${text.replaceAll(/[^\w\s@-]/g, (sign) => `\\${sign}`)}$`);

/** Opens the user menu, whose button shows `shown`: the account's name, or the address of a person with one account. */
export async function openUserMenu(page: Page, shown: string): Promise<void> {
  await page.getByRole('button', { name: endingWith(shown) }).click();
  await page.getByRole('menuitem', { name: 'Log Out' }).waitFor();
}
