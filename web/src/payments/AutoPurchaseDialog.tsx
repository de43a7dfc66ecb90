import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import {
  AUTO_PURCHASE_AMOUNT,
  AUTO_PURCHASE_THRESHOLD,
  type Branding,
  getBranding,
} from '@sixdigit/contract/accounts/branding.ts';
import {
  type AutoPurchase,
  calculatePrice,
  getAutoPurchase,
  type PaymentMethod,
  updateAutoPurchase,
} from '@sixdigit/contract/payments.ts';
import { call } from '../api/call.ts';
import { FormDialog } from '../form/FormDialog.tsx';
import { wholeNumber } from '../form/whole-number.ts';
import { Switch } from '../ui/Switch.ts';
import { AutoPurchaseInputs } from './AutoPurchaseInputs.tsx';
import { brandOf, count } from './prices.ts';
import { useQuote } from './use-quote.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  kept: AutoPurchase;
}

/** The switch and the numbers of auto-purchase. The switch is on at first, because opening the dialog sets it up. */
export const AutoPurchaseDialog = ({ opened, onClose, kept }: Props) => (
  <FormDialog
    opened={opened}
    onClose={onClose}
    title="Auto-purchase"
    description="Buys credits with your saved card when the balance falls below the threshold."
    confirm="Save Changes"
    busy="Saving..."
    success="Auto-purchase saved"
    refresh={[getAutoPurchase, getBranding, getMe]}
    form={{
      schema: updateAutoPurchase.body,
      initialValues: valuesOf(kept, true),
      toBody: (values) => bodyOf(values, kept),
      submit: (body) => call(updateAutoPurchase, { body }),
      failure: 'Failed to save auto-purchase',
    }}
  >
    {(form) => {
      const isOff = !form.fields.values.auto_purchase_enabled;
      return (
        <>
          <Switch label="Enable auto-purchase" {...form.field('auto_purchase_enabled')} />
          <AutoPurchaseInputs
            isOff={isOff}
            threshold={form.field('auto_purchase_threshold')}
            amount={form.field('auto_purchase_amount')}
          />
          {isOff || !kept.card ? null : (
            <Charge card={kept.card} amount={form.fields.values.auto_purchase_amount} />
          )}
        </>
      );
    }}
  </FormDialog>
);

/** What each purchase costs at the current prices. */
function Charge({ card, amount }: { card: PaymentMethod; amount: string }) {
  const { quote } = useQuote(calculatePrice.body.safeParse({ credits: Number(amount) }).data?.credits);
  return (
    <p className="m-0 min-h-[1.55em] text-14 text-ink-soft" role="status">
      {quote
        ? `${brandOf(card)} ending in ${card.last4} is charged ${quote.price_display} for ${count(quote.credits)}.`
        : null}
    </p>
  );
}

type Settings = Pick<Branding, 'auto_purchase_enabled' | 'auto_purchase_threshold' | 'auto_purchase_amount'>;

/** The fields of the dialog, as text. `isOn`: the state of the switch at first. */
const valuesOf = (kept: Settings, isOn: boolean) => ({
  auto_purchase_enabled: isOn,
  auto_purchase_threshold: String(kept.auto_purchase_threshold),
  auto_purchase_amount: String(kept.auto_purchase_amount),
});

/** The request body, with the product's defaults for invalid numbers. Disabled fields keep their values. */
export const bodyOf = (values: ReturnType<typeof valuesOf>, kept: Settings): Settings =>
  values.auto_purchase_enabled
    ? {
        auto_purchase_enabled: true,
        auto_purchase_threshold: wholeNumber(values.auto_purchase_threshold, AUTO_PURCHASE_THRESHOLD.default),
        auto_purchase_amount: wholeNumber(values.auto_purchase_amount, AUTO_PURCHASE_AMOUNT.default),
      }
    : {
        auto_purchase_enabled: false,
        auto_purchase_threshold: kept.auto_purchase_threshold,
        auto_purchase_amount: kept.auto_purchase_amount,
      };
