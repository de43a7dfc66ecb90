import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { duration } from './code-texts.ts';
import { type Mail, renderNotice } from './notice.ts';
import * as texts from './notice-texts.ts';

const letterhead = { brand: 'Sixdigit', supportEmail: 'support@sixdigit.example' };
const code = { ...letterhead, code: '042917', expiresInSeconds: 300 };
const resetUrl = 'https://otp.example.com/reset-password#dG9rZW4';
const reset = { ...letterhead, expiresInSeconds: 300, resetUrl, linkExpiresInSeconds: 1_800 };
const activityUrl = 'https://otp.example.com/settings/activity';
const creditsUrl = 'https://otp.example.com/credits';
const purchase = { ...letterhead, credits: 5000, price: '$85.00', creditsUrl };

const dashboardUrl = 'https://otp.example.com/';
const membersUrl = 'https://otp.example.com/team';
const joined = { ...letterhead, account: 'Acme', email: 'dana@example.com', membersUrl };
const invitation = {
  ...letterhead,
  account: 'Acme',
  invitedBy: 'alice@example.com',
  role: 'developer' as const,
  days: 7,
  invitationUrl: 'https://otp.example.com/invitations#dG9rZW4',
};

const all: [string, Mail][] = [
  ['sign-up code', texts.signUpCode(code)],
  ['sign-in code', texts.signInCode(code)],
  ['password reset', texts.passwordReset({ ...reset, code: code.code })],
  ['password reset without a code', texts.passwordReset(reset)],
  [
    'already registered',
    texts.alreadyRegistered({ ...letterhead, signInUrl: 'https://otp.example.com/sign-in' }),
  ],
  ['password changed', texts.passwordChanged(letterhead)],
  ['two-factor on', texts.twoFactorChanged({ ...letterhead, enabled: true, method: 'sms' })],
  ['two-factor off', texts.twoFactorChanged({ ...letterhead, enabled: false })],
  [
    'new device',
    texts.newDevice({
      ...letterhead,
      device: 'Firefox on Linux',
      address: '203.0.113.7',
      place: 'Berlin, Germany',
      activityUrl,
    }),
  ],
  ['new API key', texts.newApiKey({ ...letterhead, name: 'Checkout', isTest: false, activityUrl })],
  ['new test key', texts.newApiKey({ ...letterhead, name: 'Checkout', isTest: true, activityUrl })],
  [
    'new connection',
    texts.newApiKey({ ...letterhead, name: 'Sign-in', isTest: false, isConnection: true, activityUrl }),
  ],
  ...[true, false].map((isNew): [string, Mail] => [
    isNew ? 'new webhook endpoint' : 'webhook endpoint moved',
    texts.webhookTarget({
      ...letterhead,
      name: 'Orders',
      origin: 'https://hooks.example.com',
      isNew,
      webhooksUrl: activityUrl,
    }),
  ]),
  ['passkey suspected', texts.passkeySuspected({ ...letterhead, name: 'Security key' })],
  ['saved card charged', texts.savedCardCharged({ ...purchase, card: 'Visa ending in 4242' })],
  ...['2026-12-01T10:00:00.000Z', null].map((lapsesAt): [string, Mail] => [
    `domain missing until ${lapsesAt}`,
    texts.messageDomainMissing({
      ...letterhead,
      domain: 'shop.example.com',
      recordName: '_otp-messages.shop.example.com',
      lapsesAt,
      settingsUrl: activityUrl,
    }),
  ]),
  ...(['on', 'required', 'off'] as const).map((state): [string, Mail] => [
    `single sign-on ${state}`,
    texts.ssoChanged({ ...letterhead, domain: 'example.com', state, settingsUrl: activityUrl }),
  ]),
  ['single sign-on linked', texts.ssoLinked({ ...letterhead, account: 'Acme', domain: 'example.com' })],
  ...['2026-12-01T10:00:00.000Z', null].map((lapsesAt): [string, Mail] => [
    `SSO domain missing until ${lapsesAt}`,
    texts.ssoDomainMissing({
      ...letterhead,
      domain: 'example.com',
      recordName: '_otp-sign-in.example.com',
      lapsesAt,
      settingsUrl: activityUrl,
    }),
  ]),
  ['phone changed', texts.phoneChanged({ ...letterhead, phoneNumber: '+12025550147' })],
  ['phone removed', texts.phoneChanged(letterhead)],
  ['email change code', texts.emailChangeCode({ ...letterhead, code: '123456', expiresInSeconds: 300 })],
  ['email change requested', texts.emailChangeRequested({ ...letterhead, newAddress: 'a•••@example.com' })],
  ['email changed', texts.emailChanged({ ...letterhead, newAddress: 'a•••@example.com' })],
  ['account deleted', texts.accountDeleted(letterhead)],
  ['invitation', texts.invitation(invitation)],
  ['role changed', texts.roleChanged({ ...letterhead, account: 'Acme', role: 'admin', dashboardUrl })],
  ['removed from an account', texts.removedFromAccount({ ...letterhead, account: 'Acme' })],
  ['member joined', texts.memberJoined({ ...joined, role: 'viewer' })],
  [
    'keys of a former member',
    texts.keysOfFormerMember({
      ...joined,
      keys: ['Checkout', 'Shop'],
      more: 3,
      keysUrl: 'https://otp.example.com/api-keys',
    }),
  ],
  ['owner made', texts.ownerMade(joined)],
  ['person deleted', texts.personDeleted(letterhead)],
  [
    'webhook disabled',
    texts.webhookDisabled({
      ...letterhead,
      name: 'Production',
      url: 'https://hooks.example.com/otp',
      why: 'gone',
      webhooksUrl: 'https://otp.example.com/webhooks',
    }),
  ],
  [
    'destination blocked',
    texts.destinationBlocked({
      ...letterhead,
      destination: 'numbers that begin with +1415555',
      rule: 'prefix_conversion',
      blocked: 3,
      unblockUrl: 'https://otp.example.com/protection/unblock?token=dG9rZW4',
    }),
  ],
  ['auto-purchase', texts.autoPurchaseSucceeded({ ...purchase, balance: 5043 })],
  ['auto-purchase needs action', texts.autoPurchaseNeedsAction(purchase)],
  [
    'auto-purchase failed',
    texts.autoPurchaseFailed({ ...purchase, why: 'The card was declined.', isSwitchedOff: false }),
  ],
  [
    'payment refunded',
    texts.paymentRefunded({ ...letterhead, price: '$85.00', isRepeated: true, creditsUrl }),
  ],
  ['low balance', texts.lowBalance({ ...letterhead, balance: 12, creditsUrl })],
  ['no balance', texts.lowBalance({ ...letterhead, balance: 0, creditsUrl })],
];

describe('every notice', () => {
  test.each(all)(
    'the notice %s has the same content in HTML and text, with the support address',
    (_, mail) => {
      expect(mail.subject).toMatch(/^[A-Z0-9].{5,70}$/);
      expect(mail.text).toContain('Questions? Write to support@sixdigit.example.');
      expect(mail.html).toContain('mailto:support@sixdigit.example');
      const [heading = ''] = mail.text.split('\n');
      expect(mail.html).toContain(`${heading}</h1>`);
    },
  );

  test('the notice of a low balance counts its credits', () => {
    const says = (balance: number) => texts.lowBalance({ ...letterhead, balance, creditsUrl }).text;
    expect(says(1)).toContain('Your balance is 1 credit. ');
    expect(says(1_200)).toContain('Your balance is 1,200 credits. ');
  });

  test.each(all.slice(0, 3))('the notice %s has the code in the body only', (_, mail) => {
    expect(mail.subject).not.toContain('042917');
    expect(mail.html.slice(0, mail.html.indexOf('<table'))).not.toContain('042917');
    expect(mail.html).toContain('>042917</span>');
    expect(mail.text).toContain('Your code: 042917');
    expect(mail.text).toContain('This code expires in 5 minutes.');
  });

  test('the invitation names the account only if its name cannot become a link', () => {
    expect(texts.invitation(invitation).text).toContain('to the account “Acme” at Sixdigit');
    for (const account of ['Shop 2026', 'Acme 24', 'Café №5'])
      expect(texts.invitation({ ...invitation, account }).text).toContain(`to the account “${account}”`);
    for (const account of [
      ...['', 'Win at evil.example', 'www-evil', 'https://evil', 'a@evil', 'evil/now'],
      ...[
        'evil。example',
        'evil．example',
        'evil｡example',
        'evil․example',
        'evil﹒example',
        'ｗｗｗ evil',
        'ev\u00adil＠x',
      ],
      ...[
        'Call +1 900 555 0100',
        '900-555-0100',
        'Call ٩٠٠٥٥٥٠١٠٠',
        'Call ９００５５５',
        '9 0 0 5 5 5',
        '5⃣5⃣5⃣5⃣5⃣',
      ],
    ]) {
      const { text, html } = texts.invitation({ ...invitation, account });
      expect(text).toContain('to their account at Sixdigit');
      if (account !== '') expect(html).not.toContain(account);
    }
  });

  test('the password reset mail contains a link and, as an alternative, a code', () => {
    const [withCode, withoutCode] = [
      texts.passwordReset({ ...reset, code: '042917' }),
      texts.passwordReset(reset),
    ];
    for (const mail of [withCode, withoutCode]) {
      expect(mail.html).toContain(`href="${resetUrl}"`);
      expect(mail.text).toContain(`Choose a new password: ${resetUrl}`);
      expect(mail.text).toContain('It works once, for 30 minutes.');
    }
    expect(withCode.text).toContain('Or enter this code');
    expect(withoutCode.text).not.toMatch(/this code/);
  });

  test.each([
    ['prefix_velocity', 'Many sends to one prefix', 'many codes were requested within ten minutes'],
    ['prefix_conversion', 'Prefix with low conversion', 'hardly any code that was sent there was entered'],
    ['country_unverified', 'Unverified codes in one country', 'more codes than usual were requested there'],
  ] as const)(
    'the mail about a block by %s gives the rule’s name on the screen and the reason',
    (rule, name, reason) => {
      const { text } = texts.destinationBlocked({
        ...letterhead,
        destination: 'numbers that begin with +1415555',
        rule,
        blocked: 3,
        unblockUrl: 'https://otp.example.com/protection/unblock?token=dG9rZW4',
      });
      expect(text).toContain(`The rule “${name}”`);
      expect(text).toContain(`looks like fraud: ${reason}`);
    },
  );

  test('a mail about a block that the previous version queued names its rule', () => {
    const queued = JSON.parse('{"rule": "prefix conversion"}') as { rule: 'prefix_conversion' };
    const unblockUrl = 'https://otp.example.com/protection/unblock?token=dG9rZW4';
    const mail = texts.destinationBlocked({
      ...letterhead,
      ...queued,
      destination: 'the country FR',
      blocked: 1,
      unblockUrl,
    });
    expect(mail.text).toContain('“Prefix with low conversion”');
    expect(mail.text).not.toContain('undefined');
  });

  test('a notice shows only the last four digits of a phone number', () => {
    const mail = texts.phoneChanged({ ...letterhead, phoneNumber: '+12025550147' });
    expect(mail.text).toContain('ends in 0147');
    expect(mail.text + mail.html).not.toContain('2025550147');
  });
});

const notice = { ...letterhead, heading: 'Heads up', paragraphs: ['Something happened.'] };

test('the action link of a notice must be a web address', () => {
  const action = (url: string) => () => renderNotice({ ...notice, action: { label: 'Open', url } });
  expect(action('https://otp.example.com/?a=1&b="2"')().html).toContain(
    'href="https://otp.example.com/?a=1&amp;b=&quot;2&quot;"',
  );
  expect(action('javascript:alert(1)')).toThrow();
});

test('a notice escapes every value in its HTML', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (words) => {
      const evil = `<b onclick="x">${words}</b>`;
      const { html, subject } = renderNotice({
        ...notice,
        brand: evil,
        heading: evil,
        paragraphs: [evil],
        remark: evil,
      });
      expect(html).not.toMatch(/<b[ >]/);
      expect(subject).not.toMatch(/\p{Cc}/u);
    }),
  );
});

test.each([
  [30, '30 seconds'],
  [60, '1 minute'],
  [90, '1 minute and 30 seconds'],
  [300, '5 minutes'],
  [3600, '1 hour'],
])('a duration of %d seconds is written as %s', (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});
