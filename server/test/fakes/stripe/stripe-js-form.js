// The card form that a Payment or Card Element draws into its mount node, and the bank's dialog.

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

const themes = {
  stripe: {
    borderRadius: '5px',
    colorBackground: '#ffffff',
    colorDanger: '#b3093c',
    colorPrimary: '#0570de',
    colorText: '#30313d',
    colorTextSecondary: '#6d6e78',
  },
  night: {
    borderRadius: '5px',
    colorBackground: '#30313d',
    colorDanger: '#fe87a1',
    colorPrimary: '#85d996',
    colorText: '#ffffff',
    colorTextSecondary: '#a3a4ae',
  },
};

const fields = [
  {
    name: 'number',
    label: 'Card number',
    placeholder: '1234 1234 1234 1234',
    autocomplete: 'cc-number',
    most: 19,
  },
  { name: 'expiry', label: 'Expiration date', placeholder: 'MM / YY', autocomplete: 'cc-exp', most: 7 },
  { name: 'cvc', label: 'Security code', placeholder: 'CVC', autocomplete: 'cc-csc', most: 4 },
];

const digits = (text) => text.replace(/\D/g, '');

const formats = {
  number: (text) =>
    digits(text)
      .slice(0, 16)
      .replace(/(.{4})(?=.)/g, '$1 '),
  expiry: (text) => {
    const [month, year] = [digits(text).slice(0, 2), digits(text).slice(2, 4)];
    return year === '' ? month : `${month} / ${year}`;
  },
  cvc: (text) => digits(text).slice(0, 4),
};

function passesLuhn(number) {
  let sum = 0;
  for (const [index, digit] of [...number].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

const checks = {
  number(text) {
    const number = digits(text);
    if (number.length < 15) return ['incomplete_number', 'Your card number is incomplete.'];
    if (!passesLuhn(number)) return ['invalid_number', 'Your card number is invalid.'];
    return null;
  },
  expiry(text) {
    const [month, year] = [Number(digits(text).slice(0, 2)), 2000 + Number(digits(text).slice(2))];
    if (digits(text).length < 4) {
      return ['incomplete_expiry', "Your card's expiration date is incomplete."];
    }
    if (month < 1 || month > 12) {
      return ['invalid_expiry_month', "Your card's expiration date is invalid."];
    }
    if (Date.UTC(year, month, 1) <= Date.now()) {
      return ['invalid_expiry_year_past', "Your card's expiration year is in the past."];
    }
    return null;
  },
  cvc: (text) => (text.length < 3 ? ['incomplete_cvc', "Your card's security code is incomplete."] : null),
};

const node = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

/** Draws the form. `notify(type, details)` is called for each action of the customer. */
export function drawCardForm(host, appearance, notify) {
  const root = host.attachShadow({ mode: 'open' });
  const style = new CSSStyleSheet();
  root.adoptedStyleSheets = [style];
  const inputs = {};
  const errors = {};

  function paint({ theme = 'stripe', variables = {} } = {}) {
    style.replaceSync(styles({ ...(themes[theme] ?? themes.stripe), ...variables }));
  }

  function check(name) {
    const problem = checks[name](inputs[name].value);
    errors[name].textContent = problem?.[1] ?? '';
    inputs[name].setAttribute('aria-invalid', String(problem !== null));
    return problem;
  }

  function changed() {
    const values = Object.values(inputs).map((input) => input.value);
    notify('change', {
      empty: values.every((value) => value === ''),
      complete: fields.every(({ name }) => checks[name](inputs[name].value) === null),
      collapsed: false,
      value: { type: 'card' },
    });
  }

  const grid = node('div', { className: 'fields' });
  for (const { name, label, placeholder, autocomplete, most } of fields) {
    const input = node('input', {
      id: name,
      placeholder,
      autocomplete,
      maxLength: most,
      inputMode: 'numeric',
    });
    const error = node('span', { id: `${name}-error`, className: 'error' });
    error.setAttribute('role', 'alert');
    input.setAttribute('aria-describedby', error.id);
    input.addEventListener('input', () => {
      input.value = formats[name](input.value);
      if (input.getAttribute('aria-invalid') === 'true') check(name);
      changed();
    });
    input.addEventListener('blur', () => {
      if (input.value !== '') check(name);
      notify('blur', {});
    });
    input.addEventListener('focus', () => notify('focus', {}));
    inputs[name] = input;
    errors[name] = error;
    grid.append(
      node('div', { className: 'field' }, node('label', { htmlFor: name, textContent: label }), input, error),
    );
  }
  root.append(grid);
  paint(appearance);

  return {
    paint,
    focus: () => inputs.number.focus(),
    blur: () => root.activeElement?.blur(),
    clear() {
      for (const input of Object.values(inputs)) input.value = '';
      changed();
    },
    /** The first problem of the entry as `[code, message]`, all of them shown; null if it can be sent. */
    problem: () => fields.map(({ name }) => check(name)).find((one) => one !== null) ?? null,
    /** The entry as the API's form parameters below `prefix`. */
    parameters(prefix) {
      const expiry = digits(inputs.expiry.value);
      return {
        [`${prefix}[type]`]: 'card',
        [`${prefix}[card][number]`]: digits(inputs.number.value),
        [`${prefix}[card][exp_month]`]: String(Number(expiry.slice(0, 2))),
        [`${prefix}[card][exp_year]`]: `20${expiry.slice(2)}`,
        [`${prefix}[card][cvc]`]: inputs.cvc.value,
      };
    },
  };
}

/** The bank's page in a modal dialog; resolves to what the customer pressed. Escape fails it. */
export function askBank() {
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
      button('Complete authentication', 'complete'),
      ' ',
      button('Fail authentication', 'fail'),
    );
    dialog.setAttribute('aria-labelledby', heading.id);
    dialog.addEventListener('cancel', () => finish('fail'));
    root.append(dialog);
    document.body.append(host);
    dialog.showModal();
  });
}
