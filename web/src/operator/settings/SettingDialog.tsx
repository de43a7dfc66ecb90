import { Button, TextInput } from '@mantine/core';
import { listSettings, type OperatorSetting, updateSetting } from '@sixdigit/contract/operator/settings.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { invalidate } from '../../api/read.ts';
import { Form, SubmitButton } from '../../form/Form.tsx';
import { useBodyForm } from '../../form/useBodyForm.ts';
import { Checkbox } from '../../ui/Checkbox.ts';
import { Dialog, DialogActions } from '../../ui/Dialog.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { toast } from '../../ui/toast.ts';
import classes from '../Operator.module.css';
import { MEANINGS, settingChanges } from './settings.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  setting: OperatorSetting | undefined;
  isAdmin: boolean;
}

/** Changes a setting, and shows its history. */
export const SettingDialog = ({ opened, onClose, setting, isAdmin }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    title={setting?.name ?? ''}
    description={setting ? MEANINGS[setting.name] : undefined}
  >
    {setting ? (
      <>
        {isAdmin ? <SettingForm setting={setting} onClose={onClose} /> : null}
        <History name={setting.name} />
      </>
    ) : null}
  </Dialog>
);

function SettingForm({ setting, onClose }: { setting: OperatorSetting; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { name, version, environment, override } = setting;
  const form = useBodyForm({
    schema: updateSetting.body,
    initialValues: { value: override ?? environment, isEnvironment: false, reason: '' },
    toBody: ({ value, isEnvironment, reason }) => ({ value: isEnvironment ? null : value, version, reason }),
    submit: (body) => call(updateSetting, { params: { name }, body }),
    failure: 'The setting could not be changed',
    onSuccess: () => {
      toast.success('Setting changed');
      onClose();
      void invalidate(queryClient, listSettings);
    },
  });
  return (
    <Form form={form} label={`Change ${name}`}>
      <TextInput
        label="Value"
        description={`The environment has ${environment}`}
        autoComplete="off"
        data-autofocus
        disabled={form.fields.values.isEnvironment}
        {...form.field('value')}
      />
      {override === null ? null : (
        <Checkbox label="Return to the value of the environment" {...form.field('isEnvironment')} />
      )}
      <TextInput label="Reason" autoComplete="off" {...form.field('reason')} />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton form={form}>Save</SubmitButton>
      </DialogActions>
    </Form>
  );
}

function History({ name }: { name: string }) {
  const query = useQuery(settingChanges(name));
  return (
    <section aria-label="History" className={classes.history}>
      <h3>History</h3>
      <Loaded query={query} failure="Failed to load the history">
        {({ results }) =>
          results.length === 0 ? (
            <p className={classes.soft}>No operator has changed this setting.</p>
          ) : (
            <ul className={classes.rows}>
              {results.map(({ version, created_at, changed_by, value }) => (
                <li key={version}>
                  <span className={classes.what}>
                    {value ?? 'The value of the environment'}
                    <small>
                      {shortDateTime(created_at)} by {changed_by ?? 'a deleted account'}
                    </small>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
