import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OperatorSetting } from '#contract/operator-settings.ts';
import { Badge } from '../ui/Badge.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { Loaded } from '../ui/Loaded.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Panel } from '../ui/Panel.tsx';
import classes from './Operator.module.css';
import { operatorPages } from './operator-pages.ts';
import { SettingDialog } from './SettingDialog.tsx';
import { MEANINGS, settings } from './settings.ts';
import { useIsAdmin } from './useIsAdmin.ts';

/** Settings that override the environment while the service runs. */
export function Settings() {
  const query = useQuery(settings);
  const isAdmin = useIsAdmin();
  const [chosen, setChosen] = useState<OperatorSetting>();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <PageHeading title={operatorPages.settings.title}>
        A value set here overrides the environment in every process within a second. All other settings are
        changed in the environment.
      </PageHeading>
      <Loaded query={query} failure="Failed to load the settings">
        {(all) => (
          <Panel title="Live settings">
            <ul className={classes.rows}>
              {all.map((setting) => (
                <li key={setting.name}>
                  <span className={classes.what}>
                    <span className={classes.setting}>
                      <strong>{setting.name}</strong>
                      {setting.override === null ? null : <Badge tone="orange">Overridden</Badge>}
                    </span>
                    <small>{MEANINGS[setting.name]}</small>
                    <Value setting={setting} />
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
                </li>
              ))}
            </ul>
          </Panel>
        )}
      </Loaded>
      <SettingDialog opened={isOpen} onClose={() => setOpen(false)} setting={chosen} isAdmin={isAdmin} />
    </>
  );
}

const Value = ({
  setting: { override, environment, changed_at, changed_by },
}: {
  setting: OperatorSetting;
}) =>
  override === null ? (
    <span>{environment}</span>
  ) : (
    <span>
      {override}{' '}
      <small>
        instead of {environment}, since {shortDateTime(changed_at)} by {changed_by ?? 'a deleted account'}
      </small>
    </span>
  );
