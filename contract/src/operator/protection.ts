import { optionalTime } from '../field.ts';
import { DeploymentRules, DeploymentRulesBody } from '../protection/protection.ts';
import { adminRoute, reason, supportRoute } from './operator.ts';

export const getOperatorProtection = supportRoute('protection:read', 'GET /operator/protection/', {
  name: 'getOperatorProtection',
  summary: 'Rules over all accounts, bounds of the accounts’ rules, and what was blocked in 24 hours',
  reply: DeploymentRules,
});
export const updateOperatorProtection = adminRoute('protection:write', 'PUT /operator/protection/', {
  name: 'updateOperatorProtection',
  summary: 'Change the rules over all accounts, their lists, or the bounds of the accounts’ rules',
  description:
    'Every process obeys within two seconds. Omitted rules, thresholds, lists and bounds stay unchanged.',
  body: DeploymentRulesBody.extend({
    updated_at: optionalTime.optional().meta({
      description:
        'As read, so that a change of another operator is not overwritten. Needed for a change of a list',
    }),
    reason,
  }),
  reply: DeploymentRules,
  failures: ['changed_meanwhile'],
});
