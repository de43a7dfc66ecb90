// Functions that run in the page use the types of the DOM.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import * as notices from '../../server/src/messaging/mail/notice-texts.ts';
import { renderOtpMail } from '../../server/src/messaging/mail/otp-mail.ts';
import { sharedBrowser } from './browser.ts';
import { draw, shownIn } from './mail-programs.ts';

/** The mails with codes and links by the rules of the mail programs, all in one page. */
const letterhead = { brand: 'Sixdigit', supportEmail: 'support@sixdigit.example' };
const english = {
  ...letterhead,
  senderName: 'Acme',
  subject: 'Your Verification Code',
  messageTemplate: 'Your verification code is: {code}',
  language: 'en' as const,
  code: '042917',
  expiresInSeconds: 300,
};
const LONG_URL = `https://otp.example.com/reset-password#${'dG9rZW4'.repeat(20)}`;
const MAILS = {
  'a code': renderOtpMail(english),
  'a long code of a long sender': renderOtpMail({
    ...english,
    senderName: 'W'.repeat(64),
    code: 'WMWMWMWM42',
  }),
  'an Arabic code': renderOtpMail({
    ...english,
    language: 'ar',
    messageTemplate: 'Acme: رمز التحقق الخاص بك هو {code}',
  }),
  'a Persian code': renderOtpMail({
    ...english,
    messageLanguage: 'fa',
    messageTemplate: 'Acme: کد تأیید شما {code} است.',
  }),
  'a code with a link': notices.passwordReset({
    ...letterhead,
    code: english.code,
    expiresInSeconds: 300,
    resetUrl: LONG_URL,
    linkExpiresInSeconds: 1_800,
  }),
};
type Name = keyof typeof MAILS;
const codeOf = (name: string): string => (name.startsWith('a long code') ? 'WMWMWMWM42' : '042917');

interface Seen {
  id: string;
  /** the widest part */
  width: number;
  /** the boxes of the code */
  codes: { text: string; left: number; right: number; top: number; fontSize: number; family: string }[];
  leastContrast: [ratio: number, text: string];
  /** the luminance of the card */
  card: number;
  text: string;
  buttons: number[];
  /** the direction of each line of text, and where its first and last letters are */
  lines: { text: string; direction: string; first: number; last: number; isOne: boolean }[];
}

let seen: Seen[];
beforeAll(async () => {
  const page = await (await sharedBrowser()).newPage({ colorScheme: null });
  const mails = Object.fromEntries(Object.entries(MAILS).map(([name, { html }]) => [name, html]));
  const shown = shownIn(mails);
  await draw(page, shown);
  seen = await look(page);
  await page.close();
  expect(seen).toHaveLength(shown.length);
});

const look = (page: Page): Promise<Seen[]> =>
  page.evaluate(() => {
    const read = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (color: string): number => {
      const [red = 0, green = 0, blue = 0] = read(color).map((one) =>
        one / 255 <= 0.03928 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    return [...document.querySelectorAll('iframe')].map((frame) => {
      const view = frame.contentWindow as Window & typeof globalThis;
      const { body, documentElement } = view.document;
      const behind = (one: Element | null): string => {
        for (let around = one; around; around = around.parentElement) {
          const { backgroundColor } = view.getComputedStyle(around);
          if (read(backgroundColor)[3] !== 0) return backgroundColor;
        }
        return 'rgb(255 255 255)';
      };
      const boxOf = (node: Node, from: number, to: number): DOMRect => {
        const range = view.document.createRange();
        range.setStart(node, from);
        range.setEnd(node, to);
        return range.getBoundingClientRect();
      };
      const walker = view.document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
      const found: { node: Text; parent: HTMLElement }[] = [];
      while (walker.nextNode()) {
        const node = walker.currentNode as Text;
        const parent = node.parentElement as HTMLElement;
        if (node.data.trim() !== '' && parent.checkVisibility() && parent.tagName !== 'STYLE')
          found.push({ node, parent });
      }
      const contrasts = found.map(({ node, parent }): [number, string] => {
        const [light = 0, dark = 0] = [view.getComputedStyle(parent).color, behind(parent)]
          .map(luminance)
          .sort((a, b) => b - a);
        return [(light + 0.05) / (dark + 0.05), node.data];
      });
      return {
        id: frame.name,
        width: Math.max(documentElement.scrollWidth, body.scrollWidth) - frame.clientWidth,
        codes: found
          .filter(({ parent }) => parent.className === 'code')
          .map(({ node, parent }) => {
            const { left, right, top } = boxOf(node, 0, node.data.length);
            const { fontSize, fontFamily } = view.getComputedStyle(parent);
            return {
              text: node.data,
              left,
              right: frame.clientWidth - right,
              top,
              fontSize: Number.parseFloat(fontSize),
              family: fontFamily,
            };
          }),
        leastContrast: contrasts.sort(([a], [b]) => a - b)[0] ?? [0, ''],
        card: luminance(behind(body.querySelector('.card'))),
        text: body.innerText,
        buttons: [...body.querySelectorAll('a[target]')].map((one) => {
          // Word draws the button as the cell.
          const drawn = /inline-block/.test(one.getAttribute('style') ?? '') ? one : one.parentElement;
          return drawn?.getBoundingClientRect().height ?? 0;
        }),
        lines: found
          .filter(({ parent }) => parent.matches('p, a, strong') && !parent.matches('p strong[dir]'))
          .map(({ node, parent }) => {
            const end = node.data.trimEnd().length;
            const [first, last] = [boxOf(node, 0, 1), boxOf(node, end - 1, end)];
            return {
              text: node.data,
              direction: view.getComputedStyle(parent).direction,
              first: first.left,
              last: last.left,
              isOne: Math.abs(first.top - last.top) < 2,
            };
          }),
      };
    });
  });

const of = (name: Name): Seen[] => seen.filter(({ id }) => id.startsWith(`${name} in `));

test('every mail program shows the code whole, large and with figures of one width', () => {
  const wrong = seen.filter(({ id, codes: [code, ...others] }) => {
    if (!code || others.length > 0 || code.text !== codeOf(id)) return true;
    return code.left < 0 || code.right < 0 || code.fontSize < 32 || !code.family.includes('monospace');
  });
  expect(wrong).toEqual([]);
});

test('every mail program shows the code without scrolling on a phone', () => {
  expect(seen.filter(({ codes }) => (codes[0]?.top ?? 999) > 520).map(({ id }) => id)).toEqual([]);
});

test('no mail is wider than 320 pixels, or than the window of Outlook for Windows', () => {
  expect(seen.filter(({ width }) => width > 0).map(({ id, width }) => [id, width])).toEqual([]);
});

test('all text of mails has a contrast of at least 4.5 in the light, in the dark and with changed colors', () => {
  const faint = seen.filter(({ leastContrast: [ratio] }) => ratio < 4.5);
  expect(faint.map(({ id, leastContrast }) => [id, ...leastContrast])).toEqual([]);
});

test('a mail is dark in every dark look, and only there', () => {
  const wrong = seen.filter(({ id, card }) => (id.endsWith('light') ? card < 0.9 : card > 0.02));
  expect(wrong.map(({ id, card }) => [id, card])).toEqual([]);
});

test('the button of a mail is as high as a fingertip', () => {
  const buttons = of('a code with a link').map(({ id, buttons: heights }) => ({ id, heights }));
  expect(buttons.filter(({ heights }) => heights.length !== 1 || (heights[0] ?? 0) < 43.5)).toEqual([]);
});

test('no mail program shows the preview line in the mail, and the HTML says what the plain text says', () => {
  for (const name of Object.keys(MAILS) as Name[]) {
    if (name === 'a code with a link') continue;
    const lines = MAILS[name].text.split('\n').filter((line) => /[^\s-]/.test(line));
    for (const { id, text } of of(name)) {
      const plain = text.replace(/\s+/g, ' ');
      for (const line of lines) {
        const [before = ''] = line.split(codeOf(id));
        expect(plain, id).toContain(before.trim());
      }
      expect(plain.split(lines[1] ?? '?'), id).toHaveLength(2);
    }
  }
});

test('Arabic and Persian sentences run from right to left in every mail program, and English ones in them do not', () => {
  for (const [name, others] of [
    ['an Arabic code', 0],
    ['a Persian code', 4],
  ] as const)
    for (const { id, lines } of of(name)) {
      const isRightToLeft = ({ text }: { text: string }) => /[\u0600-\u06ff]/.test(text);
      const [own, english] = [lines.filter(isRightToLeft), lines.filter((line) => !isRightToLeft(line))];
      expect(own.length, id).toBeGreaterThan(0);
      for (const { text, direction, first, last, isOne } of own) {
        expect([id, text, direction]).toEqual([id, text, 'rtl']);
        if (isOne) expect(first, `${id}: ${text}`).toBeGreaterThan(last);
      }
      const sentences = english.filter(({ text }) => /\w \w/.test(text));
      expect(sentences.length, id).toBe(others);
      for (const { text, direction } of sentences) expect([id, text, direction]).toEqual([id, text, 'ltr']);
    }
});
