import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../server/test/person.ts';
import { sections } from '../src/frame/sections.ts';
import { follow, openStage, type Stage, sharedTab, type Tab } from './browser.ts';
import { sendCode } from './codes.ts';
import { dialog } from './parts.ts';
import { GOOD } from './till.ts';

/** The most frequent tasks with the keyboard alone. first-steps.test.ts has the first code. */
let stage: Stage;
let ada: Person;
let key: string;
beforeAll(async () => {
  stage = await openStage();
  ada = await stage.signUp('Ada');
  ({ key } = await stage.apiKey(ada, 'Shop'));
  await sendCode(stage, key, NUMBER);
});
afterAll(() => stage?.close());

const NUMBER = '+14155552001';
const adas = sharedTab(() => stage.tab({ as: ada, path: '/' }));
const olivias = sharedTab(() => stage.tab({ as: stage.operator as Person, path: '/operator' }));

/** At most this many Tabs lead to a control. */
const MOST_TABS = 60;

function keyboardOf({ page }: Tab) {
  const press = (key: string): Promise<void> => page.keyboard.press(key);
  const type = (text: string): Promise<void> => page.keyboard.type(text);
  const hasFocus = async (target: Locator): Promise<boolean> =>
    (await target.and(page.locator(':focus')).count()) > 0;
  /** Presses Tab until the control has the focus. */
  const reach = async (target: Locator): Promise<void> => {
    await target.first().waitFor({ state: 'attached' });
    for (let tabs = 0; !(await hasFocus(target)); tabs++) {
      if (tabs === MOST_TABS) throw new Error(`${MOST_TABS} Tabs did not lead to ${target}`);
      await press('Tab');
    }
  };
  return {
    press,
    reach,
    type,
    async choose(target: Locator, key = 'Enter'): Promise<void> {
      await reach(target);
      await press(key);
    },
    async fill(target: Locator, text: string): Promise<void> {
      await reach(target);
      await type(text);
    },
    /** Goes to a screen, a person or a number with the palette. */
    async go(text: string, option: string | RegExp): Promise<void> {
      await press('Control+k');
      const palette = page.getByRole('dialog', { name: /^Search (and commands|the console)$/ });
      await palette.getByRole('combobox').and(page.locator(':focus')).waitFor();
      await type(text);
      await palette.getByRole('option', { name: option, selected: true }).waitFor();
      await press('Enter');
      await palette.waitFor({ state: 'detached' });
    },
  };
}

const button = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) });

test('by keyboard: why a number got no code, with the answer for support', async () => {
  const { page } = adas();
  const keyboard = keyboardOf(adas());
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await keyboard.go('+1 415 555 2001', /Recipient history of/);
  const history = dialog(page, 'Recipient History');
  await keyboard.choose(button(history, 'Copy Answer for Support'));
  await expect.poll(() => adas().clipboard()).not.toBe('');
  await keyboard.press('Escape');
  await history.waitFor({ state: 'detached' });
});

test('by keyboard: a webhook is added, and its failed message replayed', async () => {
  // tried again after a minute: until then, only the replay delivers the message
  let status = 502;
  const receiver = createServer((_, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const { page } = adas();
  const keyboard = keyboardOf(adas());
  await keyboard.go('webhooks', 'Webhooks');
  await keyboard.choose(button(page, 'Add Webhook').first());
  const add = dialog(page, 'Add Webhook');
  await keyboard.fill(add.getByLabel('Name'), 'Shop');
  await keyboard.fill(add.getByLabel(/URL/), url);
  await keyboard.press('Enter');
  await keyboard.choose(button(page, "I've Copied the Secret"));
  await sendCode(stage, key, 'first@example.com', 'email');
  await page.getByText('Last delivery failed').waitFor();
  status = 200;
  await keyboard.choose(page.getByRole('row').filter({ hasText: 'Shop' }));
  const log = dialog(page, 'Deliveries');
  const message = log
    .getByRole('list', { name: 'Messages' })
    .locator('> li')
    .filter({ hasText: 'first@example.com' });
  await keyboard.choose(message.getByRole('button', { expanded: false }));
  await keyboard.choose(message.getByRole('button', { name: /^Replay/ }));
  await message.getByText('Delivered', { exact: true }).waitFor();
  await keyboard.press('Escape');
  await log.waitFor({ state: 'detached' });
  receiver.close();
});

test('by keyboard: credits are bought, and auto-purchase is switched on', async () => {
  const { page } = adas();
  const keyboard = keyboardOf(adas());
  await keyboard.go('credits', /Credits$/);
  await keyboard.choose(button(page.getByRole('article', { name: '1,000 credits' }), 'Purchase Bundle'));
  await keyboard.fill(page.getByLabel('Card number'), GOOD);
  await keyboard.fill(page.getByLabel('Expiration date'), '1234');
  await keyboard.fill(page.getByLabel('Security code'), '123');
  await keyboard.choose(button(page, 'Complete Payment'));
  await page.getByText('Successfully purchased 1,000 credits!', { exact: false }).first().waitFor();
  await keyboard.go('refill', /^Auto-purchase/);
  const configuration = page.getByRole('form', { name: 'OTP Configuration' });
  await keyboard.choose(configuration.getByRole('switch', { name: 'Enable auto-purchase' }), 'Space');
  await keyboard.press('Enter');
  await page.getByText('Changes saved successfully', { exact: true }).waitFor();
});

test('by keyboard: sends are limited to one country', async () => {
  const { page } = adas();
  const keyboard = keyboardOf(adas());
  await keyboard.go('block country', /^Allowed countries/);
  const countries = page.getByRole('radiogroup', { name: 'Countries', exact: true });
  await keyboard.choose(countries.getByRole('radio', { checked: true }), 'ArrowRight');
  await keyboard.fill(page.getByLabel('Search countries'), 'canad');
  await keyboard.choose(page.getByLabel('Canada'), 'Space');
  await keyboard.choose(button(page, 'Save Countries'));
  await page.getByText('Countries saved', { exact: true }).waitFor();
});

test('every section that the palette finds is on its screen', async () => {
  const { page } = adas();
  for (const [path, found] of Object.entries(Object.groupBy(sections, (section) => section.page.path))) {
    await follow(page, path);
    for (const { id } of found ?? []) await page.locator(`#${id}`).waitFor();
  }
});

test('by keyboard: an operator refunds a purchase', async () => {
  const { page } = olivias();
  const keyboard = keyboardOf(olivias());
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await keyboard.go(`refund ${ada.email}`, /^Refund/);
  const refund = dialog(page, 'Refund Purchase');
  await keyboard.fill(refund.getByLabel('Reason'), 'Bought by mistake');
  await keyboard.choose(button(refund, 'Refund Purchase'));
  await page.getByText('Purchase refunded', { exact: true }).waitFor();
});
