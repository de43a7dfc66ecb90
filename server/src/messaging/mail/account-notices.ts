import { type Blocker, RULE_NAMES } from '@sixdigit/contract/protection/protection.ts';
import { type Letterhead, type Mail, renderNotice } from './notice.ts';

/** The reason for a block, by rule. Only these rules block prefixes or countries that the account can allow. */
const BLOCK_REASONS = {
  prefix_velocity: 'many codes were requested within ten minutes',
  prefix_conversion: 'hardly any code that was sent there was entered',
  country_unverified:
    'more codes than usual were requested there and not entered. Prefixes whose codes are entered still get codes',
} as const satisfies Partial<Record<Blocker, string>>;
export type MailedRule = keyof typeof BLOCK_REASONS;

/** Announces a destination's first block of the day. */
export function destinationBlocked(
  notice: Letterhead & { destination: string; rule: MailedRule; blocked: number; unblockUrl: string },
): Mail {
  const { brand, destination, unblockUrl } = notice;
  // Notices queued by the previous version contain the rule's name in words.
  const rule = notice.rule.replaceAll(' ', '_') as MailedRule;
  return renderNotice({
    ...notice,
    heading: 'Codes to a destination are blocked',
    subject: `${brand} blocked codes to ${destination}`,
    paragraphs: [
      `The rule “${RULE_NAMES[rule]}” of your account blocks codes to ${destination}, because that looks like fraud: ${BLOCK_REASONS[rule]}. Blocked codes cost nothing.`,
      'If these are your users, allow the destination. Otherwise you need not do anything. This is the only mail about it today; the request log shows all blocked sends.',
    ],
    action: { label: 'Allow this destination', url: unblockUrl },
    remark: 'The link works for seven days and allows only this destination.',
  });
}

/** `lapsesAt`: null if links to the domain are already refused. */
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

export function webhookDisabled(
  notice: Letterhead & { name: string; url: string; why: 'gone' | 'failing'; webhooksUrl: string },
): Mail {
  return renderNotice({
    ...notice,
    heading: 'A webhook was disabled',
    subject: `Webhook disabled: ${notice.name}`,
    paragraphs: [
      notice.why === 'gone'
        ? `Your webhook “${notice.name}” responded with 410 Gone, so we stopped sending events to it.`
        : `Your webhook “${notice.name}” has not accepted an event for five days, so we stopped sending to it.`,
      `Its address is ${notice.url}. Missed events can be replayed; a test that passes enables it again.`,
    ],
    action: { label: 'Open webhooks', url: notice.webhooksUrl },
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
