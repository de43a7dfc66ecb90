import { Input, Textarea, TextInput } from '@mantine/core';
import { API_SCOPES, type ApiScope } from '@sixdigit/contract/api-keys.ts';
import type { BodyForm } from '../form/Form.tsx';
import { DAY_MS, MomentInput } from '../form/MomentInput.tsx';
import { Checkbox } from '../ui/Checkbox.ts';
import classes from './KeySettings.module.css';
import type { KeyValues } from './key-values.ts';

const scopeTexts: Record<ApiScope, { label: string; description: string }> = {
  'otp:send': { label: 'Send', description: 'Send and cancel codes' },
  'otp:verify': { label: 'Verify', description: 'Verify codes' },
  'otp:read': { label: 'Read', description: 'Read a status, check a destination' },
  'otp:own_code': {
    label: 'Own codes',
    description: 'Send codes that your own system has made and verifies',
  },
  'events:read': {
    label: 'Follow events',
    description: 'Read requests and webhook messages of all keys as they happen',
  },
};

const EXPIRIES = [7, 30, 90, 365].map((days) => ({
  label: days === 365 ? 'In a year' : `In ${days} days`,
  ms: days * DAY_MS,
}));

/** The settings that limit what a stolen key can do. */
// biome-ignore lint/suspicious/noExplicitAny: the forms differ in their other fields and their response
export function KeySettings({ form }: { form: BodyForm<any, any> }) {
  const fields = form.fields as BodyForm<KeyValues & Record<string, unknown>>['fields'];
  const { scopes } = fields.values;
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: Mantine's wrapper names the group */}
      <div role="group" aria-label="Scopes" className="grid gap-2">
        <span className="text-14 font-550">Scopes</span>
        {API_SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            {...scopeTexts[scope]}
            checked={scopes.includes(scope)}
            onChange={({ currentTarget: { checked } }) =>
              fields.setFieldValue(
                'scopes',
                (checked ? [...scopes, scope] : scopes.filter((one) => one !== scope)) as never,
              )
            }
          />
        ))}
        {fields.errors.scopes ? <Input.Error role="alert">{fields.errors.scopes}</Input.Error> : null}
      </div>
      <div className={`${classes.pair} grid grid-cols-1 items-start gap-4`}>
        <MomentInput label="Expires" otherwise="Never" presets={EXPIRIES} {...form.field('expires_at')} />
        <TextInput
          label="Daily credit limit"
          description="Per UTC day. Empty: no limit."
          inputMode="numeric"
          autoComplete="off"
          {...form.field('daily_credit_limit')}
        />
      </div>
      <Textarea
        label="Allowed networks"
        description="IP addresses and networks that may use the key, one per line. Leave empty to allow every network."
        placeholder={'203.0.113.7\n198.51.100.0/24'}
        autosize
        minRows={2}
        maxRows={6}
        autoCapitalize="none"
        spellCheck={false}
        {...form.field('allowed_networks')}
      />
      <Textarea
        label="Note"
        description="For your reference, such as where the key is stored."
        autosize
        minRows={1}
        maxRows={4}
        {...form.field('note')}
      />
    </>
  );
}
