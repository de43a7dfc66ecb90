import { z } from 'zod';
import { optionalTime } from '../field.ts';
import { adminRoute, historyOf, reason, supportRoute } from './operator.ts';

export const OperatorSetting = z.object({
  name: z.string().meta({ description: 'As in the environment' }),
  environment: z.string().meta({ description: 'The value of the environment, or the default' }),
  override: z
    .string()
    .nullable()
    .meta({ description: 'The value of an operator; null: the environment counts' }),
  version: z.number().int().meta({ description: '0 before the first change' }),
  changed_at: optionalTime,
  changed_by: z.string().nullable(),
});
export type OperatorSetting = z.infer<typeof OperatorSetting>;

export const listSettings = supportRoute('settings:read', {
  name: 'listSettings',
  method: 'GET',
  path: '/operator/settings/',
  summary: 'Settings that operators may change while the service runs',
  status: 200,
  reply: z.object({ settings: z.array(OperatorSetting) }),
});
export const updateSetting = adminRoute('settings:write', {
  name: 'updateSetting',
  method: 'PUT',
  path: '/operator/settings/:name/',
  summary: 'Override a setting of the environment, or return to it with null',
  description: 'Every process follows within a second.',
  params: z.object({ name: z.string() }),
  body: z.object({
    value: z
      .string({ error: 'Value must be text as in the environment, or null' })
      .trim()
      .min(1, 'Please enter a value')
      .max(2_000, 'At most 2,000 characters')
      .nullable(),
    version: z.number().int().min(0).meta({ description: 'As read' }),
    reason,
  }),
  status: 200,
  reply: OperatorSetting,
  failures: ['changed_meanwhile'],
});
export const listSettingChanges = supportRoute('settings:read', {
  name: 'listSettingChanges',
  method: 'GET',
  path: '/operator/settings/:name/history/',
  summary: 'Every change of a setting, newest first',
  params: z.object({ name: z.string() }),
  status: 200,
  ...historyOf({ value: z.string().nullable().meta({ description: 'null: returned to the environment' }) }),
});
