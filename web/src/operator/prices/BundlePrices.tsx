import { Button } from '@mantine/core';
import { BASE_PRICE, BUNDLES_MOST, MINIMUM_CREDITS } from '@sixdigit/contract/operator/prices.ts';
import { CUSTOM_CREDITS } from '@sixdigit/contract/payments.ts';
import { type Bundle, type PriceList, purchasePriceOf } from '@sixdigit/contract/prices.ts';
import { perCredit, price } from '../../payments/prices.ts';
import { NumberInput } from '../../ui/NumberInput.ts';
import { Panel } from '../../ui/Panel.tsx';
import classes from '../Operator.module.css';
import { CellText } from '../Rows.tsx';
import { EditableTable } from './EditableTable.tsx';

export const CREDITS = {
  title: 'Credits',
  description: 'Any amount between two bundles gets the discount of the smaller one.',
};
export const FIELDS = ['Price of a credit (US cents)', 'Smallest purchase (credits)'] as const;

interface Props {
  draft: PriceList;
  /** undefined for operators who may not change prices */
  change: ((part: Partial<PriceList>) => void) | undefined;
}

/** The price of a credit, the smallest purchase, and the bundles with their discounts. */
export function BundlePrices({ draft, change }: Props) {
  const { base_price_cents, minimum_credits, bundles } = draft;
  const isReadOnly = !change;
  const put = (n: number, part: Partial<Bundle>) =>
    change?.({ bundles: bundles.map((bundle, at) => (at === n ? { ...bundle, ...part } : bundle)) });
  return (
    <Panel {...CREDITS}>
      <div className={`${classes.fields} grid gap-4`}>
        <NumberInput
          label={FIELDS[0]}
          min={BASE_PRICE.min}
          max={BASE_PRICE.max}
          decimalScale={2}
          hideControls
          inputMode="decimal"
          readOnly={isReadOnly}
          value={base_price_cents}
          onChange={(value) => change?.({ base_price_cents: Number(value) })}
        />
        <NumberInput
          label={FIELDS[1]}
          min={MINIMUM_CREDITS.min}
          max={MINIMUM_CREDITS.max}
          allowDecimal={false}
          hideControls
          readOnly={isReadOnly}
          value={minimum_credits}
          onChange={(value) => change?.({ minimum_credits: Number(value) })}
        />
      </div>
      <div className="mt-4 flex flex-wrap items-center justify-between gap-2">
        <h3 className="m-0 text-15">Bundles</h3>
        {change && bundles.length < BUNDLES_MOST ? (
          <Button
            variant="default"
            size="compact-sm"
            onClick={() =>
              change({
                bundles: [
                  ...bundles,
                  { credits: nextOf(bundles), discount: bundles.at(-1)?.discount ?? 0, popular: false },
                ],
              })
            }
          >
            Add Bundle
          </Button>
        ) : null}
      </div>
      <EditableTable
        isNarrow
        label="Bundles"
        noun="bundle"
        headings={['Credits', 'Discount', 'Price', 'Most popular']}
        rows={bundles}
        change={change && ((rows) => change({ bundles: rows }))}
        least={1}
        cells={(bundle, n) => (
          <>
            <td data-label="Credits">
              <NumberInput
                aria-label={`Credits of bundle ${n + 1}`}
                min={1}
                max={CUSTOM_CREDITS.max}
                allowDecimal={false}
                thousandSeparator=","
                hideControls
                readOnly={isReadOnly}
                value={bundle.credits}
                onChange={(value) => put(n, { credits: Number(value) })}
              />
            </td>
            <td data-label="Discount">
              <NumberInput
                aria-label={`Discount of bundle ${n + 1} in percent`}
                min={0}
                max={90}
                allowDecimal={false}
                suffix="%"
                hideControls
                readOnly={isReadOnly}
                value={bundle.discount}
                onChange={(value) => put(n, { discount: Number(value) })}
              />
            </td>
            <td>
              <Price draft={draft} bundle={bundle} />
            </td>
            <td>
              <label className="flex items-center gap-2 touch:min-h-11 touch:min-w-11">
                <input
                  type="radio"
                  className={`${classes.radio} m-0 size-4.5`}
                  name="popular"
                  aria-label={`Bundle ${n + 1} is the most popular`}
                  checked={bundle.popular}
                  disabled={isReadOnly}
                  onChange={() =>
                    change?.({ bundles: bundles.map((one, at) => ({ ...one, popular: at === n })) })
                  }
                />
                {/* on wider screens, the heading says it */}
                <span className="text-13 text-ink-soft sm:hidden" aria-hidden>
                  Most popular
                </span>
              </label>
            </td>
          </>
        )}
      />
    </Panel>
  );
}

const nextOf = (bundles: readonly Bundle[]): number =>
  Math.min(CUSTOM_CREDITS.max, 2 * Math.max(50, ...bundles.map(({ credits }) => credits)));

/** As customers see it. */
function Price({ draft, bundle: { credits, discount } }: { draft: PriceList; bundle: Bundle }) {
  if (credits < 1) return null;
  const { price_usd_cents } = purchasePriceOf(
    { ...draft, bundles: [{ credits: 1, discount, popular: false }] },
    credits,
  );
  return (
    <CellText>
      {price(price_usd_cents)}
      <small className="whitespace-nowrap">{perCredit({ credits, price_usd_cents })}</small>
    </CellText>
  );
}
