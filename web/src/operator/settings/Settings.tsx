import { Button, TextInput } from '@mantine/core';
import { listSettings, type OperatorSetting, updateSetting } from '@sixdigit/contract/operator/settings.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { CountryChoice } from '../../form/CountryChoice.tsx';
import { DialogForm } from '../../form/FormDialog.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Checkbox } from '../../ui/Checkbox.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { PanelSkeletons } from '../../ui/PanelSkeletons.tsx';
import classes from '../Operator.module.css';
import { useIsAdmin } from '../operator.ts';
import { operatorPages } from '../operator-pages.ts';
import { ReasonInput } from '../ReasonDialog.tsx';
import { Note, Row, Rows, RowText } from '../Rows.tsx';
import { chosenOf, groupsOf, HINTS, MEANINGS, settingChanges, settings, valueText } from './settings.ts';

/** Settings that override the environment at run time. */
export function Settings() {
  const query = useQuery(settings);
  const isAdmin = useIsAdmin();
  const [chosen, setChosen] = useState<OperatorSetting>();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <PageHeading title={operatorPages.settings.title}>
        Values set here override the environment within a second. All other settings are set in the
        environment.
      </PageHeading>
      <Loaded
        query={query}
        failure="Failed to load the settings"
        waiting={<PanelSkeletons lines={[5, 4, 4]} />}
      >
        {(all) => (
          <div className="grid grid-cols-1 gap-5">
            {groupsOf(all).map(({ title, members }) => (
              <Panel key={title} title={title}>
                <Rows>
                  {members.map((setting) => (
                    <Row key={setting.name}>
                      <RowText>
                        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                          <strong>{MEANINGS[setting.name]}</strong>
                          {setting.override === null ? null : <Badge tone="orange">Overridden</Badge>}
                        </span>
                        <Origin setting={setting} />
                      </RowText>
                      <span
                        className={`${classes.end} flex min-w-0 items-center justify-between gap-x-4 gap-y-2`}
                      >
                        <span className="font-550 tabular-nums wrap-anywhere">
                          {valueText(setting.name, setting.override ?? setting.environment) || (
                            <span className="font-400 text-ink-soft">None</span>
                          )}
                        </span>
                        <Button
                          variant="default"
                          size="compact-sm"
                          aria-label={`${isAdmin ? 'Change' : 'History of'} ${setting.name}`}
                          onClick={() => {
                            setChosen(setting);
                            setOpen(true);
                          }}
                        >
                          {isAdmin ? 'Change' : 'History'}
                        </Button>
                      </span>
                    </Row>
                  ))}
                </Rows>
              </Panel>
            ))}
          </div>
        )}
      </Loaded>
      <SettingDialog opened={isOpen} onClose={() => setOpen(false)} setting={chosen} isAdmin={isAdmin} />
    </>
  );
}

const Origin = ({
  setting: { name, override, environment, changed_at, changed_by },
}: {
  setting: OperatorSetting;
}) => (
  <small>
    <code>{name}</code>
    {override === null
      ? null
      : ` · instead of ${valueText(name, environment) || 'no value'}, since ${shortDateTime(changed_at)} by ${changed_by ?? 'a deleted account'}`}
  </small>
);

interface Props {
  opened: boolean;
  onClose: () => void;
  setting: OperatorSetting | undefined;
  isAdmin: boolean;
}

/** Changes a setting and shows its history. */
const SettingDialog = ({ opened, onClose, setting, isAdmin }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    title={setting ? (MEANINGS[setting.name] ?? setting.name) : ''}
    description={setting ? <code>{setting.name}</code> : undefined}
  >
    {setting ? (
      isAdmin ? (
        <SettingForm setting={setting} onClose={onClose} />
      ) : (
        <History name={setting.name} />
      )
    ) : null}
  </Dialog>
);

function SettingForm({ setting, onClose }: { setting: OperatorSetting; onClose: () => void }) {
  const { name, version, environment, override } = setting;
  const hint =
    `${HINTS[name] ?? ''} Environment value: ${valueText(name, environment) || 'none'}.${override === null ? ' You can return to it later.' : ''}`.trim();
  return (
    <DialogForm
      onClose={onClose}
      label={`Change ${name}`}
      confirm="Save Setting"
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
        failure: 'Failed to change the setting',
      }}
    >
      {({ field, fields }) => (
        <>
          {name === 'ALLOWED_COUNTRIES' && !fields.values.isEnvironment ? (
            <CountryChoice
              label="Countries"
              description={hint}
              otherwise="All countries"
              value={chosenOf(fields.values.value)}
              onChange={(codes) => fields.setFieldValue('value', codes ? codes.join(',') : '*')}
              error={fields.errors.value}
            />
          ) : (
            <TextInput
              label="Value"
              description={hint}
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              data-autofocus
              disabled={fields.values.isEnvironment}
              {...field('value')}
            />
          )}
          {override === null ? null : (
            <Checkbox label="Return to the environment value" {...field('isEnvironment')} />
          )}
          <ReasonInput {...field('reason')} />
          <History name={name} />
        </>
      )}
    </DialogForm>
  );
}

function History({ name }: { name: string }) {
  const query = useQuery(settingChanges(name));
  return (
    <section aria-label="History">
      <h3 className="my-1 text-15">History</h3>
      <Loaded query={query} failure="Failed to load the history">
        {({ results }) =>
          results.length === 0 ? (
            <Note>No operator has changed this setting.</Note>
          ) : (
            <Rows>
              {results.map(({ version, created_at, changed_by, value }) => (
                <Row key={version}>
                  <RowText>
                    {value === null ? 'Environment value' : valueText(name, value)}
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
