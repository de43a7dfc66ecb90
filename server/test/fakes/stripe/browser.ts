import type { ErrorBody } from './failure.ts';
import type { PaymentIntent } from './objects.ts';

/** The result of Stripe.js: an intent or an error. */
export interface Confirmation {
  paymentIntent?: PaymentIntent;
  error?: ErrorBody;
}

export interface Browser {
  /** Confirms an intent with a newly entered card, or with a saved payment method (`pm_…`). */
  confirmPayment(clientSecret: string, card: string): Promise<Confirmation>;
  /** Completes or fails the bank's authentication of a confirmation. */
  authenticate(clientSecret: string, outcome: 'complete' | 'fail'): Promise<Confirmation>;
}

/** The calls that Stripe.js makes from a customer's browser, with the publishable key. */
export function browserOf(url: string, publishableKey: string): Browser {
  async function post(path: string, form: Record<string, string>): Promise<Confirmation> {
    const response = await fetch(`${url}/v1/${path}`, {
      method: 'POST',
      body: new URLSearchParams({ key: publishableKey, ...form }),
    });
    const answer = (await response.json()) as PaymentIntent & Confirmation;
    return answer.error ? { error: answer.error } : { paymentIntent: answer };
  }
  return {
    confirmPayment(clientSecret, card) {
      const chosen: Record<string, string> = card.startsWith('pm_')
        ? { payment_method: card }
        : {
            'payment_method_data[type]': 'card',
            'payment_method_data[card][number]': card,
            'payment_method_data[card][exp_month]': '12',
            'payment_method_data[card][exp_year]': '40',
            'payment_method_data[card][cvc]': '123',
          };
      const id = clientSecret.split('_secret_')[0];
      return post(`payment_intents/${id}/confirm`, { client_secret: clientSecret, ...chosen });
    },
    authenticate: (clientSecret, outcome) =>
      post('3ds2/challenge_complete', { client_secret: clientSecret, outcome }),
  };
}
