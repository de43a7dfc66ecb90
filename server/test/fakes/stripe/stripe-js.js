// `window.Stripe` with what the payment screen calls: a Payment Element, a confirmation, the bank's dialog.
(() => {
  const styles = (variables) => `
  :host { display: block; color-scheme: light dark; }
  * { box-sizing: border-box; font-family: system-ui, sans-serif; }
  .fields { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; color: ${variables.colorText}; }
  .field { display: grid; gap: 4px; align-content: start; font-size: 14px; }
  .field:first-child { grid-column: 1 / -1; }
  input { width: 100%; padding: 12px; font-size: 16px; border-radius: ${variables.borderRadius};
    border: 1px solid ${variables.colorTextSecondary}; background: ${variables.colorBackground};
    color: ${variables.colorText}; }
  input[aria-invalid="true"] { border-color: ${variables.colorDanger}; }
  input:focus-visible { outline: 2px solid ${variables.colorPrimary}; outline-offset: 1px; }
  .error { color: ${variables.colorDanger}; }
`;

  const fields = [
    { name: 'number', label: 'Card number', least: 15, problem: 'Your card number is incomplete.' },
    {
      name: 'expiry',
      label: 'Expiration date',
      least: 4,
      problem: "Your card's expiration date is incomplete.",
    },
    { name: 'cvc', label: 'Security code', least: 3, problem: "Your card's security code is incomplete." },
  ];

  const digits = (text) => text.replace(/\D/g, '');

  const node = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  /** Draws the card form of a Payment Element. */
  function drawCardForm(host, appearance) {
    const root = host.attachShadow({ mode: 'open' });
    const style = new CSSStyleSheet();
    root.adoptedStyleSheets = [style];
    const inputs = {};
    const paint = ({ variables }) => style.replaceSync(styles(variables));

    const grid = node('div', { className: 'fields' });
    const checks = fields.map(({ name, label, least, problem }) => {
      const input = node('input', { id: name, inputMode: 'numeric' });
      const error = node('span', { id: `${name}-error`, className: 'error' });
      error.setAttribute('role', 'alert');
      input.setAttribute('aria-describedby', error.id);
      const check = () => {
        const isComplete = digits(input.value).length >= least;
        error.textContent = isComplete ? '' : problem;
        input.setAttribute('aria-invalid', String(!isComplete));
        return isComplete ? undefined : problem;
      };
      input.addEventListener('input', () => input.getAttribute('aria-invalid') === 'true' && check());
      input.addEventListener('blur', () => input.value !== '' && check());
      inputs[name] = input;
      grid.append(
        node(
          'div',
          { className: 'field' },
          node('label', { htmlFor: name, textContent: label }),
          input,
          error,
        ),
      );
      return check;
    });
    root.append(grid);
    paint(appearance);

    return {
      paint,
      /** Shows all problems of the entry and returns the first; undefined if there are none. */
      problem: () => checks.map((check) => check()).find((problem) => problem !== undefined),
      /** The entry as the API's form parameters. */
      parameters() {
        const expiry = digits(inputs.expiry.value);
        return {
          'payment_method_data[type]': 'card',
          'payment_method_data[card][number]': digits(inputs.number.value),
          'payment_method_data[card][exp_month]': String(Number(expiry.slice(0, 2))),
          'payment_method_data[card][exp_year]': `20${expiry.slice(2)}`,
          'payment_method_data[card][cvc]': inputs.cvc.value,
        };
      },
    };
  }

  /** Shows the bank's page in a modal dialog. Resolves with the customer's choice; Escape means failure. */
  function askBank() {
    return new Promise((resolve) => {
      const host = node('div');
      const root = host.attachShadow({ mode: 'open' });
      const finish = (outcome) => {
        host.remove();
        resolve(outcome);
      };
      const button = (label, outcome) =>
        node('button', { type: 'button', textContent: label, onclick: () => finish(outcome) });
      const heading = node('h2', { id: 'title', textContent: '3D Secure 2 Test Page' });
      const dialog = node(
        'dialog',
        {},
        heading,
        node('p', { textContent: 'Your bank asks you to confirm this payment.' }),
        button('Complete Authentication', 'complete'),
        ' ',
        button('Fail Authentication', 'fail'),
      );
      dialog.setAttribute('aria-labelledby', heading.id);
      dialog.addEventListener('cancel', () => finish('fail'));
      root.append(dialog);
      document.body.append(host);
      dialog.showModal();
    });
  }

  function makeElement(elements) {
    const listeners = new Map();
    let host = null;
    const element = {
      form: null,
      mount(parent) {
        host = document.createElement('div');
        parent.append(host);
        element.form = drawCardForm(host, elements.appearance);
        setTimeout(() => {
          for (const listener of listeners.get('ready') ?? []) listener({ elementType: 'payment' });
        }, 0);
      },
      destroy() {
        host?.remove();
        elements.element = null;
      },
      on: (event, listener) => void listeners.set(event, [...(listeners.get(event) ?? []), listener]),
      off(event, listener) {
        listeners.set(
          event,
          (listeners.get(event) ?? []).filter((one) => one !== listener),
        );
      },
      update() {},
    };
    return element;
  }

  function makeElements({ clientSecret, appearance }) {
    const elements = {
      clientSecret,
      appearance,
      element: null,
      create(type) {
        if (type !== 'payment') throw new Error(`This stand-in has no Element of type ${type}.`);
        elements.element = makeElement(elements);
        return elements.element;
      },
      update(changes) {
        Object.assign(elements, changes);
        if (changes.appearance) elements.element?.form?.paint(changes.appearance);
      },
      async submit() {
        const message = elements.element.form.problem();
        return message ? { error: { type: 'validation_error', message } } : { selectedPaymentMethod: 'card' };
      },
    };
    return elements;
  }

  function Stripe(publishableKey) {
    async function call(method, path, parameters) {
      const form = new URLSearchParams({ key: publishableKey, ...parameters });
      const url = `https://api.stripe.com/v1/${path}`;
      try {
        const response = await (method === 'GET'
          ? fetch(`${url}?${form}`)
          : fetch(url, { method, body: form }));
        const answer = await response.json();
        return answer.error ? { error: answer.error } : { paymentIntent: answer };
      } catch {
        const message = 'An error occurred with our connection to Stripe.';
        return { error: { type: 'api_connection_error', message } };
      }
    }

    const pathOf = (clientSecret) => `payment_intents/${clientSecret.split('_secret_')[0]}`;

    /** Shows the bank's dialog if the intent requires it. */
    async function settle(clientSecret, result) {
      if (result.paymentIntent?.status !== 'requires_action') return result;
      const outcome = await askBank();
      const settled = await call('POST', '3ds2/challenge_complete', { client_secret: clientSecret, outcome });
      const failure = settled.paymentIntent?.last_payment_error;
      return failure ? { error: { ...failure, payment_intent: settled.paymentIntent } } : settled;
    }

    return {
      elements: makeElements,
      async confirmPayment({ elements }) {
        const { error } = await elements.submit();
        if (error) return { error };
        const { clientSecret, element } = elements;
        const sent = { client_secret: clientSecret, ...element.form.parameters() };
        return settle(clientSecret, await call('POST', `${pathOf(clientSecret)}/confirm`, sent));
      },
      async handleNextAction({ clientSecret }) {
        return settle(clientSecret, await call('GET', pathOf(clientSecret), { client_secret: clientSecret }));
      },
      // Stripe's React wrappers require these.
      createToken() {},
      createPaymentMethod() {},
      confirmCardPayment() {},
      registerAppInfo() {},
      _registerWrapper() {},
    };
  }

  Stripe.version = 'endive';
  window.Stripe = Stripe;
})();
