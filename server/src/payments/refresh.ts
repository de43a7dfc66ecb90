import type { CardProvider } from './card-provider.ts';
import { settle } from './fulfil.ts';
import type { PaymentsApp } from './payments.ts';
import { applyReversals } from './reversals.ts';

/** Applies the provider's present state of an intent, with its refunds and disputes, to its order. */
export async function refresh(
  app: PaymentsApp,
  cards: CardProvider,
  { intent_id, isDisputed }: { intent_id: string; isDisputed: boolean },
): Promise<void> {
  const intent = await cards.findIntent(intent_id);
  const order = intent && (await settle(app, intent));
  if (!order || !intent) return;
  // An inquiry moves no money, so the charge may show nothing of it.
  const is_reversed = intent.is_reversed || isDisputed;
  await applyReversals(app, cards, { order, intent: { ...intent, is_reversed } });
}
