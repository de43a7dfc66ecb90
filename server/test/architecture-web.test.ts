import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { codeOf, filesBelow, filesImportedBy, importsOf, isTest, read } from './source.ts';

/** Folders that every part of the dashboard may import. They import no feature. */
const SHARED = ['api', 'form', 'table', 'theme', 'ui'];
/** The frame around the screens. It may import the open files of features. */
const FRAME = ['frame'];
/** The files of each feature that other features and the frame may import. `routes/` may import every file. */
const OPEN: Record<string, readonly string[]> = {
  templates: [],
  suppressions: [],
  audit: ['AuditList.tsx', 'EntrySheet.tsx', 'actor.ts', 'audit.ts'],
  accounts: [
    'BuyCredits.tsx',
    'AccountItems.tsx',
    'AuthLayout.tsx',
    'CreateAccountDialog.tsx',
    'ForRole.tsx',
    'NoAccount.tsx',
    'Restricted.tsx',
    'ResendButton.tsx',
    'StepUp.tsx',
    'VerifyCode.tsx',
    'account-dialogs.ts',
    'current-user.ts',
    'memberships.ts',
    'own-accounts.ts',
    'passkey.ts',
    'role-texts.ts',
    'role.ts',
    'settings.ts',
    'sign-out.ts',
    'AccountNameField.tsx',
    'sso/SsoRequired.tsx',
  ],
  'api-keys': [
    'ApiKeyFilter.tsx',
    'ApiKeySecret.tsx',
    'KeyCells.tsx',
    'KeyFields.tsx',
    'api-keys.ts',
    'key-values.ts',
    'live-keys.ts',
  ],
  connections: [],
  docs: ['Inline.tsx'],
  insights: [
    'FigureLabel.tsx',
    'InsightsView.tsx',
    'Refused.tsx',
    'figures.ts',
    'insights.ts',
    'list-address.ts',
  ],
  otp: [
    'MessageCard.tsx',
    'MoreFilters.tsx',
    'TestInbox.tsx',
    'TestViews.tsx',
    'VerificationHead.tsx',
    'VerificationHistory.tsx',
    'columns.tsx',
    'known-request.ts',
    'known-response.ts',
    'plans/Plans.tsx',
    'recipient-story.ts',
    'refused.ts',
    'route-filters.ts',
    'verification-detail.ts',
    'verifications.ts',
    'whole-recipient.ts',
  ],
  payments: [
    'AutoPurchaseInputs.tsx',
    'BalanceNotice.tsx',
    'LowBalanceInput.tsx',
    'columns.tsx',
    'payments.ts',
    'price-list.ts',
    'prices.ts',
    'send-prices.ts',
  ],
  protection: [
    'message-links/LinkDomains.tsx',
    'DestinationInput.tsx',
    'LookupFields.tsx',
    'block-texts.ts',
    'check-texts.ts',
    'rule-schemas.ts',
    'rule-texts.ts',
    'rule-values.ts',
    'worst-day/Campaigns.tsx',
    'worst-day/PlayWorstDay.tsx',
    'worst-day/worst-day-texts.ts',
  ],
  operator: ['ConsoleFrame.tsx'],
  public: ['PublicFooter.tsx'],
  'request-logs': ['RequestLogSheet.tsx', 'columns.tsx', 'request-logs.ts'],
  'second-factors': ['AuthenticatorPanel.tsx', 'PasskeysPanel.tsx'],
  settings: [],
  team: ['members.ts'],
  webhooks: ['webhooks.ts', 'AttemptList.tsx'],
};

const SRC = 'web/src/';
const files = filesBelow(SRC).filter((file) => !isTest(file));
/** Undefined for the files at the root of `web/src`. */
const folderOf = (file: string): string | undefined => {
  const [first, second] = file.startsWith(SRC) ? file.slice(SRC.length).split('/') : [];
  return second === undefined ? undefined : first;
};

test('every dashboard folder is in the table of features or parts', () => {
  const folders = [...new Set(files.map(folderOf))].filter((folder) => folder !== undefined);
  const known = [...SHARED, ...FRAME, ...Object.keys(OPEN), 'routes'];
  const unknown = folders.filter((folder) => !known.includes(folder));
  expect(unknown.map((folder) => `${SRC}${folder} is not in SHARED, FRAME or OPEN`)).toEqual([]);
});

test('dashboard features import only the open files of other features', () => {
  const wrong = files.flatMap((from) => {
    const own = folderOf(from);
    if (own === undefined || own === 'routes') return [];
    return filesImportedBy(from).flatMap((to) => {
      const other = folderOf(to);
      if (other === undefined || other === own || SHARED.includes(other)) return [];
      if (SHARED.includes(own)) return [`${from} imports ${to}, but shared folders import no feature`];
      if (FRAME.includes(other)) return [];
      const isOpen = (OPEN[other] ?? []).some((name) => to === `${SRC}${other}/${name}`);
      return isOpen ? [] : [`${from} imports ${to}, which ${other} does not open to other features`];
    });
  });
  expect(wrong).toEqual([]);
});

test('no two dashboard folders import each other', () => {
  const folders = new Map<string, string[]>();
  for (const file of files) {
    const own = folderOf(file);
    if (own === undefined) continue;
    // Parts that load later do not count, because a screen works without them.
    const later = new Set([...codeOf(file).matchAll(/import\('([^']+)'\)/g)].map(([, target]) => target));
    const others = importsOf(file)
      .filter((target) => target.startsWith('.') && !later.has(target))
      .map((target) => folderOf(join(dirname(file), target)))
      .filter((other) => other !== undefined && other !== own) as string[];
    folders.set(own, [...new Set([...(folders.get(own) ?? []), ...others])]);
  }
  const pairs = [...folders].flatMap(([one, others]) =>
    others.filter((other) => folders.get(other)?.includes(one)).map((other) => `${one} → ${other}`),
  );
  expect(pairs).toEqual([]);
});

test('every open file of a dashboard feature exists', () => {
  const missing = Object.entries(OPEN).flatMap(([feature, names]) =>
    names.map((name) => `${SRC}${feature}/${name}`).filter((file) => !files.includes(file)),
  );
  expect(missing).toEqual([]);
});

test('a Mantine component whose style sheet one file imports is used only through that file', () => {
  const owners = files.flatMap((owner) =>
    importsOf(owner).flatMap((target) => {
      const name = /^@mantine\/core\/styles\/(\w+)\.layer\.css$/.exec(target)?.[1];
      return name === undefined ? [] : [{ owner, name }];
    }),
  );
  expect(owners.length).toBeGreaterThan(0);
  const wrong = files.flatMap((file) => {
    const used = [...codeOf(file).matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(
      ([, names = '']) => names.split(',').map((name) => name.trim()),
    );
    return owners
      .filter(({ owner, name }) => owner !== file && used.includes(name))
      .map(({ owner, name }) => `${file} imports ${name} from Mantine instead of ${owner}`);
  });
  expect(wrong).toEqual([]);
});

test('the dashboard reads the current time in one place', () => {
  const clocks = files.filter((file) => /Date\.now\(\)|new Date\(\)|performance\.now\(\)/.test(codeOf(file)));
  expect(clocks).toEqual(['web/src/api/clock.ts']);
});

test('screens store replies only with store() of api/read.ts, which discards reads that began earlier', () => {
  const stores = files.filter((file) => codeOf(file).includes('.setQueryData'));
  expect(stores).toEqual(['web/src/api/read.ts']);
});

test('screens format percentages and signs only with ui/numbers.ts', () => {
  // Widths and heights are styles.
  const byHand = [
    /\}\s?%(?=['"`<,.;) ]|$)/,
    /\d %/,
    /suffix=" %"/,
    /style: 'percent'/,
    /−/,
    /\? '-' : '\+'/,
    /`-\$\{\w*[cC]redits/,
  ];
  const wrong = files.flatMap((file) =>
    codeOf(file)
      .split('\n')
      .filter(
        (line) => !/width|height|color-mix|calc\(/i.test(line) && byHand.some((form) => form.test(line)),
      )
      .map((line) => `${file}: ${line.trim()}`),
  );
  const own = /^web\/src\/ui\/(numbers\.ts|Badge\.tsx: export const costText)/;
  expect(wrong.filter((line) => !own.test(line))).toEqual([]);
});

test('each class of a style sheet that a component names exists', () => {
  const missing = filesBelow('web/src', /\.tsx$/).flatMap((file) =>
    [...codeOf(file).matchAll(/import (\w+) from '(\.[^']+\.module\.css)'/g)].flatMap(([, name, sheet]) => {
      const rules = codeOf(join(dirname(file), sheet ?? ''));
      return [...codeOf(file).matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))]
        .filter(([, used]) => !new RegExp(`\\.${used}\\b`).test(rules))
        .map(([, used]) => `${file}: ${used}`);
    }),
  );
  expect(missing).toEqual([]);
});

test('no module of the dashboard has a variable: what changes is in a signal, the query cache or a component', () => {
  const wrong = files.filter((file) => !isTest(file) && /^(?:export )?let /m.test(codeOf(file)));
  expect(wrong).toEqual([]);
});

/** The text of a tag with its attributes, which may contain functions. */
function tagAt(code: string, start: number): string {
  for (let at = start, depth = 0; at < code.length; at++) {
    depth += code[at] === '{' ? 1 : code[at] === '}' ? -1 : 0;
    if (code[at] === '>' && depth === 0) return code.slice(start, at + 1);
  }
  return '';
}

test("buttons, menu entries and dialogs' titles are in title case, unless they are sentences", () => {
  const small = /^(?:an?|and|as|at|by|for|from|in|of|on|or|the|to|with|per)$/;
  const sentences = ['Confirm it is you', 'Your bank asks you to confirm this payment'];
  const labels = files.flatMap((file) => {
    const code = codeOf(file);
    return [
      ...code.matchAll(/<(?:Button\w*|\w+Button|Menu\.Item|button|\w*(Dialog|Modal|Sheet))\b/g),
    ].flatMap(({ index, 1: isDialog }) => {
      const tag = tagAt(code, index);
      const text =
        isDialog || tag.endsWith('/>') ? undefined : /^\s*([A-Z][^<{]*)/.exec(code.slice(index + tag.length));
      const attributes = tag.matchAll(isDialog ? /\b(?:title|confirm)="([^"]+)"/g : /(?!)/g);
      return [text, ...attributes].flatMap((found) => (found?.[1] ? [`${file}: ${found[1].trim()}`] : []));
    });
  });
  expect(labels.length).toBeGreaterThan(150);
  const wrong = labels.filter((label) => {
    const [, text = ''] = label.split(/: (.*)/s);
    const [, ...words] = text.split(/\s+/);
    return (
      !/\?$/.test(text) &&
      !sentences.includes(text) &&
      words.some((word) => /^[a-z]/.test(word) && !small.test(word))
    );
  });
  expect(wrong).toEqual([]);
});

test('the labels of fields are in sentence case', () => {
  const names = /^(?:API|APIs|DLT|HTTP|ID|IP|OTP|SIM|SMS|SSO|URL|Telegram|WhatsApp)$/;
  const labels = files.flatMap((file) => {
    const code = codeOf(file);
    return [...code.matchAll(/<\w*(?:Input|Select|Checkbox|Switch|Textarea|Field|Fields)\b/g)].flatMap(
      ({ index }) =>
        [...tagAt(code, index).matchAll(/(?<![\w-])label="([^"]+)"/g)].map(
          ([, label]) => `${file}: ${label}`,
        ),
    );
  });
  expect(labels.length).toBeGreaterThan(150);
  const wrong = labels.filter((label) => {
    const [, text = ''] = label.split(/: (.*)/s);
    const [, ...words] = text.split(/[\s(]+/);
    return /^[a-z]/.test(text) || words.some((word) => /^[A-Z]/.test(word) && !names.test(word));
  });
  expect(wrong).toEqual([]);
});

/** Where the server names an action: in an object, or in the list of those that owners see. */
const NAMED = /(?:action: |audited\(|^ {2})'([a-z_]+\.[a-z_]+)'/gm;
const TEXTS = 'web/src/operator/Audit.tsx';

test('every operator action has a label on the screen', () => {
  const actions = filesBelow('server/src/operator/')
    .filter((file) => !isTest(file))
    .flatMap((file) => [...read(file).matchAll(NAMED)].map(([, action]) => action ?? ''));
  expect(actions).toContain('verification.resend_failed');
  const texts = read(TEXTS);
  expect([...new Set(actions)].filter((action) => !texts.includes(`'${action}': '`))).toEqual([]);
});
