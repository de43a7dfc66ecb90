import type { SystemName } from './connection-list.ts';

/** The systems as their makers write them. */
export const SYSTEM_LABELS: Record<SystemName, string> = {
  supabase: 'Supabase Auth',
  zitadel: 'Zitadel',
  kratos: 'Ory Kratos',
  logto: 'Logto',
  authentik: 'authentik',
  keycloak: 'Keycloak',
  fusionauth: 'FusionAuth',
  novu: 'Novu',
  webhook: 'Signed webhook (any system)',
  'twilio-messages': 'Twilio Messages API',
};
