import { Alert, Button, TextInput } from '@mantine/core';
import { getOverview } from '@sixdigit/contract/operator/overview.ts';
import { confirmRetention, type ShrunkRetention } from '@sixdigit/contract/operator/retention.ts';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { z } from 'zod';
import { call } from '../../api/call.ts';
import { FormDialog } from '../../form/FormDialog.tsx';
import { useIsAdmin } from '../operator.ts';
import { ReasonInput } from '../ReasonDialog.tsx';

/** Retention settings that have become shorter. Older data stays until an operator confirms each. */
export function RetentionWaiting({ settings }: { settings: readonly ShrunkRetention[] }) {
  const isAdmin = useIsAdmin();
  const [chosen, setChosen] = useState<ShrunkRetention>();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {settings.map((setting) => (
        <Alert
          key={setting.name}
          color="orange"
          variant="light"
          icon={<IconTrash aria-hidden />}
          title={`${setting.name} is shorter than before`}
        >
          <p className="m-0">
            It is {setting.days} days, but data has been kept for {setting.kept_days} days. What is older
            stays until {isAdmin ? 'you confirm it' : 'an admin confirms it'}. If the change is a mistake, set{' '}
            {setting.name} to {setting.kept_days} again.
          </p>
          {isAdmin ? (
            <Button
              className="mt-3"
              color="red"
              variant="outline"
              size="compact-sm"
              aria-label={`Confirm Retention: ${setting.name}`}
              onClick={() => {
                setChosen(setting);
                setOpen(true);
              }}
            >
              Confirm Retention
            </Button>
          ) : null}
        </Alert>
      ))}
      {chosen ? <ConfirmDialog opened={isOpen} onClose={() => setOpen(false)} setting={chosen} /> : null}
    </>
  );
}

interface Props {
  opened: boolean;
  onClose: () => void;
  setting: ShrunkRetention;
}

/** The operator types the number of days, because the deletion cannot be undone. */
const ConfirmDialog = ({ setting, ...dialog }: Props) => (
  <FormDialog
    {...dialog}
    title="Confirm Retention"
    description={`The workers delete what is older than ${setting.days} days within ten minutes. This cannot be undone.`}
    confirm="Delete Older Data"
    busy="Confirming..."
    isDangerous
    success="Retention confirmed"
    refresh={[getOverview]}
    formKey={setting.name}
    form={{
      schema: z.object({
        typed: z.literal(String(setting.days), { error: `This is not ${setting.name}.` }),
        reason: confirmRetention.body.shape.reason,
      }),
      initialValues: { typed: '', reason: '' },
      submit: ({ reason }) => call(confirmRetention, { body: { ...setting, reason } }),
      failure: 'Failed to confirm the retention',
    }}
  >
    {({ field }) => (
      <>
        <TextInput
          label={setting.name}
          description={`Type ${setting.days} to confirm`}
          inputMode="numeric"
          autoComplete="off"
          data-autofocus
          {...field('typed')}
        />
        <ReasonInput {...field('reason')} />
      </>
    )}
  </FormDialog>
);
