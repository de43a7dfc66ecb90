import { LANGUAGES } from '@sixdigit/contract/languages.ts';
import { WHATSAPP_LANGUAGES } from '@sixdigit/contract/operator/carrier-kinds/whatsapp.ts';
import { type Finding, ok, problem, warning } from '../../../../platform/finding.ts';
import type { FieldValues } from '../../carrier.ts';
import {
  type Answer,
  asObject,
  createPoster,
  type Poster,
  parsed,
  type Reach,
  withoutAnswer,
} from '../../post.ts';
import { ofKey } from '../record/paths.ts';
import { buttonOf } from './android-apps.ts';

/**
 * What a WhatsApp Business account needs before it can send codes: an authentication template, approved in each language, and the
 * subscription of the app, without which Meta sends no reports although its dashboard looks right.
 */
interface Account {
  name: string;
  /** with the defaults of empty fields */
  values: FieldValues;
  reach: Reach;
}

const ABOUT = 'carriers';
const TIMEOUT_MS = 8_000;
/** A message that does not arrive within this time is dropped and reported as failed. */
const MESSAGE_SECONDS = 300;
const NAMES = LANGUAGES.map((language) => ofKey(WHATSAPP_LANGUAGES, language) ?? language);

/** Creates the template in all our languages, or updates it, subscribes the app, and says what is still missing. */
export const prepareWhatsapp = (account: Account): Promise<Finding> =>
  withMeta(account, async (meta) => {
    await meta('POST', 'upsert_message_templates', {
      name: account.values.template,
      languages: NAMES,
      category: 'AUTHENTICATION',
      message_send_ttl_seconds: MESSAGE_SECONDS,
      components: [
        { type: 'BODY', add_security_recommendation: true },
        ...footerOf(account.values),
        { type: 'BUTTONS', buttons: [buttonOf(account.values)] },
      ],
    });
    await meta('POST', 'subscribed_apps');
    return stateOf(account, meta);
  });

const footerOf = ({ code_minutes }: FieldValues) =>
  code_minutes ? [{ type: 'FOOTER', code_expiration_minutes: Number(code_minutes) }] : [];

/** Says in which languages the template is approved, and whether the app is subscribed. Changes nothing. */
export const examineWhatsapp = (account: Account): Promise<Finding> =>
  withMeta(account, (meta) => stateOf(account, meta));

type Meta = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Record<string, unknown>>;

/** A response that ends the conversation. */
class Stopped extends Error {
  readonly finding: Finding;
  constructor(finding: Finding) {
    super(finding.says);
    this.finding = finding;
  }
}

async function withMeta(account: Account, run: (meta: Meta) => Promise<Finding>): Promise<Finding> {
  const poster = createPoster(account.reach);
  try {
    return await run((method, path, body) => ask(poster, account, { method, path, body }));
  } catch (error) {
    if (error instanceof Stopped) return error.finding;
    throw error;
  } finally {
    poster.close();
  }
}

async function ask(
  poster: Poster,
  { name, values }: Account,
  { method, path, body }: { method: string; path: string; body: object | undefined },
): Promise<Record<string, unknown>> {
  const url = new URL(
    `${values.api_url?.replace(/\/+$/, '')}/${encodeURIComponent(values.waba_id ?? '')}/${path}`,
  );
  const answer = await poster.post({
    method,
    url,
    headers: { authorization: `Bearer ${values.access_token}`, 'content-type': 'application/json' },
    body: body ? JSON.stringify(body) : '',
    timeoutMs: TIMEOUT_MS,
  });
  const carrier = `${name} (${url.host})`;
  if (answer.kind !== 'answered')
    throw new Stopped(
      problem(
        ABOUT,
        withoutAnswer(carrier, answer).detail,
        'Check the API address, and that this machine can connect to it.',
      ),
    );
  const read = parsed(answer.text);
  if (answer.status < 300 && read) return read;
  throw new Stopped(refusalOf(carrier, answer, read));
}

/** Meta's own sentence is left out: it can quote the request. */
function refusalOf(
  carrier: string,
  { status }: Extract<Answer, { kind: 'answered' }>,
  read: Record<string, unknown> | undefined,
): Finding {
  const { code } = asObject(read?.error) ?? {};
  if (status >= 500) return warning(ABOUT, `${carrier} responds with HTTP ${status}.`, 'Try again later.');
  if (status === 401 || code === 190)
    return problem(
      ABOUT,
      `${carrier} refuses the credentials.`,
      'Correct them in the console, at /operator/carriers.',
    );
  const error = typeof code === 'number' ? `error ${code}` : `HTTP ${status}`;
  return problem(
    ABOUT,
    `${carrier} refuses the request (${error}).`,
    'Check the account ID, and that the access token has the permission whatsapp_business_management.',
  );
}

async function stateOf({ name, values }: Account, meta: Meta): Promise<Finding> {
  const { template = '' } = values;
  const query = new URLSearchParams({ name: template, fields: 'name,language,status', limit: '200' });
  const { data: templates } = await meta('GET', `message_templates?${query}`);
  const { data: apps } = await meta('GET', 'subscribed_apps');
  const statuses = new Map(
    listOf(templates).flatMap((one) =>
      one.name === template ? [[String(one.language), String(one.status).toLowerCase()] as const] : [],
    ),
  );
  const setUp = 'Use “Set Up at Meta” in the carrier’s test dialog in the console.';
  if (listOf(apps).length === 0)
    return problem(
      ABOUT,
      `${name} gets no delivery reports: no app is subscribed to the WhatsApp account.`,
      setUp,
    );
  const approved = NAMES.filter((language) => statuses.get(language) === 'approved');
  const others = NAMES.filter((language) => !approved.includes(language));
  const says = `The template ${template} is approved in ${approved.length} of ${NAMES.length} languages, and the app is subscribed.`;
  if (others.length === 0) return ok(ABOUT, says);
  const texts = others.map((language) => `${language} (${statuses.get(language) ?? 'missing'})`);
  const level = approved.length === 0 ? problem : warning;
  const areAllMissing = others.every((language) => !statuses.has(language));
  return level(
    ABOUT,
    `${says} Others: ${texts.join(', ')}.`,
    areAllMissing ? setUp : 'Codes in these languages are refused until Meta approves the template.',
  );
}

const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.map(asObject).filter((one) => one !== undefined) : [];
