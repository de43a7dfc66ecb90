/**
 * Style elements made at run time (Mantine's variables, the scroll lock of dialogs) carry the nonce that the
 * server wrote into the page, so that the content security policy needs no 'unsafe-inline' for them.
 */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** Where the scroll lock of dialogs looks for it. */
export function shareStyleNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
}
