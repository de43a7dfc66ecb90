import * as operator from './operator.ts';
import * as accounts from './operator-accounts.ts';
import { isRoute, type Route } from './route.ts';

/** Every call of operators, in the order of their documentation. */
export const operatorRoutes: readonly Route[] = [operator, accounts].flatMap((file) =>
  Object.values(file).filter(isRoute),
);
