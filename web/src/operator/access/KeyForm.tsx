import { Input, TextInput } from '@mantine/core';
import {
  createOperatorKey,
  listOperatorKeys,
  OPERATOR_KEY_DAYS,
  OPERATOR_SCOPES,
  type OperatorScope,
} from '@sixdigit/contract/operator/operator.ts';
import { Fragment } from 'react';
import { call } from '../../api/call.ts';
import type { BodyForm } from '../../form/Form.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { Checkbox } from '../../ui/Checkbox.ts';
import { NumberInput } from '../../ui/NumberInput.ts';
import { RevealSecretDialog, useRevealed } from '../../ui/RevealSecretDialog.tsx';
import classes from '../Operator.module.css';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** Creates a key, and shows it once. */
export function NewKey({ opened, onClose }: Props) {
  const { revealed, reveal, dialog } = useRevealed<string>();
  return (
    <>
      <CreateKey
        opened={opened}
        onClose={onClose}
        onCreated={(key) => {
          onClose();
          reveal(key);
        }}
      />
      <RevealSecretDialog
        {...dialog}
        title="Your New Operator Key"
        warning="This is the only time you will see this key. Send it as Authorization: Bearer, followed by the key."
        secret={revealed}
        done="I've Copied the Key"
      />
    </>
  );
}

const capitalized = (name = ''): string => name.charAt(0).toUpperCase() + name.slice(1);

/** 'accounts' with 'accounts:read' and the others */
const RESOURCES = [...new Set(OPERATOR_SCOPES.map((scope) => scope.split(':')[0]))].map((name) => ({
  name,
  scopes: OPERATOR_SCOPES.filter((scope) => scope.startsWith(`${name}:`)),
}));

const newKey = {
  name: '',
  scopes: [] as OperatorScope[],
  expires_in_days: OPERATOR_KEY_DAYS.default as number | string,
};

const CreateKey = ({ onCreated, ...dialog }: Props & { onCreated: (key: string) => void }) => (
  <FormDialog
    {...dialog}
    title="Create Operator Key"
    description="For a program that calls the operator API. The key is shown only once."
    size="lg"
    confirm="Create Operator Key"
    refresh={[listOperatorKeys]}
    form={{
      schema: createOperatorKey.body,
      initialValues: newKey,
      toBody: ({ expires_in_days, ...values }) => ({ ...values, expires_in_days: Number(expires_in_days) }),
      submit: (body) => call(createOperatorKey, { body }),
      failure: 'Failed to create the operator key',
      onSuccess: ({ key }) => onCreated(key),
    }}
  >
    {(form) => <KeyFields form={form} />}
  </FormDialog>
);

function KeyFields({ form }: { form: BodyForm<typeof newKey> }) {
  const { errors } = form.fields;
  const { scopes } = form.fields.values;
  return (
    <>
      <TextInput label="Name" autoComplete="off" data-autofocus {...form.field('name')} />
      {/* biome-ignore lint/a11y/useSemanticElements: Mantine's wrapper names the group */}
      <div
        role="group"
        aria-label="Scopes"
        className={`${classes.scopes} grid gap-x-3 [&_input]:scroll-mt-32`}
      >
        <div className="col-span-full flex flex-wrap items-baseline gap-x-3">
          <span className="text-14 font-550">Scopes</span>
          {errors.scopes ? <Input.Error role="alert">{errors.scopes}</Input.Error> : null}
        </div>
        {RESOURCES.map((resource) => (
          <Fragment key={resource.name}>
            <span className="text-14">{capitalized(resource.name)}</span>
            <div className="grid gap-x-3">
              {resource.scopes.map((scope) => (
                <Checkbox
                  key={scope}
                  label={capitalized(scope.split(':')[1])}
                  aria-label={scope}
                  // takes the focus if no scope is chosen
                  {...(scope === OPERATOR_SCOPES[0] && { 'data-path': 'scopes' })}
                  checked={scopes.includes(scope)}
                  onChange={({ currentTarget: { checked } }) =>
                    form.fields.setFieldValue(
                      'scopes',
                      checked ? [...scopes, scope] : scopes.filter((one) => one !== scope),
                    )
                  }
                />
              ))}
            </div>
          </Fragment>
        ))}
      </div>
      <NumberInput
        label="Expires in days"
        description={`From ${OPERATOR_KEY_DAYS.min} to ${OPERATOR_KEY_DAYS.max} days.`}
        min={OPERATOR_KEY_DAYS.min}
        max={OPERATOR_KEY_DAYS.max}
        allowDecimal={false}
        {...form.field('expires_in_days')}
      />
    </>
  );
}
