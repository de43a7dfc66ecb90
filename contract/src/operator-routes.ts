import * as operator from './operator.ts';
import * as accountData from './operator-account-data.ts';
import * as accounting from './operator-accounting.ts';
import * as accounts from './operator-accounts.ts';
import * as announcements from './operator-announcements.ts';
import * as carriers from './operator-carriers.ts';
import * as disputes from './operator-disputes.ts';
import * as emailChange from './operator-email-change.ts';
import * as erasures from './operator-erasures.ts';
import * as limits from './operator-limits.ts';
import * as optOuts from './operator-opt-outs.ts';
import * as overview from './operator-overview.ts';
import * as payments from './operator-payments.ts';
import * as prices from './operator-prices.ts';
import * as protection from './operator-protection.ts';
import * as settings from './operator-settings.ts';
import { isRoute, type Route } from './route.ts';

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
  protection,
  payments,
  disputes,
  accounting,
  prices,
  settings,
  optOuts,
  announcements,
].flatMap((file) => Object.values(file).filter(isRoute));
