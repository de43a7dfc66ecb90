// `window.Stripe` with what a page needs for cards: Elements, confirmations, the bank's dialog.

import { askBank, drawCardForm } from './stripe-js-form.js';

const own = new URL(document.currentScript?.src ?? 'https://js.stripe.com/v3/', location.href).origin;
const api = own === 'https://js.stripe.com' ? 'https://api.stripe.com' : own;

const kinds = { pi: 'payment_intents', seti: 'setup_intents' };
const idOf = (clientSecret) => String(clientSecret).split('_secret_')[0];
const kindOf = (clientSecret) => kinds[idOf(clientSecret).split('_')[0]];
const isPayment = (clientSecret) => kindOf(clientSecret) === kinds.pi;

/** `{billing_details: {name: 'Ada'}}` as form parameters; what is undefined is left out. */
function flat(value, prefix = '') {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object') return { [prefix]: String(value) };
  const entries = Object.entries(value).map(([name, inner]) =>
    flat(inner, prefix === '' ? name : `${prefix}[${name}]`),
  );
  return Object.assign({}, ...entries);
}

function integrationError(message) {
  return Object.assign(new Error(message), { name: 'IntegrationError' });
}

function makeElement(type, options, elements) {
  const listeners = new Map();
  let host = null;
  let form = null;
  const notify = (event, details) => {
    for (const listener of listeners.get(event) ?? []) listener({ elementType: type, ...details });
  };
  const element = {
    _type: type,
    _form: () => form,
    _paint: (appearance) => form?.paint(appearance),
    mount(target) {
      const parent = typeof target === 'string' ? document.querySelector(target) : target;
      if (!parent)
        throw integrationError(`The selector you specified (${target}) applies to no DOM elements.`);
      if (host?.parentNode === parent) return;
      element.unmount();
      host = document.createElement('div');
      host.className = 'StripeElement';
      parent.append(host);
      if (type === 'payment' || type === 'card') form = drawCardForm(host, elements._appearance(), notify);
      notify('loaderstart', {});
      setTimeout(() => host !== null && notify('ready', {}), 0);
    },
    unmount() {
      host?.remove();
      host = null;
      form = null;
    },
    destroy() {
      element.unmount();
      listeners.clear();
      elements._forget(type);
    },
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
      return element;
    },
    off(event, listener) {
      const kept = listener ? (listeners.get(event) ?? []).filter((one) => one !== listener) : [];
      listeners.set(event, kept);
      return element;
    },
    once(event, listener) {
      const onceOnly = (details) => {
        element.off(event, onceOnly);
        listener(details);
      };
      return element.on(event, onceOnly);
    },
    update(changes) {
      Object.assign(options, changes);
    },
    focus: () => form?.focus(),
    blur: () => form?.blur(),
    clear: () => form?.clear(),
    collapse() {},
  };
  return element;
}

function makeElements(options = {}) {
  const made = new Map();
  const cardElement = () => made.get('payment') ?? made.get('card') ?? null;
  const elements = {
    _options: options,
    _appearance: () => options.appearance,
    _forget: (type) => made.delete(type),
    _form: () => cardElement()?._form() ?? null,
    create(type, elementOptions = {}) {
      if (made.has(type)) {
        throw integrationError(
          `Can only create one Element of type ${type} through the same elements instance.`,
        );
      }
      const element = makeElement(type, { ...elementOptions }, elements);
      made.set(type, element);
      return element;
    },
    getElement: (type) => made.get(typeof type === 'string' ? type : type?.__elementType) ?? null,
    update(changes) {
      Object.assign(options, changes);
      if (changes.appearance) for (const element of made.values()) element._paint(changes.appearance);
    },
    fetchUpdates: async () => ({}),
    async submit() {
      const form = elements._form();
      if (!form) throw integrationError('elements should have a mounted Payment Element.');
      const problem = form.problem();
      if (problem) return { error: { type: 'validation_error', code: problem[0], message: problem[1] } };
      return { selectedPaymentMethod: 'card' };
    },
  };
  return elements;
}

function Stripe(publishableKey, stripeOptions = {}) {
  if (typeof publishableKey !== 'string' || !publishableKey.startsWith('pk_')) {
    throw integrationError('Please call Stripe() with your publishable key. You used an empty string.');
  }

  async function call(method, path, parameters) {
    const form = new URLSearchParams({ key: publishableKey, ...parameters });
    const query = method === 'GET' ? `?${form}` : '';
    try {
      const response = await fetch(`${api}/v1/${path}${query}`, {
        method,
        ...(method === 'POST' ? { body: form } : {}),
      });
      const answer = await response.json();
      return answer.error ? { error: answer.error } : { answer };
    } catch {
      const message = 'An error occurred with our connection to Stripe.';
      return { error: { type: 'api_connection_error', message } };
    }
  }

  const named = (clientSecret, intent) =>
    isPayment(clientSecret) ? { paymentIntent: intent } : { setupIntent: intent };

  async function retrieve(clientSecret) {
    const path = `${kindOf(clientSecret)}/${idOf(clientSecret)}`;
    const { answer, error } = await call('GET', path, { client_secret: clientSecret });
    return error ? { error } : named(clientSecret, answer);
  }

  /** Shows the bank's dialog if the intent requires it. */
  async function settle(clientSecret, { answer, error }) {
    if (error) return { error };
    if (answer.status !== 'requires_action') return named(clientSecret, answer);
    if (answer.next_action.type === 'redirect_to_url') {
      location.assign(answer.next_action.redirect_to_url.url);
      return new Promise(() => {});
    }
    const outcome = await askBank();
    const settled = await call('POST', '3ds2/challenge_complete', { client_secret: clientSecret, outcome });
    if (settled.error) return { error: settled.error };
    const failure = settled.answer.last_payment_error ?? settled.answer.last_setup_error;
    if (settled.answer.status === 'requires_payment_method' && failure) {
      const key = isPayment(clientSecret) ? 'payment_intent' : 'setup_intent';
      return { error: { ...failure, [key]: settled.answer } };
    }
    return named(clientSecret, settled.answer);
  }

  async function confirm(clientSecret, parameters) {
    const path = `${kindOf(clientSecret)}/${idOf(clientSecret)}/confirm`;
    const sent = { client_secret: clientSecret, use_stripe_sdk: 'true', ...parameters };
    return settle(clientSecret, await call('POST', path, sent));
  }

  /** confirmPayment and confirmSetup: the card comes from the mounted element unless one is named. */
  async function confirmWithElements({ elements, clientSecret, confirmParams = {}, redirect = 'always' }) {
    const secret = clientSecret ?? elements?._options.clientSecret;
    if (!secret) throw integrationError('Missing value for clientSecret.');
    const { payment_method_data: data, ...params } = confirmParams;
    const form = elements?._form();
    if (!form && !params.payment_method) {
      throw integrationError('elements should have a mounted Payment Element.');
    }
    if (form) {
      const { error } = await elements.submit();
      if (error) return { error };
    }
    const result = await confirm(secret, {
      ...flat(params),
      ...(form ? { ...flat(data, 'payment_method_data'), ...form.parameters('payment_method_data') } : {}),
    });
    const intent = result.paymentIntent ?? result.setupIntent;
    if (result.error || redirect === 'if_required') return result;
    const back = new URL(params.return_url);
    const prefix = isPayment(secret) ? 'payment_intent' : 'setup_intent';
    back.searchParams.set(prefix, intent.id);
    back.searchParams.set(`${prefix}_client_secret`, secret);
    back.searchParams.set('redirect_status', 'succeeded');
    location.assign(back.href);
    return new Promise(() => {});
  }

  /** confirmCardPayment and confirmCardSetup: a card element, or the id of a saved payment method. */
  async function confirmCard(clientSecret, data = {}) {
    const { payment_method: chosen, ...rest } = data;
    if (typeof chosen !== 'object') return confirm(clientSecret, flat({ ...rest, payment_method: chosen }));
    const { card, ...details } = chosen;
    const form = card._form();
    const problem = form.problem();
    if (problem) return { error: { type: 'validation_error', code: problem[0], message: problem[1] } };
    const parameters = { ...flat(details, 'payment_method_data'), ...form.parameters('payment_method_data') };
    return confirm(clientSecret, { ...flat(rest), ...parameters });
  }

  async function createPaymentMethod({ elements, card, params = {}, ...details }) {
    const form = elements ? elements._form() : card._form();
    const problem = form.problem();
    if (problem) return { error: { type: 'validation_error', code: problem[0], message: problem[1] } };
    const entry = Object.entries(form.parameters('x')).map(([name, value]) => [
      name.replace(/^x\[(\w+)\]/, '$1'),
      value,
    ]);
    const { type: _, ...billing } = { ...details, ...params };
    const { answer, error } = await call('POST', 'payment_methods', {
      ...flat(billing),
      ...Object.fromEntries(entry),
    });
    return error ? { error } : { paymentMethod: answer };
  }

  const next = async (clientSecret) => {
    const { paymentIntent, setupIntent, error } = await retrieve(clientSecret);
    return settle(clientSecret, { answer: paymentIntent ?? setupIntent, error });
  };

  return {
    elements: (options = {}) => makeElements({ ...stripeOptions, ...options }),
    confirmPayment: confirmWithElements,
    confirmSetup: confirmWithElements,
    confirmCardPayment: confirmCard,
    confirmCardSetup: confirmCard,
    handleNextAction: ({ clientSecret }) => next(clientSecret),
    handleCardAction: next,
    retrievePaymentIntent: retrieve,
    retrieveSetupIntent: retrieve,
    createPaymentMethod,
    createToken: async () => {
      throw integrationError('Tokens are not part of this stand-in; use createPaymentMethod.');
    },
    registerAppInfo() {},
    _registerWrapper() {},
  };
}

Stripe.version = 'endive';
window.Stripe = Stripe;
