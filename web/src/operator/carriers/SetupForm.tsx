import { Input, NativeSelect, TextInput } from '@mantine/core';
import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { REQUIRED } from '@sixdigit/contract/field.ts';
import {
  CARRIER_KIND_FACTS,
  CARRIER_KINDS,
  type CarrierField,
  type CarrierFieldName,
  type CarrierKind,
  type CarrierSetup,
  createCarrierSetup,
  perCarrierField,
  updateCarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { invalidate, store } from '../../api/read.ts';
import type { BodyForm } from '../../form/Form.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { Checkbox } from '../../ui/Checkbox.ts';
import { PasswordInput } from '../../ui/PasswordInput.ts';
import { Switch } from '../../ui/Switch.ts';
import classes from '../Operator.module.css';
import { carrierSetups, carriers } from '../operator.ts';
import { ReasonInput } from '../ReasonDialog.tsx';
import { CarrierPreview } from './CarrierPreview.tsx';
import { RecordField } from './RecordField.tsx';

/** A choice begins with its first option. */
const FIELDS = CARRIER_KINDS.flatMap((kind) => CARRIER_KIND_FACTS[kind].fields);
const empty = perCarrierField(
  (name) => FIELDS.find((field) => field.name === name)?.options?.[0]?.value ?? '',
);

const newSetup = {
  kind: 'smtp' as CarrierKind,
  name: '',
  channels: [] as Channel[],
  ...empty,
  is_enabled: true,
  reason: '',
};
type Values = typeof newSetup;

/** By their headings, in the order of their first kinds: a phone is the fastest way to a first SMS. */
const KIND_CHOICES = [...new Set(CARRIER_KINDS.map((kind) => CARRIER_KIND_FACTS[kind].group))].map(
  (group) => ({
    group,
    items: CARRIER_KINDS.filter((kind) => CARRIER_KIND_FACTS[kind].group === group).map((value) => ({
      value,
      label: CARRIER_KIND_FACTS[value].label,
    })),
  }),
);

/** Whether a carrier of this kind is a record, which can be previewed and checked. */
export const isRecord = (kind: CarrierKind): boolean =>
  kind === 'custom' || CARRIER_KIND_FACTS[kind].preset !== undefined;

/** The button that checks a carrier without a message; undefined if its kind has no check. */
export const checkOf = ({ kind, source }: Pick<CarrierSetup, 'kind' | 'source'>): string | undefined =>
  isRecord(kind)
    ? 'Check Credentials'
    : kind === 'smtp' && source === 'console'
      ? 'Check DNS Records'
      : undefined;

const firstChannel = (kind: CarrierKind): Channel[] => CARRIER_KIND_FACTS[kind].serves.slice(0, 1);

const freeName = (kind: CarrierKind, taken: readonly string[]): string => {
  const base = CARRIER_KIND_FACTS[kind].suggestedName;
  const stem = base.replace(/-\d+$/, '');
  for (let name = base, n = 2; ; name = `${stem}-${n}`, n += 1) if (!taken.includes(name)) return name;
};

/** The fields of the carrier's kind. Others keep what was typed, in case the user changes the kind back. */
const fieldsOf = (kind: CarrierKind, values: Values): Partial<Record<CarrierFieldName, string>> =>
  Object.fromEntries(CARRIER_KIND_FACTS[kind].fields.map(({ name }) => [name, values[name]]));

/** Reports the missing fields of the kind. The server makes all other checks. */
function refuseMissing(
  context: { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void },
  kind: CarrierKind,
  values: Partial<Record<CarrierFieldName, string | undefined>>,
  setup?: CarrierSetup,
): void {
  for (const { name, isOptional } of CARRIER_KIND_FACTS[kind].fields) {
    const isKept = setup?.fields.some((field) => field.name === name && field.is_set && field.value === null);
    if (!isOptional && !isKept && !values[name])
      context.addIssue({ code: 'custom', path: [name], message: REQUIRED });
  }
}

interface AddProps {
  opened: boolean;
  onClose: () => void;
  taken: readonly string[];
  /** the kind that is preselected */
  kind: CarrierKind;
  /** The carrier is to be tested before it gets messages. */
  startsOff?: boolean;
  onAdded: (setup: CarrierSetup | undefined) => void;
}

export function AddCarrier({ taken, kind, startsOff = false, onAdded, ...dialog }: AddProps) {
  const showSetups = useShowSetups();
  return (
    <FormDialog
      {...dialog}
      title="Add Carrier"
      description="Takes effect within a second. Secrets are stored encrypted."
      size="lg"
      confirm="Add Carrier"
      busy="Adding..."
      success="Carrier added"
      formKey={kind}
      form={{
        schema: createCarrierSetup.body.superRefine((body, context) =>
          refuseMissing(context, body.kind, body),
        ),
        initialValues: {
          ...newSetup,
          kind,
          name: freeName(kind, taken),
          channels: firstChannel(kind),
          is_enabled: !startsOff,
        },
        toBody: (values) => {
          const { kind: chosen, name, channels, is_enabled, reason } = values;
          return { kind: chosen, name, channels, is_enabled, reason, ...fieldsOf(chosen, values) };
        },
        submit: async (body) => {
          const { setups } = await call(createCarrierSetup, { body });
          await showSetups(setups);
          return setups.find(({ name }) => name === body.name);
        },
        failure: 'Failed to add the carrier',
        onSuccess: onAdded,
      }}
    >
      {(form) => (
        <div className={`${classes.fields} grid gap-4`}>
          <NativeSelect
            label="Kind"
            description={CARRIER_KIND_FACTS[form.fields.values.kind].help}
            data={KIND_CHOICES}
            data-autofocus
            {...form.field('kind')}
            onChange={({ currentTarget }) => {
              const next = currentTarget.value as CarrierKind;
              const { kind: before, name } = form.fields.values;
              const isOwn = name !== freeName(before, taken);
              form.fields.setValues({
                kind: next,
                channels: firstChannel(next),
                ...(isOwn ? {} : { name: freeName(next, taken) }),
              });
              form.fields.clearErrors();
            }}
          />
          <TextInput
            label="Name"
            description="Customers see it in the history of a verification. It cannot be changed later."
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            {...form.field('name')}
          />
          <SetupFields form={form} kind={form.fields.values.kind} />
        </div>
      )}
    </FormDialog>
  );
}

interface EditProps {
  opened: boolean;
  onClose: () => void;
  /** as it was when the dialog was opened */
  setup: CarrierSetup | undefined;
}

export function EditCarrier({ setup, ...dialog }: EditProps) {
  const showSetups = useShowSetups();
  return (
    <FormDialog
      {...dialog}
      title={`Edit ${setup?.name ?? ''}`}
      description="Messages in flight still use the previous settings."
      label="Carrier"
      size="lg"
      confirm="Save Changes"
      busy="Saving..."
      success="Carrier changed"
      formKey={setup && `${setup.name} ${setup.version}`}
      form={
        setup && {
          schema: updateCarrierSetup.body.superRefine((body, context) =>
            refuseMissing(context, setup.kind, body, setup),
          ),
          initialValues: valuesOf(setup),
          toBody: (values) => ({ ...bodyOf(setup, values), reason: values.reason }),
          submit: async (body) => {
            const { setups } = await call(updateCarrierSetup, { params: { name: setup.name }, body });
            await showSetups(setups);
          },
          failure: 'Failed to change the carrier',
        }
      }
    >
      {(form) =>
        setup ? (
          <div className={`${classes.fields} grid gap-4`}>
            <SetupFields form={form} kind={setup.kind} setup={setup} />
          </div>
        ) : null
      }
    </FormDialog>
  );
}

const valuesOf = ({ kind, name, channels, is_enabled, fields }: CarrierSetup): Values => ({
  ...newSetup,
  kind,
  name,
  channels,
  is_enabled,
  ...Object.fromEntries(fields.flatMap((field) => (field.value === null ? [] : [[field.name, field.value]]))),
});

const bodyOf = ({ kind, version }: CarrierSetup, values: Values) => {
  const { channels, is_enabled } = values;
  return { channels, is_enabled, version, ...fieldsOf(kind, values) };
};

/** The body that changes nothing except whether the carrier is on. */
export const switchedBody = (setup: CarrierSetup, is_enabled: boolean) =>
  bodyOf(setup, { ...valuesOf(setup), is_enabled });

/** Shows a reply at once, and reads the channels again. */
export function useShowSetups() {
  const queryClient = useQueryClient();
  return async (setups: CarrierSetup[]): Promise<void> => {
    await store(queryClient, carrierSetups, { setups });
    await queryClient.invalidateQueries({ queryKey: carriers.queryKey });
    await invalidate(queryClient, { path: '/operator/overview/' });
  };
}

interface FieldsProps {
  form: BodyForm<Values>;
  kind: CarrierKind;
  /** the stored carrier */
  setup?: CarrierSetup;
}

const SetupFields = ({ form, kind, setup }: FieldsProps) => {
  const { serves, fields } = CARRIER_KIND_FACTS[kind];
  return (
    <>
      {fields.map((field) => (
        <SetupField
          key={field.name}
          form={form}
          field={field}
          stored={setup?.fields.find(({ name }) => name === field.name)}
        />
      ))}
      <SetupNotes kind={kind} />
      {isRecord(kind) ? <CarrierPreview kind={kind} values={fieldsOf(kind, form.fields.values)} /> : null}
      {serves.length > 1 ? <ChannelsField form={form} serves={serves} /> : null}
      <Switch
        className="col-span-full"
        label="In use"
        description="When off, it gets only test messages."
        {...form.field('is_enabled')}
      />
      <ReasonInput className="col-span-full" {...form.field('reason')} />
    </>
  );
};

/** What to set up at the company, and which facts were read at second hand. */
const SetupNotes = ({ kind }: { kind: CarrierKind }) => {
  const { notes = [], sources = [] } = CARRIER_KIND_FACTS[kind].preset ?? {};
  const unsure = sources.flatMap(({ what, from }) => (from === 'elsewhere' ? [what] : []));
  if (notes.length === 0) return null;
  return (
    <ul className="col-span-full m-0 grid gap-1.5 ps-5 text-13 text-ink-soft">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
      {unsure.length > 0 ? (
        <li>
          Not confirmed by the company’s documents: {new Intl.ListFormat('en-GB').format(unsure)}. Send a test
          message first.
        </li>
      ) : null}
    </ul>
  );
};

interface FieldProps {
  form: BodyForm<Values>;
  field: CarrierField;
  stored: CarrierSetup['fields'][number] | undefined;
}

function SetupField({ form, field, stored }: FieldProps) {
  const { name, label, help, placeholder, isOptional, isSecret, options, isLong } = field;
  if (isLong) return <RecordField {...form.field(name)} help={help} />;
  const shown = { label: isOptional ? `${label} (optional)` : label, description: help, placeholder };
  if (options)
    return <NativeSelect {...shown} data={options.map((option) => ({ ...option }))} {...form.field(name)} />;
  if (!isSecret)
    return (
      <TextInput
        {...shown}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        {...form.field(name)}
      />
    );
  const kept = stored?.is_set ? `${setText(stored)}. Leave it empty to keep it. ` : '';
  return (
    <PasswordInput
      {...shown}
      description={`${kept}${help}`}
      autoComplete="new-password"
      {...form.field(name)}
    />
  );
}

/** "Set · ends in 4f2a", without the secret itself */
export const setText = ({ last4 }: { last4: string | null }): string =>
  last4 === null ? 'Set' : `Set · ends in ${last4}`;

function ChannelsField({ form, serves }: { form: BodyForm<Values>; serves: readonly Channel[] }) {
  const { channels } = form.fields.values;
  const { errors } = form.fields;
  return (
    <div className="col-span-full">
      {/* biome-ignore lint/a11y/useSemanticElements: Mantine's wrapper names the group */}
      <div role="group" aria-label="Channels" className="flex flex-wrap gap-x-6 gap-y-2">
        <span className="w-full text-14 font-550">Channels</span>
        {serves.map((channel) => (
          <Checkbox
            key={channel}
            label={factsOf(channel).label}
            checked={channels.includes(channel)}
            onChange={({ currentTarget: { checked } }) =>
              form.fields.setFieldValue(
                'channels',
                checked ? [...channels, channel] : channels.filter((one) => one !== channel),
              )
            }
          />
        ))}
      </div>
      {errors.channels ? (
        <Input.Error role="alert" className="mt-1">
          {errors.channels}
        </Input.Error>
      ) : null}
    </div>
  );
}
