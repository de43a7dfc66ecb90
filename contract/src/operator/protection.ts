import { optionalTime } from '../field.ts';
import {
  DeploymentRules,
  DeploymentRulesBody,
  DeploymentWorstDay,
  LARGEST_ACCOUNTS,
} from '../protection/protection.ts';
import { adminRoute, reason, supportRoute } from './operator.ts';

export const getOperatorProtection = supportRoute('protection:read', 'GET /operator/protection/', {
  name: 'getOperatorProtection',
  summary: 'Rules across all accounts, bounds of the accounts’ rules, and blocks of the last 24 hours',
  reply: DeploymentRules,
});
export const updateOperatorProtection = adminRoute('protection:write', 'PUT /operator/protection/', {
  name: 'updateOperatorProtection',
  summary: 'Change the rules across all accounts, their lists, or the bounds of the accounts’ rules',
  description:
    'Every process applies the change within two seconds. Omitted rules, thresholds, lists and bounds stay unchanged.',
  body: DeploymentRulesBody.extend({
    updated_at: optionalTime.optional().meta({
      description:
        'The version that was read, so that no change by another operator is overwritten. Required to change a list',
    }),
    reason,
  }),
  reply: DeploymentRules,
  failures: ['changed_meanwhile'],
});
export const getOperatorWorstDay = supportRoute('protection:read', 'GET /operator/protection/worst-day/', {
  name: 'getOperatorWorstDay',
  summary: 'The worst day of fraud of the largest accounts, summed',
  description: `Plays the campaigns against each of the ${LARGEST_ACCOUNTS} accounts that spent most credits in this UTC month, with its own rules, prices, limits and users and with the rules over all accounts, and sums the days. Takes some seconds per account. Changes nothing.`,
  reply: DeploymentWorstDay,
  failures: ['list_timeout'],
});
