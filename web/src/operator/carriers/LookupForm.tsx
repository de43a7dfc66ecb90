import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import {
  LOOKUP_FIELD_NAMES,
  LOOKUP_KIND_FACTS,
  LOOKUP_KINDS,
  type LookupField,
  type LookupFieldName,
  type LookupKind,
} from '@sixdigit/contract/operator/lookup-kinds.ts';
import {
  LOOKUP_BOUNDS,
  LOOKUP_NUMBERS,
  type LookupNumber,
  type LookupSetup,
  setLookup,
} from '@sixdigit/contract/operator/lookups.ts';
import { call } from '../../api/call.ts';
import type { BodyForm } from '../../form/Form.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { WholeNumberInput } from '../../form/WholeNumberInput.tsx';
import { PasswordInput } from '../../ui/PasswordInput.ts';
import { Switch } from '../../ui/Switch.ts';
import classes from '../Operator.module.css';
import { ReasonInput } from '../ReasonDialog.tsx';
import { setText } from './SetupForm.tsx';

const NUMBERS: Record<LookupNumber, { label: string; unit: string }> = {
  daily_limit: { label: 'Look-ups per day', unit: 'all' },
  account_daily_limit: { label: 'Look-ups per day of an account', unit: 'each' },
  cache_hours: { label: 'Keep answers for', unit: 'hours' },
  timeout_ms: { label: 'Wait for an answer', unit: 'ms' },
};

const valuesOf = (setup: LookupSetup | undefined) => ({
  kind: setup?.kind ?? ('twilio' as LookupKind),
  is_enabled: setup?.is_enabled ?? true,
  ...(Object.fromEntries(
    LOOKUP_NUMBERS.map((name) => [name, String(setup?.[name] ?? LOOKUP_BOUNDS[name].byDefault)]),
  ) as Record<LookupNumber, string>),
  ...(Object.fromEntries(
    LOOKUP_FIELD_NAMES.map((name) => [name, setup?.fields.find((field) => field.name === name)?.value ?? '']),
  ) as Record<LookupFieldName, string>),
  reason: '',
});
type Values = ReturnType<typeof valuesOf>;

interface Props {
  opened: boolean;
  onClose: () => void;
  setup: LookupSetup | undefined;
  onSaved: (reply: { lookup: LookupSetup | null }) => Promise<unknown>;
}

/** Sets the look-up up, or changes it. */
export const LookupForm = ({ setup, onSaved, ...dialog }: Props) => (
  <FormDialog
    {...dialog}
    title={setup ? 'Edit Look-up' : 'Set Up Look-up'}
    description="Takes effect within a second. Secrets are stored encrypted."
    size="lg"
    confirm={setup ? 'Save Changes' : 'Set Up Look-up'}
    busy="Saving..."
    success={setup ? 'Look-up changed' : 'Look-up set up'}
    formKey={String(setup?.version ?? 0)}
    form={{
      schema: setLookup.body,
      initialValues: valuesOf(setup),
      toBody: (values) => ({
        kind: values.kind,
        is_enabled: values.is_enabled,
        ...Object.fromEntries(LOOKUP_NUMBERS.map((name) => [name, Number(values[name])])),
        ...Object.fromEntries(LOOKUP_KIND_FACTS[values.kind].fields.map(({ name }) => [name, values[name]])),
        version: setup?.version ?? 0,
        reason: values.reason,
      }),
      submit: async (body) => {
        await onSaved(await call(setLookup, { body }));
      },
      failure: 'Failed to save the look-up',
    }}
  >
    {(form) => (
      <div className={`${classes.fields} grid gap-4`}>
        <NativeSelect
          label="Kind"
          description={LOOKUP_KIND_FACTS[form.fields.values.kind].help}
          data={LOOKUP_KINDS.map((value) => ({ value, label: LOOKUP_KIND_FACTS[value].label }))}
          data-autofocus
          {...form.field('kind')}
        />
        {LOOKUP_KIND_FACTS[form.fields.values.kind].fields.map((field) => (
          <Field
            key={field.name}
            form={form}
            field={field}
            stored={
              setup?.kind === form.fields.values.kind
                ? setup.fields.find(({ name }) => name === field.name)
                : undefined
            }
          />
        ))}
        {(Object.keys(NUMBERS) as LookupNumber[]).map((name) => (
          <WholeNumberInput
            key={name}
            label={NUMBERS[name].label}
            unit={NUMBERS[name].unit}
            fallback={setup?.[name] ?? LOOKUP_BOUNDS[name].byDefault}
            {...form.field(name)}
          />
        ))}
        <Switch
          label="In use"
          checked={form.fields.values.is_enabled}
          onChange={({ currentTarget: { checked } }) => form.fields.setFieldValue('is_enabled', checked)}
        />
        <ReasonInput {...form.field('reason')} />
      </div>
    )}
  </FormDialog>
);

interface FieldProps {
  form: BodyForm<Values>;
  field: LookupField;
  stored: LookupSetup['fields'][number] | undefined;
}

function Field({
  form,
  field: { name, label, help, placeholder, isOptional, isSecret, isLong },
  stored,
}: FieldProps) {
  const shown = {
    label: isOptional ? `${label} (optional)` : label,
    description: help,
    placeholder,
    autoCapitalize: 'none',
    autoComplete: 'off',
    spellCheck: false,
    ...form.field(name),
  };
  if (isLong) return <Textarea {...shown} className="col-span-full" autosize minRows={8} maxRows={20} />;
  if (!isSecret) return <TextInput {...shown} />;
  const kept = stored?.is_set ? `${setText(stored)}. Leave it empty to keep it. ` : '';
  return <PasswordInput {...shown} description={`${kept}${help}`} autoComplete="new-password" />;
}
