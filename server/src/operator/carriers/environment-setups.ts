import { CHANNELS } from '@sixdigit/contract/channels.ts';
import {
  CARRIER_KIND_FACTS,
  CARRIER_KINDS,
  type CarrierFieldName,
  type CarrierKind,
  type CarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { apiBase, type CarrierSettings } from '../../platform/config.ts';
import type { CarriersApp } from './carriers.ts';

/** The environment variable of each field, and its value. */
type Given = Partial<Record<CarrierFieldName, { setting: string; value: string | undefined }>>;

/** The carriers that the environment sets up. The console shows them without their secrets and cannot change them. */
export const environmentSetups = (app: CarriersApp): CarrierSetup[] =>
  CARRIER_KINDS.filter((kind) => app.carriers.find(kind)).map((kind) => setupOf(app, kind));

function setupOf(app: CarriersApp, kind: CarrierKind): CarrierSetup {
  const given = GIVEN[kind](app.config.carriers);
  return {
    name: kind,
    kind,
    source: 'environment',
    channels: CHANNELS.filter((channel) =>
      app.carriers.forChannel(channel).some(({ name }) => name === kind),
    ),
    is_enabled: true,
    version: 0,
    fields: CARRIER_KIND_FACTS[kind].fields.map(({ name, isSecret }) => {
      const { setting = null, value } = given[name] ?? {};
      return {
        name,
        value: isSecret ? null : (value ?? null),
        is_set: Boolean(value),
        last4: null,
        setting,
      };
    }),
    inbound_url: inboundUrl(app, kind, kind),
    problem: null,
    changed_at: null,
    changed_by: null,
  };
}

/** The address for replies such as STOP. */
export const inboundUrl = (
  { config }: Pick<CarriersApp, 'config'>,
  name: string,
  kind: CarrierKind,
): string | null => (kind === 'smtp' ? null : `${apiBase(config)}/carriers/${name}/inbound/`);

const GIVEN: Record<CarrierKind, (settings: CarrierSettings) => Given> = {
  smtp: ({ smtpUrl, emailFrom }) => {
    const url = URL.parse(smtpUrl ?? '');
    const of = (value: string | undefined) => ({ setting: 'SMTP_URL', value: value || undefined });
    return {
      host: of(url?.hostname),
      port: of(url?.port),
      encryption: of(url?.protocol === 'smtps:' ? 'tls' : 'starttls'),
      username: of(url?.username),
      password: of(url?.password),
      from: { setting: 'EMAIL_FROM', value: emailFrom },
    };
  },
  twilio: ({ twilio = {} }) => ({
    account_sid: { setting: 'TWILIO_ACCOUNT_SID', value: twilio.accountSid },
    auth_token: { setting: 'TWILIO_AUTH_TOKEN', value: twilio.authToken },
    from: { setting: 'TWILIO_FROM', value: twilio.from },
    api_url: { setting: 'TWILIO_API_URL', value: twilio.apiUrl },
  }),
  http: ({ http = {} }) => ({
    url: { setting: 'HTTP_CARRIER_URL', value: withoutSecrets(http.url) },
    secret: { setting: 'HTTP_CARRIER_SECRET', value: http.secret },
  }),
};

/** Only origin and path: a login or a query could be a secret. */
function withoutSecrets(text: string | undefined): string | undefined {
  const url = URL.parse(text ?? '');
  return url ? `${url.origin}${url.pathname}` : undefined;
}
