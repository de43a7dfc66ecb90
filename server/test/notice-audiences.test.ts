import { expect, test } from 'vitest';
import * as noticeTexts from '../src/messaging/mail/notice-texts.ts';
import { codeOf, filesBelow, isTest } from './source.ts';

/** Who gets a notice, by the function that sends it. */
const AUDIENCES: Record<string, string> = {
  notifyOwners: 'memberJoined keysOfFormerMember',
  notifyAccount: `newApiKey autoPurchaseNeedsAction autoPurchaseFailed savedCardCharged autoPurchaseSucceeded lowBalance
    paymentRefunded destinationBlocked webhookTarget ssoDomainMissing ssoChanged spendLimit accountSuspended accountResumed
    creditsAdjusted`,
  notifyService: 'webhookDisabled messageDomainMissing',
  notifyMembers: 'ownerMade',
  notifyMember: 'roleChanged',
  notifyPerson: `removedFromAccount emailChangeRequested phoneChanged twoFactorChanged recoveryCodeUsed secondFactorAdded
    secondFactorRemoved recoveryCodesReplaced passkeySuspected newDevice passwordChanged ssoLinked`,
  // To an address rather than a member: of a person who is deleted, invited or moved, or the one to prove.
  postNotice: 'personDeleted accountDeleted invitation emailChanged',
};
/** These go where their challenge says. */
const BY_CHALLENGE = [
  ...['signUpCode', 'signInCode', 'stepUpCode', 'emailChangeCode'],
  ...['alreadyRegistered', 'passwordReset'],
];

test('each notice is sent to its audience, and no notice is without one', () => {
  const sent = new Map<string, Set<string>>();
  for (const file of filesBelow('server/src')) {
    if (isTest(file) || file.endsWith('notices/notices.ts')) continue;
    const calls = codeOf(file).matchAll(
      /\b(notify(?:Account|Service|Owners|Members?|Person)|postNotice)\((?:(?!\bnotify\w+\()[^;])*?kind: '(\w+)'/g,
    );
    for (const [, by = '', kind = ''] of calls) sent.set(by, (sent.get(by) ?? new Set()).add(kind));
  }
  const wanted = Object.entries(AUDIENCES).map(([by, kinds]) => [by, kinds.split(/\s+/).toSorted()]);
  expect(Object.fromEntries([...sent].map(([by, kinds]) => [by, [...kinds].toSorted()]))).toEqual(
    Object.fromEntries(wanted),
  );
  expect([...wanted.flatMap(([, kinds]) => kinds), ...BY_CHALLENGE].toSorted()).toEqual(
    Object.keys(noticeTexts).toSorted(),
  );
});
