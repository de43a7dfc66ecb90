import { type Letterhead, type Mail, renderNotice } from './notice.ts';

const actNow = 'If this was not you, reset your password at once and contact us.';

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
    remark: 'If it was not you, you need not do anything: your account was not accessed.',
  });
}

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

/**
 * `device`: a browser and system, or a shortened user agent. `address`: the network address. `place`: the address's location,
 * if known.
 */
export function newDevice(
  notice: Letterhead & { device: string; address: string; place: string | null; activityUrl: string },
): Mail {
  return renderNotice({
    ...notice,
    heading: 'New sign-in to your account',
    subject: `New sign-in to your ${notice.brand} account`,
    paragraphs: [
      `Your ${notice.brand} account was opened from a device that it has not seen before: ${notice.device}, from the network address ${notice.address}${notice.place ? ` (${notice.place})` : ''}.`,
      'If this was you, there is nothing to do.',
    ],
    action: { label: 'Review the activity', url: notice.activityUrl },
    remark: actNow,
  });
}

export function newApiKey(
  notice: Letterhead & {
    name: string;
    isTest: boolean;
    /** The key belongs to a connection. Absent in notices queued by the previous version. */
    isConnection?: boolean | undefined;
    activityUrl: string;
  },
): Mail {
  const { brand, name, isTest, isConnection } = notice;
  const [thing, short] = isConnection ? ['connection', 'connection'] : ['API key', 'key'];
  return renderNotice({
    ...notice,
    heading: `A new ${thing} was created`,
    paragraphs: [
      isTest
        ? `The test ${short} “${name}” was created in your ${brand} account. Test ${short}s send nothing and cost nothing.`
        : `The ${thing} “${name}” was created in your ${brand} account. It can spend your credits.`,
      'If this was you, there is nothing to do.',
    ],
    action: { label: 'Review the activity', url: notice.activityUrl },
    remark: `If this was not you, delete the ${short}, reset your password and contact us.`,
  });
}

export function webhookTarget(
  notice: Letterhead & { name: string; origin: string; isNew: boolean; webhooksUrl: string },
): Mail {
  return renderNotice({
    ...notice,
    heading: notice.isNew ? 'A new webhook endpoint was added' : 'A webhook endpoint has a new address',
    paragraphs: [
      `The webhook endpoint “${notice.name}” of your ${notice.brand} account sends the events of your verifications, with their recipients, to ${notice.origin}.`,
      'If this was you, there is nothing to do.',
    ],
    action: { label: 'Open webhooks', url: notice.webhooksUrl },
    remark: 'If this was not you, delete the endpoint, reset your password and contact us.',
  });
}

export function twoFactorChanged(
  notice: Letterhead & {
    enabled: boolean;
    method?: 'sms' | 'email' | undefined;
    /** absent in notices queued by the previous version */
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

export function passkeySuspected(notice: Letterhead & { name: string }): Mail {
  return renderNotice({
    ...notice,
    heading: 'A passkey of your account may have been copied',
    paragraphs: [
      `Somebody used the passkey “${notice.name}” of your ${notice.brand} account, but its counter did not increase. A copied passkey does that, and so do a few security keys that count wrongly.`,
      `It was refused. Sign in another way, remove it in Settings, and register a new one. For a day, ${notice.brand} also accepts a code that we send you after your password.`,
    ],
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

/** Goes to the old address. `newAddress`: masked. */
export function emailChangeRequested(notice: Letterhead & { newAddress: string }): Mail {
  return renderNotice({
    ...notice,
    heading: 'A new email address was requested',
    subject: `A new email address was requested for your ${notice.brand} account`,
    paragraphs: [
      `Our support team was asked to change the address of your ${notice.brand} account to ${notice.newAddress}. We sent a code there.`,
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
      `Our support team changed the address of your ${notice.brand} account to ${notice.newAddress}. Sign in with the new address. All sessions were signed out; the password and the API keys stay.`,
    ],
    remark: 'If you did not ask for this, contact us at once.',
  });
}

/** `state`: on, off, or required of the domain's addresses. */
export function ssoChanged(
  notice: Letterhead & { domain: string; state: 'on' | 'required' | 'off'; settingsUrl: string },
): Mail {
  const { domain, state } = notice;
  return renderNotice({
    ...notice,
    heading: state === 'off' ? 'Single sign-on was turned off' : 'Single sign-on was changed',
    paragraphs: [
      state === 'off'
        ? `Members with email addresses at ${domain} can no longer sign in to your ${notice.brand} account with SSO.`
        : `People with email addresses at ${domain} can sign in to your ${notice.brand} account with SSO, if your identity provider confirms them.`,
      ...(state === 'required'
        ? [
            'Single sign-on is required: except for one exempt owner, members with these addresses can no longer open the account with a password or passkey.',
          ]
        : []),
      'If you expected this change, there is nothing to do.',
    ],
    action: { label: 'Open the settings', url: notice.settingsUrl },
    remark: 'If you did not expect it, turn off single sign-on and contact us.',
  });
}

/** Goes to the person who linked the identity. `account`: the account's name. */
export function ssoLinked(notice: Letterhead & { account: string; domain: string }): Mail {
  return renderNotice({
    ...notice,
    heading: 'Single sign-on was linked to your profile',
    paragraphs: [
      `From now on, the identity provider of ${notice.domain} can sign you in to the ${notice.brand} account “${notice.account}”, but not to your other accounts.`,
    ],
    remark: actNow,
  });
}

/** `lapsesAt`: null if the domain no longer counts. */
export function ssoDomainMissing(
  notice: Letterhead & { domain: string; recordName: string; lapsesAt: string | null; settingsUrl: string },
): Mail {
  const { domain, recordName, lapsesAt } = notice;
  return renderNotice({
    ...notice,
    heading:
      lapsesAt === null
        ? `Single sign-on for ${domain} has stopped`
        : `The DNS record of ${domain} is missing`,
    paragraphs: [
      `Single sign-on for ${domain} needs the TXT record ${recordName}. Our last check did not find it.`,
      lapsesAt === null
        ? 'Until the domain is verified again, nobody can sign in with SSO, and SSO is not required.'
        : `If you do not restore the record by ${lapsesAt.slice(0, 10)}, nobody can sign in with SSO, and SSO is no longer required.`,
    ],
    action: { label: 'Open the settings', url: notice.settingsUrl },
  });
}
