import { openApi } from '@sixdigit/contract/openapi/openapi.ts';
import * as announcements from '@sixdigit/contract/operator/announcements.ts';
import * as carriers from '@sixdigit/contract/operator/carriers.ts';
import * as contract from '@sixdigit/contract/operator/operator.ts';
import * as optOuts from '@sixdigit/contract/operator/opt-outs.ts';
import * as overview from '@sixdigit/contract/operator/overview.ts';
import * as protection from '@sixdigit/contract/operator/protection.ts';
import { operatorRoutes as described } from '@sixdigit/contract/operator/routes.ts';
import type { EmailChangeApp } from '../accounts/accounts.ts';
import type { ResendApp } from '../otp/otp.ts';
import type { PaymentsApp } from '../payments/payments.ts';
import { apiBase } from '../platform/config.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { Platform } from '../platform/platform.ts';
import { readDeploymentRules } from '../protection/protection.ts';
import { createKeyOf, deleteKeyOf, listOperatorKeysOf } from './access/keys.ts';
import { accountRoutes } from './accounts/accounts.ts';
import { changeRoutes } from './accounts/changes.ts';
import { accountDataRoutes } from './accounts/data.ts';
import { erasureRoutes } from './accounts/erasures.ts';
import { memberRoutes } from './accounts/members.ts';
import { announce, announcementsOf, endAnnouncementOf } from './announcements.ts';
import { listActions } from './audit.ts';
import {
  type CarriersApp,
  carriersOf,
  changeCarrier,
  removeRoute,
  sendTestMessage,
} from './carriers/carriers.ts';
import { lookupRoutes } from './carriers/lookup.ts';
import { lookUpOptOut, removeFromOptOuts } from './carriers/opt-outs.ts';
import { setupRoutes } from './carriers/setups.ts';
import { overviewOf } from './overview.ts';
import { paymentRoutes } from './payments/payments.ts';
import { type PricesApp, priceRoutes } from './prices/prices.ts';
import { type Readers, readersOf } from './reading.ts';
import { selectCarrierCosts } from './service-counts.ts';
import { changeProtection, type ProtectionApp } from './settings/protection.ts';
import { liveRoutes } from './settings/settings.ts';
import { worstDayRoutes } from './settings/worst-day.ts';

export function operatorRoutes(server: Server, app: ServiceApp): void {
  const readers = readersOf(server, app);
  const { read } = readers;
  serve(server, contract.getOperator, ({ caller: { email, role, key_id } }) => ({
    email,
    role,
    is_key: key_id !== null,
  }));
  serve(server, contract.getOperatorOpenApi, () => documentOf(app));
  read(contract.listOperatorKeys, ({ db, query }) => listOperatorKeysOf(db, query));
  serve(server, contract.createOperatorKey, ({ caller, body }) => createKeyOf(app, caller, body));
  serve(server, contract.deleteOperatorKey, async ({ caller, params }) => {
    await deleteKeyOf(app, caller, params.id);
    return undefined;
  });
  read(contract.listOperatorActions, ({ db, query }) => listActions(db, query));
  accountRoutes(server, app, readers);
  changeRoutes(server, app);
  memberRoutes(server, app);
  accountDataRoutes(server, app, readers);
  erasureRoutes(server, app, readers);
  serviceRoutes(server, app, readers);
}

const documentOf = ({ config }: Pick<Platform, 'config'>): { openapi: string } =>
  openApi(
    {
      brand: `${config.brandName} operator`,
      serverUrl: apiBase(config),
      supportEmail: config.supportEmail,
    },
    described,
  ) as { openapi: string };

export type ServiceApp = CarriersApp &
  EmailChangeApp &
  PaymentsApp &
  PricesApp &
  ResendApp &
  ProtectionApp & {
    /** The findings of the doctor when it runs on this machine. */
    examine(): Promise<
      readonly { level: 'ok' | 'warning' | 'problem'; about: string; says: string; advice?: string }[]
    >;
  };

/** The calls about the service as a whole. */
function serviceRoutes(server: Server, app: ServiceApp, readers: Readers): void {
  serve(server, overview.getOverview, () => overviewOf(app));
  serve(server, overview.examineDeployment, async () => ({
    findings: (await app.examine()).map(({ advice = null, ...finding }) => ({ ...finding, advice })),
  }));
  serve(server, carriers.getOperatorCarriers, () => carriersOf(app));
  serve(server, carriers.listCarrierCosts, async () => ({ costs: await selectCarrierCosts(app.db) }));
  serve(server, carriers.updateCarrier, ({ caller, params, body }) =>
    changeCarrier(app, caller, params.name, body),
  );
  serve(server, carriers.removeCountryRoute, ({ caller, body }) => removeRoute(app, caller, body));
  serve(server, carriers.testCarrier, ({ caller, params, body }) =>
    sendTestMessage(app, caller, params.name, body),
  );
  lookupRoutes(server, app);
  setupRoutes(server, app);
  priceRoutes(server, app);
  liveRoutes(server, app);
  serve(server, protection.getOperatorProtection, () => readDeploymentRules(app.db, app));
  serve(server, protection.updateOperatorProtection, ({ caller, body }) =>
    changeProtection(app, caller, body),
  );
  worstDayRoutes(server, app);
  paymentRoutes(server, app, readers);
  serve(server, optOuts.findOptOut, ({ body }) => lookUpOptOut(app, body));
  serve(server, optOuts.removeOptOut, async ({ caller, body }) => {
    await removeFromOptOuts(app, caller, body);
    return undefined;
  });
  readers.read(announcements.listAnnouncements, ({ db, query }) => announcementsOf(db, query));
  serve(server, announcements.createAnnouncement, ({ caller, body }) => announce(app, caller, body));
  serve(server, announcements.endAnnouncement, ({ caller, params }) =>
    endAnnouncementOf(app, caller, params.id),
  );
}
