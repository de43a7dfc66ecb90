import { type OperatorCarrier, updateCarrier } from '@sixdigit/contract/operator/carriers.ts';
import type { BodyForm } from '../../form/Form.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { carrierName } from '../../otp/route-filters.ts';
import { NumberInput } from '../../ui/NumberInput.ts';
import { ReasonInput } from '../ReasonDialog.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  chosen: OperatorCarrier | undefined;
  submit: (change: { position: number; weight: number | null; reason: string }) => Promise<unknown>;
}

/** Changes a carrier's position and weight. */
export const CarrierDialog = ({ chosen, submit, ...dialog }: Props) => (
  <FormDialog
    {...dialog}
    title={`Order and Weight of ${carrierName(chosen?.name ?? '')}`}
    description="Carriers are tried in order."
    label="Order and Weight"
    confirm="Save"
    success="Carrier changed"
    form={
      chosen && {
        schema: updateCarrier.body.pick({ position: true, weight: true, reason: true }),
        initialValues: {
          position: chosen.position as number | string,
          weight: (chosen.weight ?? '') as number | string,
          reason: '',
        },
        toBody: ({ position, weight, reason }) => ({
          position: position === '' ? undefined : Number(position),
          weight: weight === '' ? null : Number(weight),
          reason,
        }),
        submit: ({ position = chosen.position, weight = null, reason }) =>
          submit({ position, weight, reason }),
        failure: 'Failed to make the change',
      }
    }
  >
    {({ field }) => (
      <>
        <PlaceFields field={field} />
        <ReasonInput {...field('reason')} />
      </>
    )}
  </FormDialog>
);

/** A carrier's place among the others of its channel or of a country. */
export const PlaceFields = ({ field }: Pick<BodyForm<{ position: unknown; weight: unknown }>, 'field'>) => (
  <>
    <NumberInput
      label="Position"
      description="1 is tried first."
      min={1}
      allowDecimal={false}
      {...field('position')}
    />
    <NumberInput
      label="Weight"
      description="If carriers have weights, the first one is chosen at random by weight. Leave empty to use the order."
      min={0}
      max={1000}
      allowDecimal={false}
      {...field('weight')}
    />
  </>
);
