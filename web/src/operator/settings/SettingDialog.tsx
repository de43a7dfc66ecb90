import { TextInput } from '@mantine/core';
import { listSettings, type OperatorSetting, updateSetting } from '@sixdigit/contract/operator/settings.ts';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { DialogForm } from '../../form/FormDialog.tsx';
import { Checkbox } from '../../ui/Checkbox.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Note, Row, Rows, RowText } from '../Rows.tsx';
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
  const { name, version, environment, override } = setting;
  return (
    <DialogForm
      onClose={onClose}
      label={`Change ${name}`}
      confirm="Save"
      success="Setting changed"
      refresh={[listSettings]}
      form={{
        schema: updateSetting.body,
        initialValues: { value: override ?? environment, isEnvironment: false, reason: '' },
        toBody: ({ value, isEnvironment, reason }) => ({
          value: isEnvironment ? null : value,
          version,
          reason,
        }),
        submit: (body) => call(updateSetting, { params: { name }, body }),
        failure: 'The setting could not be changed',
      }}
    >
      {({ field, fields }) => (
        <>
          <TextInput
            label="Value"
            description={`The environment has ${environment}`}
            autoComplete="off"
            data-autofocus
            disabled={fields.values.isEnvironment}
            {...field('value')}
          />
          {override === null ? null : (
            <Checkbox label="Return to the value of the environment" {...field('isEnvironment')} />
          )}
          <TextInput label="Reason" autoComplete="off" {...field('reason')} />
        </>
      )}
    </DialogForm>
  );
}

function History({ name }: { name: string }) {
  const query = useQuery(settingChanges(name));
  return (
    <section aria-label="History">
      <h3 className="mt-5 mb-1 text-15">History</h3>
      <Loaded query={query} failure="Failed to load the history">
        {({ results }) =>
          results.length === 0 ? (
            <Note>No operator has changed this setting.</Note>
          ) : (
            <Rows>
              {results.map(({ version, created_at, changed_by, value }) => (
                <Row key={version}>
                  <RowText>
                    {value ?? 'The value of the environment'}
                    <small>
                      {shortDateTime(created_at)} by {changed_by ?? 'a deleted account'}
                    </small>
                  </RowText>
                </Row>
              ))}
            </Rows>
          )
        }
      </Loaded>
    </section>
  );
}
