import { isRoute, type Route } from '../route.ts';
import * as accountData from './account-data.ts';
import * as accounting from './accounting.ts';
import * as accounts from './accounts.ts';
import * as announcements from './announcements.ts';
import * as carrierSetups from './carrier-setups.ts';
import * as carriers from './carriers.ts';
import * as disputes from './disputes.ts';
import * as emailChange from './email-change.ts';
import * as erasures from './erasures.ts';
import * as limits from './limits.ts';
import * as lookups from './lookups.ts';
import * as operator from './operator.ts';
import * as optOuts from './opt-outs.ts';
import * as overview from './overview.ts';
import * as payments from './payments.ts';
import * as prices from './prices.ts';
import * as protection from './protection.ts';
import * as retention from './retention.ts';
import * as settings from './settings.ts';

/** Every call of operators, in the order of their documentation. */
export const operatorRoutes: readonly Route[] = [
  operator,
  overview,
  accounts,
  accountData,
  limits,
  emailChange,
  erasures,
  carriers,
  carrierSetups,
  lookups,
  protection,
  payments,
  disputes,
  accounting,
  prices,
  settings,
  optOuts,
  announcements,
  retention,
].flatMap((file) => Object.values(file).filter(isRoute));
