import { z } from 'zod';
import { optionalTime } from '../field.ts';
import { adminRoute, historyOf, reason, supportRoute } from './operator.ts';

export const OperatorSetting = z.object({
  name: z.string().meta({ description: 'Name of the environment variable' }),
  environment: z.string().meta({ description: 'The value from the environment, or the default' }),
  override: z
    .string()
    .nullable()
    .meta({ description: 'The value set by an operator; null: the environment applies' }),
  version: z.number().int().meta({ description: '0 before the first change' }),
  changed_at: optionalTime,
  changed_by: z.string().nullable(),
});
export type OperatorSetting = z.infer<typeof OperatorSetting>;

export const listSettings = supportRoute('settings:read', 'GET /operator/settings/', {
  name: 'listSettings',
  summary: 'Settings that operators may change while the service runs',
  reply: z.object({ settings: z.array(OperatorSetting) }),
});
export const updateSetting = adminRoute('settings:write', 'PUT /operator/settings/:name/', {
  name: 'updateSetting',
  summary: 'Override a setting of the environment, or remove the override with null',
  description: 'Every process applies the change within a second.',
  body: z.object({
    value: z
      .string({ error: 'Value must be a string as in the environment, or null' })
      .trim()
      .min(1, 'Please enter a value')
      .max(2_000, 'At most 2,000 characters')
      .nullable(),
    version: z.number().int().min(0).meta({ description: 'The version that was read' }),
    reason,
  }),
  reply: OperatorSetting,
  failures: ['changed_meanwhile'],
});
export const listSettingChanges = supportRoute('settings:read', 'GET /operator/settings/:name/history/', {
  name: 'listSettingChanges',
  summary: 'Every change of a setting, newest first',
  ...historyOf({ value: z.string().nullable().meta({ description: 'null: the override was removed' }) }),
});
