import type { SystemName } from '@sixdigit/contract/connection-list.ts';
import type { System } from '../system.ts';
import { authentik } from './authentik.ts';
import { fusionauth } from './fusionauth.ts';
import { keycloak } from './keycloak.ts';
import { kratos } from './kratos.ts';
import { logto } from './logto.ts';
import { novu } from './novu.ts';
import { supabase } from './supabase.ts';
import { twilioMessages } from './twilio-messages.ts';
import { webhook } from './webhook.ts';
import { zitadel } from './zitadel.ts';

/** Every system that can be connected. */
export const SYSTEM: Record<SystemName, System> = {
  supabase,
  zitadel,
  kratos,
  logto,
  authentik,
  keycloak,
  fusionauth,
  novu,
  webhook,
  'twilio-messages': twilioMessages,
};
