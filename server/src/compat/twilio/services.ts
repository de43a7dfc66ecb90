import { z } from 'zod';
import { changesBetween } from '../../audit/audit.ts';
import type { Server } from '../../platform/http/serve.ts';
import { invalid, notFound, TwilioError } from './errors.ts';
import { flag, friendlyName, integer, parse, text, unsupported } from './fields.ts';
import { pageOfWhole } from './pages.ts';
import { serveTwilio, type TwilioApp, type TwilioCall } from './serve.ts';
import {
  countServices,
  deleteService,
  findService,
  insertService,
  lockOwner,
  type ServiceRow,
  type ServiceSettings,
  selectServices,
  updateService,
} from './service-queries.ts';
import { changing } from './setting-changes.ts';
import { idOfSid, sidOf, timeOf } from './sids.ts';

/** Live services of one account, and as many of its tests. */
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

/**
 * The service in the path. Throws 20404 if the key sees none with this SID, and 20403 if the call changes settings and the service
 * is live, but the key is not.
 */
export async function serviceOf(
  app: TwilioApp,
  { caller, params, changesSettings }: TwilioCall,
): Promise<ServiceRow> {
  const id = idOfSid('VA', params.service ?? '');
  const found = id && (await findService(app.db, caller, id));
  if (!found) throw notFound('service_not_found');
  if (changesSettings && found.is_test !== caller.is_test)
    throw new TwilioError([403, 20403], 'A test key cannot change a live service', {
      reason: 'live_setting',
    });
  return found;
}

const RECORDED = ['friendly_name', 'code_length', 'settings'] as const;
const valuesOf = (row: ServiceRow) => Object.fromEntries(RECORDED.map((field) => [field, row[field]]));

export function serviceRoutes(server: Server, app: TwilioApp): void {
  serveTwilio(
    server,
    app,
    { method: 'POST', path: '/v2/Services', like: 'settings', status: 201 },
    async (call) => {
      const { account_id, is_test } = call.caller;
      const given = parse(NEW, call.fields);
      const row = await changing(app, call, async (tx, log) => {
        await lockOwner(tx, account_id);
        if ((await countServices(tx, call.caller)) >= SERVICES_MAX)
          throw invalid('FriendlyName', `an account can have at most ${SERVICES_MAX} services`);
        const made = await insertService(tx, {
          account_id,
          is_test,
          id: app.random.uuid(),
          friendly_name: given.FriendlyName,
          code_length: given.CodeLength ?? CODE_LENGTH,
          settings: { ...DEFAULTS, ...settingsIn(given) },
        });
        const { friendly_name: subject } = made;
        await log({ action: 'verify_service.create', subject, after: valuesOf(made) });
        return made;
      });
      return shown(call, row);
    },
  );
  serveTwilio(server, app, { method: 'GET', path: '/v2/Services', like: 'read' }, async (call) => {
    const rows = await selectServices(app.db, call.caller);
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
  serveTwilio(server, app, { method: 'POST', path, like: 'settings' }, async (call) => {
    const given = parse(CHANGES, call.fields);
    const service = await serviceOf(app, call);
    const row = await changing(app, call, async (tx, log) => {
      const before = await findService(tx, call.caller, service.id);
      const after = await updateService(tx, service, {
        friendly_name: given.FriendlyName,
        code_length: given.CodeLength,
        settings: settingsIn(given),
      });
      if (!before || !after) throw notFound('service_not_found');
      const changes = changesBetween(before, after, RECORDED);
      if (changes) await log({ action: 'verify_service.change', subject: after.friendly_name, ...changes });
      return after;
    });
    return shown(call, row);
  });
  serveTwilio(server, app, { method: 'DELETE', path, like: 'settings' }, async (call) => {
    const service = await serviceOf(app, call);
    await changing(app, call, async (tx, log) => {
      const { friendly_name: subject } = service;
      if ((await deleteService(tx, service)) > 0)
        await log({ action: 'verify_service.delete', subject, before: valuesOf(service) });
    });
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
