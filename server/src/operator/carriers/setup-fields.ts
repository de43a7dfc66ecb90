import { isIP } from 'node:net';
import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { REQUIRED } from '@sixdigit/contract/field.ts';
import {
  CARRIER_KIND_FACTS,
  type CarrierField,
  type CarrierFieldName,
  type CarrierKind,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import {
  type FieldValues,
  isSender,
  parseMailbox,
  twilioChannels,
} from '../../messaging/carriers/carriers.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import { targetProblem } from '../../platform/outbound/address.ts';
import type { Needs } from '../../platform/platform.ts';
import { guessability } from '../../platform/security/key-strength.ts';
import { readSecret } from '../../platform/signing/standard-webhooks.ts';

/** Validates a carrier's fields by its kind. */
interface Entered {
  kind: CarrierKind;
  channels: readonly Channel[];
  given: FieldValues;
  /** the stored values of a carrier that changes */
  was?: { fields: FieldValues; secrets: FieldValues };
}

type Problems = Partial<Record<CarrierFieldName | 'channels', string>>;

/** Empty secrets keep their stored values. Throws field errors. */
export function checkedFields(
  app: Needs<'config'>,
  { kind, channels, given, was }: Entered,
): { fields: FieldValues; secrets: FieldValues } {
  const facts = CARRIER_KIND_FACTS[kind].fields;
  const fields: FieldValues = {};
  const secrets: FieldValues = {};
  const problems: Problems = {};
  for (const { name, isSecret } of facts) {
    const value = given[name] || (isSecret ? was?.secrets[name] : undefined);
    if (value) (isSecret ? secrets : fields)[name] = value;
  }
  if (was && hasMoved(facts, fields, was.fields))
    for (const { name, isSecret } of facts)
      if (isSecret && was.secrets[name] && !given[name] && secrets[name])
        problems[name] = 'Enter it again: it would be sent to another place than before.';
  if (kind === 'smtp' && !fields.username && !given.password) {
    delete secrets.password;
    delete problems.password;
  }
  const values = { ...fields, ...secrets };
  for (const { name, isOptional, options } of facts) {
    if (!isOptional && !values[name]) problems[name] ??= REQUIRED;
    if (options && values[name] && !options.some(({ value }) => value === values[name]))
      problems[name] ??= `Choose one of: ${options.map(({ value }) => value).join(', ')}.`;
  }
  const served = CARRIER_KIND_FACTS[kind];
  const wrong = channels.find((channel) => !served.serves.includes(channel));
  if (wrong) problems.channels = `${served.label} does not serve ${factsOf(wrong).label}.`;
  for (const [name, problem] of Object.entries(CHECKS[kind](values, app, channels)))
    problems[name as CarrierFieldName] ??= problem;
  const found = Object.entries(problems).filter((one): one is [string, string] => Boolean(one[1]));
  if (found.length > 0)
    throw new FieldErrors(Object.fromEntries(found.map(([name, problem]) => [name, [problem]])));
  return { fields, secrets };
}

/** Whether a secret would be sent to another place. Someone who does not know the secret could read it there. */
const hasMoved = (facts: readonly CarrierField[], now: FieldValues, was: FieldValues): boolean =>
  facts.some(({ name, receivesSecret }) => receivesSecret && (now[name] ?? '') !== (was[name] ?? ''));

type Check = (values: FieldValues, app: Needs<'config'>, channels: readonly Channel[]) => Problems;

const CHECKS: Record<CarrierKind, Check> = {
  smtp: ({ host, port, username, password, from }, app) => ({
    ...(host && !isMailHost(app, host)
      ? { host: 'Enter the host name of a mail server on the internet, such as smtp.example.com.' }
      : {}),
    ...(port && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)
      ? { port: 'Port must be a number from 1 to 65535.' }
      : {}),
    ...(username && !password ? { password: 'Enter the password of this user.' } : {}),
    ...(password && !username ? { username: 'Enter the user name of this password.' } : {}),
    ...(from && !parseMailbox(from)
      ? { from: 'Enter an email address, alone or as Acme <no-reply@example.com>.' }
      : {}),
  }),
  twilio: ({ account_sid, from, api_url }, app, channels) => ({
    ...(account_sid && !/^[\w.-]{1,64}$/.test(account_sid)
      ? { account_sid: 'Copy the Account SID again. It consists of letters and digits.' }
      : {}),
    ...(from && !isSender(from)
      ? {
          from: 'Enter a number like +15551234567, a short code, a sender name or a messaging service (MG…).',
        }
      : {}),
    ...(from && isSender(from) && channels.includes('voice') && !twilioChannels(from).includes('voice')
      ? { channels: 'Calls need a sender that is a number, such as +15551234567.' }
      : {}),
    ...(api_url ? ofUrl('api_url', api_url, app) : {}),
  }),
  http: ({ url, secret }, app) => {
    const read = secret ? readSecret(secret) : {};
    const easy = secret && !('problem' in read) && isExposed(app) ? guessability(secret) : undefined;
    const problem = 'problem' in read ? read.problem : easy;
    return {
      ...(url ? ofUrl('url', url, app) : {}),
      ...(problem ? { secret: `The secret ${problem}.` } : {}),
    };
  },
};

const isExposed = ({ config }: Needs<'config'>): boolean => config.production || config.isPublic;

/** The same addresses as webhooks. Every connection checks the resolved addresses again. */
function ofUrl(name: 'url' | 'api_url', url: string, { config }: Needs<'config'>): Problems {
  const problem = targetProblem(url, { allowPrivate: config.webhookAllowPrivate });
  return problem ? { [name]: problem } : {};
}

function isMailHost({ config }: Needs<'config'>, host: string): boolean {
  if (isIP(host) === 0 && !/^[a-z0-9._-]+$/i.test(host)) return false;
  const url = `https://${isIP(host) === 6 ? `[${host}]` : host}/`;
  return targetProblem(url, { allowPrivate: config.webhookAllowPrivate }) === undefined;
}
