import { Button } from '@mantine/core';
import { findOptOut, removeOptOut } from '@sixdigit/contract/operator/opt-outs.ts';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { Form, SubmitButton, useBodyForm } from '../../form/Form.tsx';
import { PhoneInput } from '../../form/PhoneInput.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { EraseRecipient } from '../accounts/EraseRecipient.tsx';
import classes from '../Operator.module.css';
import { useIsAdmin } from '../operator.ts';
import { operatorPages } from '../operator-pages.ts';
import { ReasonDialog } from '../ReasonDialog.tsx';
import { Row, Rows, RowText } from '../Rows.tsx';

interface Found {
  phone_number: string;
  is_opted_out: boolean;
  opted_out_at: string | null;
}

/** Looks up one number. The list cannot be shown, because it contains only keyed hashes. */
export function OptOuts() {
  const isAdmin = useIsAdmin();
  const [found, setFound] = useState<Found>();
  const [isAsking, setAsking] = useState(false);
  const form = useBodyForm({
    schema: findOptOut.body,
    initialValues: { phone_number: '' },
    submit: (body) => call(findOptOut, { body }),
    failure: 'Failed to look up the number',
    onSuccess: setFound,
  });
  return (
    <>
      <PageHeading title={operatorPages.optOuts.title}>
        Numbers that reply STOP receive no SMS until they reply START. For privacy requests, erase a recipient
        from all accounts.
      </PageHeading>
      <div className="grid grid-cols-1 gap-5">
        <Panel
          title="Look up a number"
          description="Opt-outs are stored in a form that cannot be read back, so they cannot be listed."
        >
          <Form form={form} label="Look up a number">
            <div className={`${classes.lookUp} grid gap-3`}>
              <PhoneInput
                label="Phone number"
                isOfAnyCountry
                autoComplete="off"
                {...form.field('phone_number')}
              />
              <SubmitButton form={form} busy="Looking up...">
                Look Up
              </SubmitButton>
            </div>
          </Form>
        </Panel>
        {found ? (
          <Panel title={found.phone_number}>
            <Rows aria-live="polite">
              <Row>
                {found.is_opted_out ? (
                  <RowText>
                    <span>
                      <Badge tone="orange">Opted out</Badge>
                    </span>
                    <small>since {shortDateTime(found.opted_out_at)}</small>
                  </RowText>
                ) : (
                  <Badge tone="green">Receives SMS</Badge>
                )}
                {found.is_opted_out && isAdmin ? (
                  <Button variant="default" onClick={() => setAsking(true)}>
                    Remove from the List
                  </Button>
                ) : null}
              </Row>
            </Rows>
          </Panel>
        ) : null}
        <EraseRecipient />
      </div>
      <ReasonDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Remove from the Opt-out List"
        description="Only at the request of the number’s owner. The number receives SMS again."
        schema={removeOptOut.body.pick({ reason: true })}
        confirm="Remove"
        isDangerous
        success="The number receives SMS again"
        submit={async ({ reason }) => {
          if (!found) return;
          await call(removeOptOut, { body: { phone_number: found.phone_number, reason } });
          setFound({ ...found, is_opted_out: false, opted_out_at: null });
        }}
      />
    </>
  );
}
