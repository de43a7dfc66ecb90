import { duration, type Letterhead, type Mail } from './letter.ts';
import { renderNotice } from './notice.ts';

/** The texts of all mails from Sixdigit to its own customers. No subject contains a code. */
export interface CodeNotice extends Letterhead {
  code: string;
  expiresInSeconds: number;
}

const notYou = 'If this was not you, you can ignore this email. Never share the code with anyone.';

export function signUpCode(notice: CodeNotice): Mail {
  return renderNotice({
    ...notice,
    heading: 'Confirm your email address',
    subject: `Confirm your email address for ${notice.brand}`,
    paragraphs: [`Enter this code to finish creating your ${notice.brand} account.`],
    remark: notYou,
  });
}

export function signInCode(notice: CodeNotice): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your sign-in code',
    subject: `Your ${notice.brand} sign-in code`,
    paragraphs: [`Enter this code to finish signing in to ${notice.brand}.`],
    remark:
      'If you are not signing in, somebody knows your password: change it. Never share the code with anyone.',
  });
}

export function stepUpCode(notice: CodeNotice): Mail {
  return renderNotice({
    ...notice,
    heading: 'Confirm that it is you',
    subject: `Your ${notice.brand} confirmation code`,
    paragraphs: [`Enter this code to confirm a change of your ${notice.brand} account.`],
    remark:
      'If you are not changing anything, somebody uses your account: change your password and sign out everywhere. Never share the code with anyone.',
  });
}

/** Without a code, the link alone resets the password. */
/** The first block of a destination of a day. */
export function destinationBlocked(
  notice: Letterhead & { destination: string; rule: string; blocked: number; unblockUrl: string },
): Mail {
  const { brand, destination, rule, unblockUrl } = notice;
  return renderNotice({
    ...notice,
    heading: 'Codes to a destination are blocked',
    subject: `${brand} blocked codes to ${destination}`,
    paragraphs: [
      `The rule "${rule}" of your account blocks codes to ${destination}, because what is sent there looks like fraud: many codes are requested and hardly any is entered. Blocked codes cost nothing.`,
      'If these are your users, allow the destination. Otherwise you need not do anything. This is the only mail about it today; the request log shows all blocked sends.',
    ],
    action: { label: 'Allow this destination', url: unblockUrl },
    remark: 'The link works for seven days and allows only this destination.',
  });
}

export function passwordReset(
  notice: Letterhead & {
    code?: string | undefined;
    expiresInSeconds: number;
    resetUrl: string;
    linkExpiresInSeconds: number;
  },
): Mail {
  const lifetime = duration(notice.linkExpiresInSeconds);
  return renderNotice({
    ...notice,
    heading: 'Choose a new password',
    subject: `Reset your ${notice.brand} password`,
    paragraphs: [
      `Open this link to choose a new password for your ${notice.brand} account. It works once, for ${lifetime}.`,
      ...(notice.code ? ['Or enter this code on the page where you asked for this email.'] : []),
    ],
    action: { label: 'Choose a new password', url: notice.resetUrl },
    remark:
      'If you did not ask for this, your password stays as it is. Never share the link or the code with anyone.',
  });
}

export function alreadyRegistered(notice: Letterhead & { signInUrl: string }): Mail {
  return renderNotice({
    ...notice,
    heading: 'You already have an account',
    subject: `Your ${notice.brand} account already exists`,
    paragraphs: [
      `Somebody tried to sign up to ${notice.brand} with this email address, but it already belongs to an account.`,
      'If it was you, sign in instead. “Forgot your password?” on that page helps if you no longer know it.',
    ],
    action: { label: 'Sign in', url: notice.signInUrl },
    remark: 'If it was not you, there is nothing to do: nobody got in.',
  });
}

const actNow = 'If this was not you, reset your password at once and contact us.';

export function passwordChanged(notice: Letterhead): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your password was changed',
    paragraphs: [
      `The password of your ${notice.brand} account was changed. All other sessions were signed out.`,
    ],
    remark: actNow,
  });
}

/** `device`: a browser and a system, or a shortened user agent; `address`: of the network. */
export function newDevice(
  notice: Letterhead & { device: string; address: string; activityUrl: string },
): Mail {
  return renderNotice({
    ...notice,
    heading: 'New sign-in to your account',
    subject: `New sign-in to your ${notice.brand} account`,
    paragraphs: [
      `Your ${notice.brand} account was opened from a device that it has not seen before: ${notice.device}, from the network address ${notice.address}.`,
      'If this was you, there is nothing to do.',
    ],
    action: { label: 'Review the activity', url: notice.activityUrl },
    remark: actNow,
  });
}

export function newApiKey(notice: Letterhead & { name: string; isTest: boolean; activityUrl: string }): Mail {
  return renderNotice({
    ...notice,
    heading: 'A new API key was created',
    paragraphs: [
      notice.isTest
        ? `The test key “${notice.name}” was created in your ${notice.brand} account. Test keys send nothing and cost nothing.`
        : `The API key “${notice.name}” was created in your ${notice.brand} account. It can spend your credits.`,
      'If this was you, there is nothing to do.',
    ],
    action: { label: 'Review the activity', url: notice.activityUrl },
    remark: 'If this was not you, delete the key, reset your password and contact us.',
  });
}

/** `lapsesAt`: null when the domain does not count any more. */
export function messageDomainMissing(
  notice: Letterhead & { domain: string; recordName: string; lapsesAt: string | null; settingsUrl: string },
): Mail {
  const { domain, recordName, lapsesAt } = notice;
  return renderNotice({
    ...notice,
    heading: lapsesAt === null ? `Links to ${domain} are refused` : `The DNS record of ${domain} is missing`,
    paragraphs: [
      `Your messages may link to ${domain} because of the TXT record ${recordName}, which we did not find at the last look-up.`,
      lapsesAt === null
        ? 'Sends whose message links to this domain are refused until the domain is verified again.'
        : `If the record is not back by ${lapsesAt.slice(0, 10)}, sends whose message links to this domain are refused.`,
    ],
    action: { label: 'Open the domains', url: notice.settingsUrl },
  });
}

export function twoFactorChanged(
  notice: Letterhead & {
    enabled: boolean;
    method?: 'sms' | 'email' | undefined;
    /** missing in notices of the version before */
    activityUrl?: string | undefined;
  },
): Mail {
  const by = notice.method === 'sms' ? 'by SMS' : 'by email';
  return renderNotice({
    ...notice,
    heading: notice.enabled ? 'Two-factor authentication is on' : 'Two-factor authentication is off',
    paragraphs: [
      notice.enabled
        ? `From now on, signing in to ${notice.brand} asks for a code that we send you ${by}.`
        : `Signing in to ${notice.brand} no longer asks for a code. Your password alone protects your account.`,
    ],
    ...(notice.activityUrl ? { action: { label: 'Review the activity', url: notice.activityUrl } } : {}),
    remark: actNow,
  });
}

export function secondFactorAdded(notice: Letterhead & { factor: string }): Mail {
  return renderNotice({
    ...notice,
    heading: `Your ${notice.brand} account has a new ${notice.factor}`,
    paragraphs: [`From now on, it can be used to sign in to ${notice.brand}.`],
    remark: actNow,
  });
}

export function secondFactorRemoved(notice: Letterhead & { factor: string }): Mail {
  return renderNotice({
    ...notice,
    heading: `The ${notice.factor} of your ${notice.brand} account was removed`,
    paragraphs: [`It can no longer be used to sign in to ${notice.brand}.`],
    remark: actNow,
  });
}

export function recoveryCodeUsed(notice: Letterhead & { left: number }): Mail {
  const left =
    notice.left === 0
      ? 'It was the last one. Create new recovery codes in Settings.'
      : `It works only once. Codes left: ${notice.left}.`;
  return renderNotice({
    ...notice,
    heading: 'A recovery code was used',
    paragraphs: [`Somebody signed in to your ${notice.brand} account with a recovery code. ${left}`],
    remark: actNow,
  });
}

export function recoveryCodesReplaced(notice: Letterhead): Mail {
  return renderNotice({
    ...notice,
    heading: 'You have new recovery codes',
    paragraphs: [
      `The recovery codes of your ${notice.brand} account were replaced. The earlier ones no longer work.`,
    ],
    remark: actNow,
  });
}

/** `phoneNumber` in E.164; the mail shows only its last four digits. If it is missing, the number was removed. */
export function phoneChanged(notice: Letterhead & { phoneNumber?: string | undefined }): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your phone number was changed',
    paragraphs: [
      notice.phoneNumber
        ? `The phone number of your ${notice.brand} account now ends in ${notice.phoneNumber.slice(-4)}.`
        : `The phone number of your ${notice.brand} account was removed.`,
    ],
    remark: actNow,
  });
}

/** Goes to the new address. */
export function emailChangeCode(notice: CodeNotice): Mail {
  return renderNotice({
    ...notice,
    heading: 'Confirm your new email address',
    subject: `Confirm your new email address for ${notice.brand}`,
    paragraphs: [
      `You asked our support to change the address of your ${notice.brand} account to this one. Read this code out to the person who helps you.`,
    ],
    remark:
      'If you did not ask for this, do not give the code to anyone, not even to us: the address then stays as it is.',
  });
}

/** Goes to the old address. `newAddress`: masked. */
export function emailChangeRequested(notice: Letterhead & { newAddress: string }): Mail {
  return renderNotice({
    ...notice,
    heading: 'A new email address was requested',
    subject: `A new email address was requested for your ${notice.brand} account`,
    paragraphs: [
      `Our support was asked to change the address of your ${notice.brand} account to ${notice.newAddress}. We sent a code there.`,
    ],
    remark: 'If you did not ask for this, contact us at once.',
  });
}

/** Goes to both addresses. `newAddress`: masked. */
export function emailChanged(notice: Letterhead & { newAddress: string }): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your email address was changed',
    paragraphs: [
      `Our support changed the address of your ${notice.brand} account to ${notice.newAddress}. Sign in with the new address. All sessions were signed out; the password and the API keys stay.`,
    ],
    remark: 'If you did not ask for this, contact us at once.',
  });
}

export function accountDeleted(notice: Letterhead): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your account was deleted',
    paragraphs: [
      `Your ${notice.brand} account and the personal data in it were deleted. Its API keys no longer work.`,
    ],
    remark: 'If this was not you, contact us at once.',
  });
}

export function webhookDisabled(
  notice: Letterhead & { name: string; url: string; why: 'gone' | 'failing'; webhooksUrl: string },
): Mail {
  return renderNotice({
    ...notice,
    heading: 'A webhook was switched off',
    subject: `Webhook switched off: ${notice.name}`,
    paragraphs: [
      notice.why === 'gone'
        ? `Your webhook “${notice.name}” answered 410 Gone, so we stopped sending events to it.`
        : `Your webhook “${notice.name}” has not accepted an event for five days, so we stopped sending to it.`,
      `Its address is ${notice.url}. Missed events can be replayed; a test that passes switches it on again.`,
    ],
    action: { label: 'Open webhooks', url: notice.webhooksUrl },
  });
}

interface AutoPurchaseNotice extends Letterhead {
  credits: number;
  /** Formatted as on the screens, such as "$9.50". */
  price: string;
  creditsUrl: string;
}

export function savedCardCharged(notice: AutoPurchaseNotice & { card: string | null }): Mail {
  return renderNotice({
    ...notice,
    heading: `${count(notice.credits)} credits were bought`,
    paragraphs: [
      `${count(notice.credits)} credits were bought for ${notice.price} with ${notice.card ? `your saved card ${notice.card}` : 'your saved card'}.`,
      'If this was you, there is nothing to do.',
    ],
    action: { label: 'Open credits', url: notice.creditsUrl },
    remark: 'If this was not you, remove the card, reset your password and contact us.',
  });
}

export function autoPurchaseSucceeded(notice: AutoPurchaseNotice & { balance: number }): Mail {
  return renderNotice({
    ...notice,
    heading: `${count(notice.credits)} credits were added`,
    paragraphs: [
      `Your balance fell below your threshold, so we bought ${count(notice.credits)} credits for ${notice.price} with your saved card. Your balance is now ${count(notice.balance)}.`,
    ],
    action: { label: 'Open credits', url: notice.creditsUrl },
  });
}

export function autoPurchaseNeedsAction(notice: AutoPurchaseNotice): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your bank wants you to confirm a purchase',
    paragraphs: [
      `Your balance fell below your threshold, but your bank did not let us buy ${count(notice.credits)} credits for ${notice.price} without you.`,
      'Automatic purchases are paused until you have bought credits yourself once.',
    ],
    action: { label: 'Buy credits', url: notice.creditsUrl },
  });
}

export function autoPurchaseFailed(
  notice: AutoPurchaseNotice & { why: string; isSwitchedOff: boolean },
): Mail {
  return renderNotice({
    ...notice,
    heading: notice.isSwitchedOff ? 'Automatic purchases are switched off' : 'An automatic purchase failed',
    paragraphs: [
      `Your balance fell below your threshold, but buying ${count(notice.credits)} credits for ${notice.price} failed: ${notice.why}`,
      notice.isSwitchedOff
        ? 'After several failures we stopped trying. Switch automatic purchases on again when your card works.'
        : 'We will try again later. Sending stops when your credits are used up.',
    ],
    action: { label: 'Open credits', url: notice.creditsUrl },
  });
}

/** `isRepeated`: the customer paid the purchase twice. Otherwise the amount or currency differed from the order. */
export function paymentRefunded(
  notice: Letterhead & { price: string; isRepeated: boolean; creditsUrl: string },
): Mail {
  return renderNotice({
    ...notice,
    heading: 'A payment was refunded',
    subject: `We refunded a payment of ${notice.price}`,
    paragraphs: [
      notice.isRepeated
        ? `Your card was charged ${notice.price} a second time for one purchase. We refunded the second payment to your card.`
        : `We received a payment of ${notice.price} that does not match your order. We added no credits and refunded the payment to your card.`,
      'Your bank shows the refund within five to ten days.',
    ],
    action: { label: 'Open credits', url: notice.creditsUrl },
  });
}

export function spendLimit(
  notice: Letterhead & {
    /** null: a limit of the account */
    keyName: string | null;
    span: 'day' | 'month';
    percent: number;
    creditLimit: number;
    spent: number;
    limitsUrl: string;
  },
): Mail {
  const { keyName, span, percent, creditLimit, spent } = notice;
  const limit = `${span === 'day' ? 'daily' : 'monthly'} spend limit`;
  const whose = keyName === null ? 'Your account' : `Your API key “${keyName}”`;
  return renderNotice({
    ...notice,
    heading: percent >= 100 ? `A ${limit} is reached` : `${percent} % of a ${limit} is spent`,
    paragraphs: [
      `${whose} has spent ${count(spent)} of the ${count(creditLimit)} credits of its ${limit}.`,
      percent >= 100
        ? `Further sends are refused until the next ${span} of UTC begins or you raise the limit.`
        : `At ${count(creditLimit)} credits, further sends are refused until the next ${span} of UTC begins.`,
    ],
    action: { label: 'Review the limit', url: notice.limitsUrl },
    remark: 'If you did not expect this, check who uses your API keys.',
  });
}

export function lowBalance(notice: Letterhead & { balance: number; creditsUrl: string }): Mail {
  const isEmpty = notice.balance === 0;
  return renderNotice({
    ...notice,
    heading: isEmpty ? 'Your credits are used up' : 'Your credits are running low',
    paragraphs: [
      isEmpty
        ? 'Your balance is 0 credits: further verifications are refused until you buy more.'
        : `Your balance is ${count(notice.balance)} credit${notice.balance === 1 ? '' : 's'}. At 0, further verifications are refused.`,
    ],
    action: { label: 'Buy credits', url: notice.creditsUrl },
  });
}

export function creditsAdjusted(
  notice: Letterhead & { credits: number; balance: number; reason: string; creditsUrl: string },
): Mail {
  const amount = Math.abs(notice.credits);
  const what = `${count(amount)} credit${amount === 1 ? '' : 's'}`;
  const were = amount === 1 ? 'was' : 'were';
  return renderNotice({
    ...notice,
    heading: notice.credits > 0 ? `${what} ${were} added` : `${what} ${were} removed`,
    paragraphs: [
      notice.credits > 0
        ? `We added ${what} to your account. Your balance is now ${count(notice.balance)}.`
        : `We removed ${what} from your account. Your balance is now ${count(notice.balance)}.`,
      `Reason: ${notice.reason}`,
    ],
    action: { label: 'Open credits', url: notice.creditsUrl },
    remark: 'Contact us if you have questions.',
  });
}

export function accountSuspended(notice: Letterhead & { reason: string }): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your account was suspended',
    paragraphs: [
      `Your ${notice.brand} account was suspended. Requests with its API keys are refused, and nothing is charged.`,
      `Reason: ${notice.reason}`,
    ],
    remark: 'Contact us to resolve this.',
  });
}

export function accountResumed(notice: Letterhead): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your account is active again',
    paragraphs: [`The suspension of your ${notice.brand} account has ended. Your API keys work again.`],
  });
}

function count(credits: number): string {
  return credits.toLocaleString('en-US');
}
