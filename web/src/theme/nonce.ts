/**
 * Style elements created at run time (Mantine's variables, the scroll lock of dialogs) carry the server's nonce, so that the
 * content security policy needs no 'unsafe-inline'.
 */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** Sets the global variable from which the dialogs' scroll lock reads the nonce. */
export function shareStyleNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
}
