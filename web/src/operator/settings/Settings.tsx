import { Button } from '@mantine/core';
import type { OperatorSetting } from '@sixdigit/contract/operator/settings.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { PanelSkeletons } from '../../ui/PanelSkeletons.tsx';
import { operatorPages } from '../operator-pages.ts';
import { Row, Rows, RowText } from '../Rows.tsx';
import { useIsAdmin } from '../useIsAdmin.ts';
import { SettingDialog } from './SettingDialog.tsx';
import { groupsOf, MEANINGS, settings } from './settings.ts';

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
      <Loaded
        query={query}
        failure="Failed to load the settings"
        waiting={<PanelSkeletons lines={[3, 4, 4]} />}
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
                      <span className="flex min-w-0 items-center justify-between gap-x-4 gap-y-2 max-[600px]:flex-[1_0_100%]">
                        <span className="font-550 tabular-nums wrap-anywhere">
                          {setting.override ?? setting.environment}
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
      : ` · instead of ${environment}, since ${shortDateTime(changed_at)} by ${changed_by ?? 'a deleted account'}`}
  </small>
);
