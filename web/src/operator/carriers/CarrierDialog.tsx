import { Button, TextInput } from '@mantine/core';
import { type OperatorCarrier, updateCarrier } from '@sixdigit/contract/operator/carriers.ts';
import { Form, SubmitButton } from '../../form/Form.tsx';
import { useBodyForm } from '../../form/useBodyForm.ts';
import { Dialog, DialogActions } from '../../ui/Dialog.tsx';
import { NumberInput } from '../../ui/NumberInput.ts';
import { toast } from '../../ui/toast.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  chosen: OperatorCarrier | undefined;
  submit: (change: { position: number; weight: number | null; reason: string }) => Promise<unknown>;
}

/** Changes the place and the weight of a carrier. */
export const CarrierDialog = (props: Props) => (
  <Dialog
    opened={props.opened}
    onClose={props.onClose}
    title={`Order and Weight of ${props.chosen?.name ?? ''}`}
    description="Carriers are asked in their order. If carriers of the channel have weights, the first one is drawn by weight."
  >
    {props.chosen ? <OrderForm {...props} chosen={props.chosen} /> : null}
  </Dialog>
);

const empty = (value: number | string): boolean => value === '';

function OrderForm({ onClose, chosen, submit }: Props & { chosen: OperatorCarrier }) {
  const form = useBodyForm({
    schema: updateCarrier.body.pick({ position: true, weight: true, reason: true }),
    initialValues: {
      position: chosen.position as number | string,
      weight: (chosen.weight ?? '') as number | string,
      reason: '',
    },
    toBody: ({ position, weight, reason }) => ({
      position: empty(position) ? undefined : Number(position),
      weight: empty(weight) ? null : Number(weight),
      reason,
    }),
    submit: ({ position = chosen.position, weight = null, reason }) => submit({ position, weight, reason }),
    failure: 'The change could not be made',
    onSuccess: () => {
      toast.success('Carrier changed');
      onClose();
    },
  });
  return (
    <Form form={form} label="Order and Weight">
      <NumberInput label="Place" min={1} allowDecimal={false} {...form.field('position')} />
      <NumberInput
        label="Weight"
        description="Empty: by order"
        min={0}
        max={1000}
        allowDecimal={false}
        {...form.field('weight')}
      />
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
