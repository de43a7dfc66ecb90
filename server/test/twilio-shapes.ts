import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

/**
 * The responses of Twilio Verify v2 as twilio/twilio-oai describes them (spec/json/twilio_verify_v2.json), with every field required
 * and no others.
 */
const sid = (kind: string) => ({ type: 'string', pattern: `^${kind}[0-9a-fA-F]{32}$` });
const orNull = (schema: { type: string }) => ({ ...schema, type: [schema.type, 'null'] });
const text = { type: 'string' };
const whole = { type: 'integer' };
const yes = { type: 'boolean' };
const object = { type: 'object' };
const uri = { type: 'string', format: 'uri' };
/** Without milliseconds, as Twilio's client reads it. */
const time = { type: 'string', format: 'date-time', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' };
const one = (...values: string[]) => ({ type: 'string', enum: values });
const closed = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const times = { date_created: time, date_updated: time };
const links = { type: 'object', additionalProperties: uri };

const channel = one('sms', 'call', 'email', 'whatsapp');
const status = one('pending', 'approved', 'canceled', 'max_attempts_reached', 'deleted', 'failed', 'expired');
const ofVerification = {
  sid: sid('VE'),
  service_sid: sid('VA'),
  account_sid: sid('AC'),
  to: text,
  channel,
  status,
  valid: yes,
  amount: orNull(text),
  payee: orNull(text),
  ...times,
};

const SHAPES = {
  service: closed({
    sid: sid('VA'),
    account_sid: sid('AC'),
    friendly_name: text,
    code_length: whole,
    lookup_enabled: yes,
    psd2_enabled: yes,
    skip_sms_to_landlines: yes,
    dtmf_input_required: yes,
    tts_name: orNull(text),
    do_not_share_warning_enabled: yes,
    custom_code_enabled: yes,
    push: object,
    totp: object,
    whatsapp: object,
    passkeys: object,
    default_template_sid: orNull(sid('HJ')),
    verify_event_subscription_enabled: yes,
    ...times,
    url: uri,
    links,
  }),
  verification: closed({
    ...ofVerification,
    lookup: object,
    send_code_attempts: {
      type: 'array',
      minItems: 1,
      items: closed({ time, channel: one('SMS', 'CALL', 'EMAIL'), attempt_sid: sid('VL') }),
    },
    sna: { type: 'null' },
    url: uri,
  }),
  check: closed({ ...ofVerification, sna_attempts_error_codes: { type: 'array' } }),
  rateLimit: closed({
    sid: sid('RK'),
    service_sid: sid('VA'),
    account_sid: sid('AC'),
    unique_name: text,
    description: text,
    ...times,
    url: uri,
    links,
  }),
  bucket: closed({
    sid: sid('BL'),
    rate_limit_sid: sid('RK'),
    service_sid: sid('VA'),
    account_sid: sid('AC'),
    max: whole,
    interval: whole,
    ...times,
    url: uri,
  }),
  safeNumber: closed({ sid: sid('GN'), phone_number: text, url: uri }),
  attempt: closed({
    sid: sid('VL'),
    account_sid: sid('AC'),
    service_sid: sid('VA'),
    verification_sid: sid('VE'),
    ...times,
    conversion_status: one('converted', 'unconverted'),
    channel,
    price: object,
    channel_data: object,
    url: uri,
  }),
  summary: closed({
    total_attempts: whole,
    total_converted: whole,
    total_unconverted: whole,
    conversion_rate_percentage: text,
    url: uri,
  }),
};
const ERROR = closed({
  code: whole,
  message: text,
  more_info: text,
  status: whole,
  details: { type: 'object', required: ['reason'], properties: { reason: text } },
});

const pageOf = (key: string, item: object) =>
  closed({
    [key]: { type: 'array', items: item },
    meta: closed({
      key: { const: key },
      page: whole,
      page_size: whole,
      first_page_url: uri,
      previous_page_url: orNull(uri),
      next_page_url: orNull(uri),
      url: uri,
    }),
  });

const SERVICE = '/v2/Services/[^/]+';
/** The shapes by path: of one resource, which a POST to its list also returns, and of a list. */
const PATHS: readonly [path: string, object, list?: string][] = [
  ['/v2/Services', SHAPES.service, 'services'],
  [SERVICE, SHAPES.service],
  [`${SERVICE}/Verifications(/[^/]+)?`, SHAPES.verification],
  [`${SERVICE}/VerificationCheck`, SHAPES.check],
  [`${SERVICE}/RateLimits`, SHAPES.rateLimit, 'rate_limits'],
  [`${SERVICE}/RateLimits/[^/]+`, SHAPES.rateLimit],
  [`${SERVICE}/RateLimits/[^/]+/Buckets`, SHAPES.bucket, 'buckets'],
  [`${SERVICE}/RateLimits/[^/]+/Buckets/[^/]+`, SHAPES.bucket],
  ['/v2/SafeList/Numbers(/[^/]+)?', SHAPES.safeNumber],
  ['/v2/Attempts', SHAPES.attempt, 'attempts'],
  ['/v2/Attempts/Summary', SHAPES.summary],
  ['/v2/Attempts/[^/]+', SHAPES.attempt],
];

const ajv = new Ajv({ allErrors: true, strict: false });
addFormats.default(ajv);
const compiled = new Map<object, ValidateFunction>();
const isError = ajv.compile(ERROR);

/** What is wrong with a response, as text; undefined if nothing is. */
export function twilioProblem(
  { method, path }: { method: string; path: string },
  { status: statusCode, body }: { status: number; body: unknown },
): string | undefined {
  const found = PATHS.find(([pattern]) => new RegExp(`^${pattern}$`).test(path));
  if (statusCode === 204) return body === undefined ? undefined : 'a body with 204';
  if (statusCode >= 400) return isError(body) ? undefined : ajv.errorsText(isError.errors);
  if (!found) return `no shape for ${path}`;
  const [, item, list] = found;
  const isList = method === 'GET' && list !== undefined;
  const validate = compiled.get(isList ? found : item) ?? ajv.compile(isList ? pageOf(list, item) : item);
  compiled.set(isList ? found : item, validate);
  return validate(body) ? undefined : `${method} ${path}: ${ajv.errorsText(validate.errors)}`;
}
