import { Input, Textarea } from '@mantine/core';
import { API_SCOPES, type ApiScope } from '@sixdigit/contract/api-keys.ts';
import type { BodyForm } from '../form/Form.tsx';
import { Checkbox } from '../ui/Checkbox.ts';
import { KeyLimits } from './KeyLimits.tsx';
import classes from './KeySettings.module.css';
import type { KeyValues } from './key-values.ts';

const scopeTexts: Record<ApiScope, { label: string; description: string }> = {
  'otp:send': { label: 'Send', description: 'Send and cancel codes' },
  'otp:verify': { label: 'Verify', description: 'Check the codes that users enter' },
  'otp:read': { label: 'Read', description: 'Read statuses and check destinations' },
  'otp:own_code': { label: 'Own codes', description: 'Send codes that your own system makes' },
  'events:read': {
    label: 'Follow events',
    description: 'Follow all keys’ requests and webhooks as they happen',
  },
  'verify_services:write': {
    label: 'Verify services',
    description: 'Change live services, rate limits and the safe list of Twilio Verify’s calls',
  },
};

const scopeClasses = { labelWrapper: classes.scope ?? '', description: classes.meaning ?? '' };

/** The settings that limit what a stolen key can do. */
// biome-ignore lint/suspicious/noExplicitAny: the forms differ in their other fields and their response
export function KeySettings({ form, isFree }: { form: BodyForm<any, any>; isFree: boolean }) {
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
            classNames={scopeClasses}
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
      <KeyLimits form={form} thing="key" isFree={isFree} />
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
