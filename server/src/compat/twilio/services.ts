import { z } from 'zod';
import type { Server } from '../../platform/http/serve.ts';
import { invalid, notFound } from './errors.ts';
import { flag, friendlyName, integer, parse, text, unsupported } from './fields.ts';
import { pageOfWhole } from './pages.ts';
import { serveTwilio, type TwilioApp, type TwilioCall } from './serve.ts';
import {
  deleteService,
  findService,
  insertService,
  lockOwner,
  type ServiceRow,
  type ServiceSettings,
  selectServices,
  updateService,
} from './service-queries.ts';
import { idOfSid, sidOf, timeOf } from './sids.ts';

/** Services of one account. */
const SERVICES_MAX = 100;

/** Settings for push, TOTP, WhatsApp and passkeys are ignored, because this service has none of these. */
const CHANGES = z.object({
  FriendlyName: friendlyName.optional(),
  CodeLength: integer(4, 10).optional(),
  LookupEnabled: flag.optional(),
  SkipSmsToLandlines: flag.optional(),
  DtmfInputRequired: flag.optional(),
  TtsName: text(64).optional(),
  Psd2Enabled: flag.refine((value) => !value, 'is not supported by this service').optional(),
  DoNotShareWarningEnabled: flag.optional(),
  CustomCodeEnabled: flag.optional(),
  DefaultTemplateSid: unsupported,
  VerifyEventSubscriptionEnabled: flag.optional(),
});
const NEW = CHANGES.extend({ FriendlyName: friendlyName });

const DEFAULTS: ServiceSettings = {
  lookup_enabled: false,
  skip_sms_to_landlines: false,
  dtmf_input_required: true,
  tts_name: null,
  do_not_share_warning_enabled: false,
  custom_code_enabled: false,
  verify_event_subscription_enabled: false,
};

const CODE_LENGTH = 6;

/** The settings that a request names. */
const settingsIn = (given: z.output<typeof CHANGES>): Partial<ServiceSettings> =>
  JSON.parse(
    JSON.stringify({
      lookup_enabled: given.LookupEnabled,
      skip_sms_to_landlines: given.SkipSmsToLandlines,
      dtmf_input_required: given.DtmfInputRequired,
      tts_name: given.TtsName,
      do_not_share_warning_enabled: given.DoNotShareWarningEnabled,
      custom_code_enabled: given.CustomCodeEnabled,
      verify_event_subscription_enabled: given.VerifyEventSubscriptionEnabled,
    }),
  ) as Partial<ServiceSettings>;

/** The service in the path. Throws 20404 if the account has none with this SID. */
export async function serviceOf(app: TwilioApp, { caller, params }: TwilioCall): Promise<ServiceRow> {
  const id = idOfSid('VA', params.service ?? '');
  const found = id && (await findService(app.db, { account_id: caller.account_id, id }));
  if (!found) throw notFound('service_not_found');
  return found;
}

export function serviceRoutes(server: Server, app: TwilioApp): void {
  serveTwilio(
    server,
    app,
    { method: 'POST', path: '/v2/Services', like: 'change', status: 201 },
    async (call) => {
      const { account_id } = call.caller;
      const given = parse(NEW, call.fields);
      const row = await app.db.transaction(async (tx) => {
        await lockOwner(tx, account_id);
        if ((await selectServices(tx, account_id)).length >= SERVICES_MAX)
          throw invalid('FriendlyName', `an account can have at most ${SERVICES_MAX} services`);
        return insertService(tx, {
          account_id,
          id: app.random.uuid(),
          friendly_name: given.FriendlyName,
          code_length: given.CodeLength ?? CODE_LENGTH,
          settings: { ...DEFAULTS, ...settingsIn(given) },
        });
      });
      return shown(call, row);
    },
  );
  serveTwilio(server, app, { method: 'GET', path: '/v2/Services', like: 'read' }, async (call) => {
    const rows = await selectServices(app.db, call.caller.account_id);
    return pageOfWhole(
      call,
      'services',
      rows.map((row) => shown(call, row)),
    );
  });
  const path = '/v2/Services/:service';
  serveTwilio(server, app, { method: 'GET', path, like: 'read' }, async (call) =>
    shown(call, await serviceOf(app, call)),
  );
  serveTwilio(server, app, { method: 'POST', path, like: 'change' }, async (call) => {
    const given = parse(CHANGES, call.fields);
    const { account_id, id } = await serviceOf(app, call);
    const row = await updateService(
      app.db,
      { account_id, id },
      {
        friendly_name: given.FriendlyName,
        code_length: given.CodeLength,
        settings: settingsIn(given),
      },
    );
    if (!row) throw notFound('service_not_found');
    return shown(call, row);
  });
  serveTwilio(server, app, { method: 'DELETE', path, like: 'change' }, async (call) => {
    await deleteService(app.db, await serviceOf(app, call));
    return undefined;
  });
}

const LINKS = {
  verification_checks: 'VerificationCheck',
  verifications: 'Verifications',
  rate_limits: 'RateLimits',
  messaging_configurations: 'MessagingConfigurations',
  entities: 'Entities',
  webhooks: 'Webhooks',
  access_tokens: 'AccessTokens',
};
/** Of kinds of verification that this service does not have. */
const NONE = {
  push: { include_date: false, apn_credential_sid: null, fcm_credential_sid: null },
  totp: { issuer: null, time_step: null, code_length: null, skew: null },
  whatsapp: { msg_service_sid: null, from: null },
  passkeys: {
    relying_party: { id: null, name: null, origins: null },
    authenticator_attachment: null,
    discoverable_credentials: null,
    user_verification: null,
  },
  psd2_enabled: false,
  default_template_sid: null,
};

function shown({ base }: TwilioCall, row: ServiceRow): object {
  const sid = sidOf('VA', row.id);
  const url = `${base}/v2/Services/${sid}`;
  return {
    sid,
    account_sid: sidOf('AC', row.account_id),
    friendly_name: row.friendly_name,
    code_length: row.code_length,
    ...row.settings,
    ...NONE,
    date_created: timeOf(row.created_at),
    date_updated: timeOf(row.updated_at),
    url,
    links: Object.fromEntries(Object.entries(LINKS).map(([name, path]) => [name, `${url}/${path}`])),
  };
}
