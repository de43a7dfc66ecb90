import { afterAll, beforeAll, test, vi } from 'vitest';
import type { Carrier } from '../../server/src/messaging/carriers/carrier.ts';
import type { Person } from '../../server/test/person.ts';
import { expectAccessible, openStage, type Stage, sharedTab } from './browser.ts';

let stage: Stage;
let alice: Person;
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/protection/suppressed' }));

test('an address is added, found by its whole text and removed', async () => {
  const { page } = tab();
  await page.getByRole('heading', { name: 'No suppressed addresses' }).waitFor();
  await page.getByRole('button', { name: 'Add Address' }).click();
  const add = page.getByRole('dialog', { name: 'Add Address' });
  await add.getByLabel('Email address').fill('nora@example.com');
  await add.getByRole('button', { name: 'Add Address' }).click();
  await page.getByText('Address added', { exact: true }).waitFor();
  await page.getByRole('cell', { name: 'n••@example.com', exact: true }).waitFor();
  await page.getByPlaceholder('Search whole addresses...').fill('other@example.com');
  await page.getByText('No address matches.', { exact: false }).waitFor();
  await page.getByPlaceholder('Search whole addresses...').fill('nora@example.com');
  // As if a provider had reported the address for a message whose recipient is no longer stored.
  const unsuppress = async () => ({ outcome: 'removed' }) as const;
  const find = vi.spyOn(stage.service.app.carriers, 'find');
  find.mockReturnValue({ name: 'postmark', unsuppress } as Partial<Carrier> as Carrier);
  const reported = `update suppressions set carrier = 'postmark', reason = 'hard_bounce' where recipient = 'n••@example.com'`;
  await stage.service.app.db.run(reported);
  await page.getByRole('button', { name: 'Actions for n••@example.com' }).click();
  await page.getByRole('menuitem', { name: 'Remove Address' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove Address' }).click();
  await page.getByText('Address removed', { exact: true }).waitFor();
  find.mockRestore();
  const left = page.getByRole('alert', { name: 'postmark may still suppress n••@example.com' });
  await left
    .getByText('The whole address is no longer stored. The address was removed here.', { exact: false })
    .waitFor();
  await expectAccessible(page);
  await left.getByRole('button', { name: 'Close' }).click();
  await left.waitFor({ state: 'hidden' });
});
