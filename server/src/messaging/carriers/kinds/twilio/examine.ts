import { apiBase } from '../../../../platform/config.ts';
import {
  type DoctorContext,
  type Finding,
  ok,
  problem,
  unreachedBecause,
  warning,
} from '../../../../platform/finding.ts';
import { isPublicHost } from '../../../../platform/outbound/address.ts';
import type { SettingValues } from '../../kind.ts';
import { reportAddress } from '../../post.ts';
import { senderFindings } from '../../senders.ts';
import { API_URL } from './send.ts';

const NAME = 'twilio';
const TIMEOUT_MS = 8_000;

/** Reads the account: https://www.twilio.com/docs/iam/api/account */
export async function checkTwilio(settings: SettingValues, { config }: DoctorContext): Promise<Finding[]> {
  const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken } = settings;
  const { TWILIO_FROM: from, TWILIO_API_URL: apiUrl = API_URL } = settings;
  if (!accountSid || !authToken || !from) return [];
  const { host } = new URL(apiUrl);
  try {
    const answer = await fetch(`${apiUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}.json`, {
      headers: { authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const account = accountFinding(host, answer.status, await answer.json().catch(() => ({})));
    const values = { from, senders: settings.TWILIO_SENDERS };
    const used = { name: 'Twilio', channels: ['sms'] as const, values };
    return [account, ...callbackFindings(apiBase(config), apiUrl), ...senderFindings(NAME, config, used)];
  } catch (error) {
    return [
      problem(
        NAME,
        `${host} cannot be reached: ${unreachedBecause(error)}.`,
        'Check that this machine can connect to it, and TWILIO_API_URL.',
      ),
    ];
  }
}

/** Twilio refuses messages with a private StatusCallback (21609), so the service omits a private one. */
export function callbackFindings(base: string, apiUrl: string): Finding[] {
  if (!isPublicHost(new URL(apiUrl)) || reportAddress(base, apiUrl)) return [];
  return [
    warning(
      NAME,
      'PUBLIC_URL is not an address that Twilio can reach, so messages are sent without delivery reports.',
      'Set PUBLIC_URL (or API_URL) to the public https address of this service.',
    ),
  ];
}

function accountFinding(host: string, status: number, body: unknown): Finding {
  const { status: state, type } = (body ?? {}) as { status?: unknown; type?: unknown };
  if (status === 401 || status === 403)
    return problem(
      NAME,
      `${host} refuses the account or its token.`,
      'Correct TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN.',
    );
  if (status === 404)
    return warning(
      NAME,
      `${host} responds, but finds no such account.`,
      'A compatible carrier may not offer this call: send a test code. Otherwise correct TWILIO_ACCOUNT_SID or TWILIO_API_URL.',
    );
  if (status !== 200)
    return problem(
      NAME,
      `${host} responds with HTTP ${status}.`,
      'Check the status page of the carrier and TWILIO_API_URL.',
    );
  if (state === 'suspended' || state === 'closed')
    return problem(NAME, `The account is ${state}.`, 'Resolve it in the console of the carrier.');
  if (type === 'Trial')
    return warning(
      NAME,
      'The credentials are right; the account is a trial and sends only to numbers verified there.',
      'Upgrade the account.',
    );
  return ok(NAME, `${host} accepts the credentials.`);
}
