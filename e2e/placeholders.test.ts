import { sendOtp } from '@sixdigit/contract/otp.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, openStage, type Stage, settled, sharedTab, WIDTHS } from './browser.ts';
import { VIEW_PATHS } from './screens.ts';

let stage: Stage;
let olivia: Awaited<ReturnType<Stage['signUp']>>;
beforeAll(async () => {
  stage = await openStage({ own: true });
  olivia = await stage.signUp('Olivia');
  const { key } = await stage.apiKey(olivia);
  const body = { channel: 'email', recipient: 'somebody@example.com' } as const;
  expect((await stage.service.call(sendOtp, { apiKey: key, body })).status).toBe(201);
});
afterAll(() => stage?.close());

const tab = sharedTab(() => stage.tab({ as: olivia, path: '/docs' }));

/** In the page: finds placeholders and chosen options that are wider than their fields. */
const CUT = `[...document.querySelectorAll('input[placeholder], main select')].filter((field) => field.checkVisibility()).flatMap((field) => {
  const isSelect = field.tagName === 'SELECT';
  const { fontWeight, fontSize, fontFamily } = getComputedStyle(field, isSelect ? null : '::placeholder');
  const context = document.createElement('canvas').getContext('2d');
  context.font = [fontWeight, fontSize, fontFamily].join(' ');
  const text = isSelect ? field.selectedOptions[0].text : field.placeholder;
  const { paddingLeft, paddingRight } = getComputedStyle(field);
  const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  return context.measureText(text).width > room + 0.5 ? [text] : [];
})`;

const RANGE = 'days=custom&from=2026-11-01&to=2026-11-20';
const paths = [
  ...VIEW_PATHS,
  `/?${RANGE}`,
  `/logs?${RANGE}`,
  '/insights?range=custom&from=2026-11-01&to=2026-11-20',
];

test.each(paths)(
  'no placeholder or chosen option on %s is cut off on a phone, a tablet or a desktop',
  async (path) => {
    const { page } = tab();
    await page.goto(path);
    await page.locator('main h1').first().waitFor();
    await settled(page);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await eventually(async () => expect(await page.evaluate(CUT), `${width} px`).toEqual([]));
    }
  },
);

test.each(['/', '/logs'])('the filters on %s fill their rows with a custom range', async (path) => {
  const { page } = tab();
  await page.goto(`${path}?${RANGE}`);
  await page.getByLabel('From').waitFor();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await eventually(async () => {
      const main = await page.locator('main [data-toolbar]').first().boundingBox();
      const filters = page.locator('main [data-filters] > *');
      const boxes = await Promise.all((await filters.all()).map((one) => one.boundingBox()));
      for (const top of new Set(boxes.map((box) => Math.round(box?.y ?? 0)))) {
        const row = boxes.filter((box) => Math.round(box?.y ?? 0) === top);
        const ends = row.map((box) => (box?.x ?? 0) + (box?.width ?? 0));
        expect(Math.min(...row.map((box) => box?.x ?? 0)) - (main?.x ?? 0), `${width} px`).toBeLessThan(2);
        expect((main?.x ?? 0) + (main?.width ?? 0) - Math.max(...ends), `${width} px`).toBeLessThan(2);
      }
    });
  }
});
