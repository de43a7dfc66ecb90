import { Button, NativeSelect } from '@mantine/core';
import {
  type CountryRoute,
  type OperatorChannel,
  removeCountryRoute,
  updateCarrier,
} from '@sixdigit/contract/operator/carriers.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { store } from '../../api/read.ts';
import { CountryInput } from '../../form/CountryInput.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { carrierName } from '../../otp/route-filters.ts';
import { countryText } from '../../payments/send-prices.ts';
import { labelOf } from '../../ui/channel.ts';
import { Switch } from '../../ui/Switch.ts';
import { carriers } from '../operator.ts';
import { ReasonDialog, ReasonInput } from '../ReasonDialog.tsx';
import { Note, Row, Rows, RowText } from '../Rows.tsx';
import { PlaceFields } from './CarrierDialog.tsx';

export const ROUTES = 'Routes by country';

/** Countries with their own carriers. */
export function CountryRoutes({ state, isAdmin }: { state: OperatorChannel; isAdmin: boolean }) {
  const queryClient = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const [chosen, setChosen] = useState<CountryRoute>();
  const [isRemoving, setRemoving] = useState(false);
  const { channel, countries } = state;
  if (channel === 'email' || (countries.length === 0 && !isAdmin)) return null;
  return (
    <section className="mt-4 border-t border-line pt-4" aria-label={`Routes by country, ${channel}`}>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h3 className="m-0 text-15">{ROUTES}</h3>
        {isAdmin && state.carriers.length > 0 ? (
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => {
              setChosen(undefined);
              setEditing(true);
            }}
          >
            Add Route
          </Button>
        ) : null}
      </div>
      {countries.length === 0 ? <Note>All countries follow the order above.</Note> : null}
      <Rows>
        {countries.map((route) => (
          <Row key={route.country}>
            <RowText>
              <strong>{countryText(route.country)}</strong>
              <small>
                {route.carriers
                  .map(
                    ({ name, is_paused, weight }) =>
                      `${carrierName(name)}${is_paused ? ' (paused)' : ''}${weight === null ? '' : `, weight ${weight}`}`,
                  )
                  .join(' → ')}
              </small>
            </RowText>
            {isAdmin ? (
              <span className="flex flex-wrap items-center gap-2">
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={`Change the route to ${countryText(route.country)}`}
                  onClick={() => {
                    setChosen(route);
                    setEditing(true);
                  }}
                >
                  Change
                </Button>
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={`Remove the route to ${countryText(route.country)}`}
                  onClick={() => {
                    setChosen(route);
                    setRemoving(true);
                  }}
                >
                  Remove
                </Button>
              </span>
            ) : null}
          </Row>
        ))}
      </Rows>
      <RouteDialog opened={isEditing} onClose={() => setEditing(false)} state={state} route={chosen} />
      <ReasonDialog
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Remove the route to ${countryText(chosen?.country ?? null)}`}
        description="Its messages follow the channel’s order again."
        schema={removeCountryRoute.body.pick({ reason: true })}
        confirm="Remove Route"
        success="Route removed"
        submit={async ({ reason }) => {
          const body = { channel, country: chosen?.country ?? '', reason };
          await store(queryClient, carriers, await call(removeCountryRoute, { body }));
        }}
      />
    </section>
  );
}

interface Props {
  opened: boolean;
  onClose: () => void;
  state: OperatorChannel;
  /** undefined for a new country */
  route: CountryRoute | undefined;
}

function RouteDialog({ state, route, ...dialog }: Props) {
  const queryClient = useQueryClient();
  const country = route?.country;
  const carriersNow = route?.carriers ?? state.carriers;
  const first = carriersNow[0]?.name ?? '';
  return (
    <FormDialog
      {...dialog}
      title={`${country ? 'Change' : 'Add'} ${labelOf(state.channel)} Route`}
      description="Sets one carrier’s place for one country. A new country starts with a copy of the channel’s order. Later changes to that order do not affect it."
      confirm="Save Route"
      success="Route changed"
      formKey={country}
      form={{
        schema: updateCarrier.body,
        initialValues: {
          country: country ?? '',
          name: first,
          ...placeOf(first, carriersNow),
          reason: '',
        },
        toBody: ({ country: to, position, weight, isUsed, reason }) => ({
          channel: state.channel,
          country: to,
          position: Number(position),
          weight: weight === '' ? null : Number(weight),
          is_paused: !isUsed,
          reason,
        }),
        submit: async (body, { name }) => {
          await store(queryClient, carriers, await call(updateCarrier, { params: { name }, body }));
        },
        failure: 'Failed to change the route',
      }}
    >
      {({ field, fields }) => (
        <>
          <CountryInput
            label="Country"
            placeholder="Choose a country"
            readOnly={country !== undefined}
            {...field('country')}
          />
          <NativeSelect
            label="Carrier"
            data={state.carriers.map(({ name }) => ({ value: name, label: carrierName(name) }))}
            {...field('name')}
            onChange={({ currentTarget: { value: name } }) =>
              fields.setValues({ name, ...placeOf(name, carriersNow) })
            }
          />
          <PlaceFields field={field} />
          <Switch
            label="In use"
            description="When off, this carrier gets no messages to this country."
            {...field('isUsed')}
          />
          <ReasonInput {...field('reason')} />
        </>
      )}
    </FormDialog>
  );
}

/** The current values of a carrier. One that the route lacks comes last. */
function placeOf(name: string, route: CountryRoute['carriers']) {
  const index = route.findIndex((carrier) => carrier.name === name);
  const { weight, is_paused } = route[index] ?? { weight: null, is_paused: false };
  return {
    position: ((index < 0 ? route.length : index) + 1) as number | string,
    weight: (weight ?? '') as number | string,
    isUsed: !is_paused,
  };
}
