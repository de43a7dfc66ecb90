import { API_SCOPES, type ApiKey, type ApiScope, DEFAULT_SCOPES } from '@sixdigit/contract/api-keys.ts';
import type { ProofMode } from '@sixdigit/contract/proof.ts';
import { format } from '../ui/dates.ts';

/** The field values of the limits of a key or a connection. */
export interface LimitValues {
  /** local date and time: '2030-01-31T09:00'; '' means never */
  expires_at: string;
  /** one network per line */
  allowed_networks: string;
  /** '' means no limit */
  daily_credit_limit: string;
}

/** The field values of a key's form. */
export interface KeyValues extends LimitValues {
  scopes: readonly ApiScope[];
  require_proof: ProofMode;
  note: string;
}

export const NO_LIMITS: LimitValues = { expires_at: '', allowed_networks: '', daily_credit_limit: '' };

export const NEW_KEY: KeyValues = {
  scopes: DEFAULT_SCOPES,
  ...NO_LIMITS,
  require_proof: 'never',
  note: '',
};

export const valuesOfKey = (key: ApiKey): KeyValues => ({
  scopes: key.scopes,
  ...valuesOfLimits(key),
  require_proof: key.require_proof,
  note: key.note,
});

type Limited = Pick<ApiKey, 'expires_at' | 'allowed_networks' | 'daily_credit_limit'>;

export const valuesOfLimits = (limits: Limited): LimitValues => ({
  expires_at: localText(limits.expires_at),
  allowed_networks: limits.allowed_networks.join('\n'),
  daily_credit_limit: limits.daily_credit_limit === null ? '' : String(limits.daily_credit_limit),
});

/** The request body of a key's form. `before` is as for `bodyOfLimits`. */
export const bodyOfKey = ({ scopes, require_proof, note, ...limits }: KeyValues, before: KeyValues) => ({
  scopes: [...scopes],
  require_proof,
  ...bodyOfLimits(limits, before),
  note,
});

/**
 * The limits in a request body. `before` holds the form's initial values. An unedited expiry is omitted, because its field shows only
 * minutes.
 */
export const bodyOfLimits = (values: LimitValues, before: LimitValues) => ({
  ...(values.expires_at === before.expires_at ? {} : { expires_at: timeOf(values.expires_at) }),
  allowed_networks: values.allowed_networks.split(/[\s,;]+/).filter((network) => network !== ''),
  daily_credit_limit:
    values.daily_credit_limit.trim() === '' ? null : Number(values.daily_credit_limit.replaceAll(',', '')),
});

/** Formats a time for a date and time field, in the dashboard's time zone. */
function localText(iso: string | null): string {
  if (iso === null) return '';
  const of = Object.fromEntries(
    fieldParts.formatToParts(new Date(iso)).map(({ type, value }) => [type, value]),
  );
  return `${of.year}-${of.month}-${of.day}T${of.hour}:${of.minute}`;
}

const fieldParts = format({
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** Invalid text is sent unchanged, so that the schema rejects it. */
function timeOf(local: string): string | null {
  if (local === '') return null;
  const wanted = Date.parse(`${local}Z`);
  if (Number.isNaN(wanted)) return local;
  // The offset depends on the result. Near a clock change, only the second round finds the right one.
  let at = wanted;
  for (let round = 0; round < 2; round += 1)
    at = wanted - (Date.parse(`${localText(new Date(at).toISOString())}Z`) - at);
  return new Date(at).toISOString();
}

const LABELS: Record<ApiScope, string> = {
  'otp:send': 'Send',
  'otp:verify': 'Verify',
  'otp:read': 'Read',
  'otp:own_code': 'Own codes',
  'events:read': 'Follow events',
  'verify_services:write': 'Verify services',
  'limits:write': 'Limits',
  'templates:write': 'Templates',
  'recipients:write': 'Recipients',
};

/** 'Full access', 'Send, verify and read', 'Verify' */
export function scopesText(scopes: readonly ApiScope[]): string {
  const named = API_SCOPES.filter((scope) => scopes.includes(scope));
  if (named.length === API_SCOPES.length) return 'Full access';
  const labels = named.map((scope, n) => (n === 0 ? LABELS[scope] : LABELS[scope].toLowerCase()));
  return labels.join(', ').replace(/, (?=[^,]*$)/, ' and ');
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 7;

/** Whether the key has expired or will expire within a week. */
export function expiryOf(expires_at: string | null, now: number): 'never' | 'later' | 'soon' | 'expired' {
  if (expires_at === null) return 'never';
  const left = Date.parse(expires_at) - now;
  if (left <= 0) return 'expired';
  return left < SOON_DAYS * DAY_MS ? 'soon' : 'later';
}
