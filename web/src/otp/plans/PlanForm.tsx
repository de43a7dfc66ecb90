import type { Channel } from '@sixdigit/contract/channels.ts';
import { getPlans, type Plans, updatePlans } from '@sixdigit/contract/plans.ts';
import { call } from '../../api/call.ts';
import { useDeployment } from '../../api/deployment.ts';
import { CountryInput } from '../../form/CountryInput.tsx';
import { countriesOf } from '../../form/countries.ts';
import type { BodyForm } from '../../form/Form.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { countryName } from '../../ui/display-names.ts';
import { PlanFields } from './PlanFields.tsx';
import { type PlanRow, withPlan } from './plan-rows.ts';
import { planSchema } from './plan-schema.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  data: Plans;
  offered: readonly Channel[];
  /** undefined: a new country */
  row: PlanRow | undefined;
}

interface Values extends Record<string, unknown> {
  country: string | null;
  channels: Channel[];
  wait_seconds: string;
}

/** The plan of a country, or of all other countries. */
export function PlanForm({ opened, onClose, data, offered, row }: Props) {
  const from = row ?? data.default ?? data.built_in;
  const initialValues: Values = {
    country: row ? row.country : '',
    // A channel that the service no longer has cannot be saved.
    channels: from.channels.filter((channel) => offered.includes(channel)),
    wait_seconds: String(from.wait_seconds),
  };
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={row ? 'Edit Plan' : 'Add Country'}
      description={row && (row.country === null ? 'All other countries' : countryName(row.country))}
      confirm={row ? 'Save Plan' : 'Add Plan'}
      busy="Saving..."
      success="Plan saved"
      refresh={[getPlans]}
      formKey={row?.country ?? (row ? '*' : '')}
      form={{
        schema: planSchema,
        initialValues,
        toBody: (values: Values) => ({ ...values, wait_seconds: Number(values.wait_seconds) }),
        submit: (plan) => call(updatePlans, { body: withPlan(data, plan) }),
        failure: 'Failed to save the plan',
      }}
    >
      {(form) => <Fields form={form} taken={data.countries} offered={offered} isNew={row === undefined} />}
    </FormDialog>
  );
}

interface FieldsProps {
  form: BodyForm<Values>;
  taken: Plans['countries'];
  offered: readonly Channel[];
  isNew: boolean;
}

function Fields({ form, taken, offered, isNew }: FieldsProps) {
  const { phone_countries } = useDeployment();
  const { channels, wait_seconds, country } = form.fields.values;
  const free = countriesOf(phone_countries)
    .map(({ code }) => code)
    .filter((code) => !taken.some((plan) => plan.country === code));
  return (
    <>
      {isNew ? (
        <CountryInput
          label="Country"
          placeholder="Of the phone number"
          countries={free}
          data-path="country"
          value={country ?? ''}
          onChange={(chosen) => form.fields.setFieldValue('country', chosen)}
          error={form.fields.errors.country}
        />
      ) : null}
      <PlanFields
        plan={{ channels, wait: wait_seconds }}
        offered={offered}
        country={country || null}
        onChange={({ channels: chosen, wait }) => {
          form.fields.setFieldValue('channels', chosen);
          form.fields.setFieldValue('wait_seconds', wait);
        }}
        problems={form.fields.errors as Record<string, string>}
      />
    </>
  );
}
