import { expect, test } from 'vitest';
import { filesBelow, read } from '../../server/test/source.ts';
import { operatorPages } from '../src/operator/operator-pages.ts';
import { otherPages, pages } from '../src/pages.ts';
import { SCREENS } from './pictures.ts';

/** A screen or dialog that is not listed would be neither photographed nor inspected. */

/** Pages that only pass on, or need a purchase or a mailed link, and the test that inspects each. */
const PAGES_ELSEWHERE: Record<string, string> = {
  '/receipt/$id': 'credits.test.ts',
  '/sso/callback': 'single-sign-on.test.ts',
  '/protection/unblock': 'protection.test.ts',
};

/** Dialogs of stories: they follow a second factor, a purchase or another account. The file inspects each. */
const DIALOGS_ELSEWHERE: Record<string, string> = {
  'Turn Off SSO': 'single-sign-on.test.ts',
  'Test Sign-in': 'single-sign-on.test.ts',
  'Confirm it is you': 'security.test.ts',
  'Your Recovery Codes': 'security.test.ts',
  'Remove Authenticator App': 'security.test.ts',
  'Create New Recovery Codes': 'security.test.ts',
  'Remove Passkey': 'security.test.ts',
  'Rename Passkey': 'security.test.ts',
  'Remove Domain': 'security.test.ts',
  'Remove Payment Method': 'purchases.test.ts',
  'Move Credits': 'accounts.test.ts',
  'Confirm Retention': 'operator.test.ts',
  'Edit Look-up': 'lookups.test.ts',
  'Test Look-up': 'lookups.test.ts',
  'Delete Look-up': 'lookups.test.ts',
};

const CARRIER_DIALOGS = ['Turn ... ...', 'Delete ...', 'Edit ...', 'Test ...'];
for (const title of CARRIER_DIALOGS) DIALOGS_ELSEWHERE[title] = 'operator-carriers.test.ts';

/** Dialogs whose title is computed, with the state that shows each. */
const COMPUTED: Record<string, string> = {
  'web/src/audit/EntrySheet.tsx': 'activity-entry',
  'web/src/operator/Audit.tsx': 'operator-audit-entry',
  'web/src/operator/settings/RuleDialog.tsx': 'operator-rule',
  'web/src/operator/settings/Settings.tsx': 'operator-setting',
  'web/src/payments/LowBalanceDialog.tsx': 'low-balance',
};
/** Components that pass on their caller's title. */
const PASSES_ON = /^\{title\}/;

/** One-sentence questions in the same component as an inspected one. */
const ALIKE = ['Remove from the Opt-out List', 'Your bank asks you to confirm this payment'];

const COMPONENT = 'Dialog|FormDialog|SideSheet|ConfirmDialog|LazyConfirmDialog|ReasonDialog|Resend';
const TITLED = new RegExp(`<(?:${COMPONENT})\\b(?:(?!<[A-Z])[\\s\\S])*?\\btitle=("[^"]+"|\\{[^\\n]+)`, 'g');

const STATES = SCREENS.flatMap(({ states = [] }) => states);
const names = new Set(STATES.map(({ name }) => name));
const titles = STATES.flatMap(({ title }) => title ?? []);
const isListed = (title: string): boolean => {
  const pattern = new RegExp(`^${title.replaceAll(/[?]/g, '\\?').replaceAll('...', '.+')}$`);
  return titles.some((one) =>
    typeof one === 'string' ? pattern.test(one) : one.source !== '.' && one.test(title),
  );
};
const inspects = (file: string, text: string): boolean => {
  const source = read(`web/e2e/${file}`);
  return source.includes(text) && source.includes('expectAccessible(');
};

test('every screen is listed', () => {
  const paths = new Set(SCREENS.map(({ path }) => path.split(/[?#]/)[0]));
  const declared = [pages, otherPages, operatorPages].flatMap((some) =>
    Object.values<{ path: string }>(some).map(({ path }) => path),
  );
  const missing = declared.filter((path) => !paths.has(path));
  expect(missing.toSorted()).toEqual(Object.keys(PAGES_ELSEWHERE).toSorted());
});

/** The titles of a dialog, with `...` for what depends on the data: of `Turn ${isOn ? 'Off' : 'On'} ${name}`, 'Turn ... ...'. */
const titlesOf = (text: string): string[] =>
  text.startsWith('"')
    ? [text.slice(1, -1)]
    : [...text.matchAll(/`([^`]*)`|'([^']+)'/g)].map(([, template, plain]) =>
        (plain ?? template ?? '').replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '...'),
      );

test('every dialog in the source code is listed, or inspected by the test of its story', () => {
  const declared = filesBelow('web/src', /\.tsx$/).flatMap((file) =>
    [...read(file).matchAll(TITLED)]
      .filter(([, text = '']) => !PASSES_ON.test(text))
      .map(([, text = '']) => ({ file, titles: titlesOf(text) })),
  );
  expect(declared.length).toBeGreaterThan(60);
  const missing = declared
    .flatMap(({ file, titles: some }) => (some.length > 0 ? some : [file]))
    .filter((title) => {
      const elsewhere = DIALOGS_ELSEWHERE[title];
      const isInspected = elsewhere !== undefined && inspects(elsewhere, title.split('...')[0] ?? '');
      return !isListed(title) && !isInspected && !names.has(COMPUTED[title] ?? '') && !ALIKE.includes(title);
    });
  expect(missing).toEqual([]);
});
