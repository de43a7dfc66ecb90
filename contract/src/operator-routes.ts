import * as operator from './operator.ts';
import * as accounts from './operator-accounts.ts';
import * as announcements from './operator-announcements.ts';
import * as carriers from './operator-carriers.ts';
import * as optOuts from './operator-opt-outs.ts';
import * as overview from './operator-overview.ts';
import * as payments from './operator-payments.ts';
import * as prices from './operator-prices.ts';
import { isRoute, type Route } from './route.ts';

/** Every call of operators, in the order of their documentation. */
export const operatorRoutes: readonly Route[] = [
  operator,
  overview,
  accounts,
  carriers,
  payments,
  prices,
  optOuts,
  announcements,
].flatMap((file) => Object.values(file).filter(isRoute));
