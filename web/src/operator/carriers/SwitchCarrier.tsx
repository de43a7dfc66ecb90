import { type CarrierSetup, updateCarrierSetup } from '@sixdigit/contract/operator/carrier-setups.ts';
import { call } from '../../api/call.ts';
import { carrierName } from '../../otp/route-filters.ts';
import { ReasonDialog } from '../ReasonDialog.tsx';
import { switchedBody, useShowSetups } from './SetupForm.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  setup: CarrierSetup | undefined;
}

/** Turns a carrier of the console on or off. */
export function SwitchCarrier({ setup, ...dialog }: Props) {
  const showSetups = useShowSetups();
  const isOn = setup?.is_enabled ?? false;
  const name = setup?.name ?? '';
  return (
    <ReasonDialog
      {...dialog}
      title={`Turn ${isOn ? 'Off' : 'On'} ${carrierName(name)}`}
      description={
        isOn
          ? 'It gets no new messages. Messages in flight still use it. Sends on a channel without another carrier are refused.'
          : 'Messages go to this carrier.'
      }
      schema={updateCarrierSetup.body.pick({ reason: true })}
      confirm={`Turn ${isOn ? 'Off' : 'On'}`}
      isDangerous={isOn}
      success={isOn ? 'Carrier turned off' : 'Carrier turned on'}
      submit={async ({ reason }) => {
        if (!setup) return;
        const body = { ...switchedBody(setup, !isOn), reason };
        await showSetups((await call(updateCarrierSetup, { params: { name }, body })).setups);
      }}
    />
  );
}
