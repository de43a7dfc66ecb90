import { afterAll, beforeAll, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { openStage, type Stage, sharedTab } from './browser.ts';

let stage: Stage;
let alice: Person;
beforeAll(async () => {
  stage = await openStage();
  alice = await stage.signUp('Alice');
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: alice, path: '/settings/templates' }));

test('a template is previewed with its segments and price, created, changed and deleted', async () => {
  const { page } = tab();
  await page.getByRole('heading', { name: 'No templates' }).waitFor();
  await page.getByRole('button', { name: 'Create Template' }).click();
  const create = page.getByRole('dialog', { name: 'Create Template' });
  await create.getByLabel('Name').fill('order');
  await create.getByLabel('Message').fill('Order {order}');
  await create.getByRole('button', { name: 'Create Template' }).click();
  await create.getByText('Message template must include {code} placeholder').waitFor();
  await create.getByLabel('Message').fill('Order {order}: {code}');
  await create.getByText('Order order: 123456').waitFor();
  await create.getByText('1 credit', { exact: true }).waitFor();
  await create.getByRole('button', { name: 'Add Text' }).click();
  await create.getByLabel('Language').selectOption('German');
  await create.getByLabel('Channel').selectOption('Email');
  await create.getByLabel('Message').fill('Bestellung {order}: {code}');
  await create.getByText('Ihr Bestätigungscode', { exact: true }).waitFor();
  await create.getByRole('button', { name: 'Create Template' }).click();
  await page.getByText('Template created', { exact: true }).waitFor();
  await page.getByText('English, German').waitFor();

  await page.getByRole('button', { name: 'Actions for order' }).click();
  await page.getByRole('menuitem', { name: 'Edit Template' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Template' });
  await edit.getByRole('button', { name: 'Remove Text' }).click();
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await page.getByText('Template changed', { exact: true }).waitFor();
  await page.getByRole('cell', { name: '2', exact: true }).waitFor();

  await page.getByRole('button', { name: 'Actions for order' }).click();
  await page.getByRole('menuitem', { name: 'Delete Template' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete Template' }).click();
  await page.getByText('Template deleted', { exact: true }).waitFor();
});
